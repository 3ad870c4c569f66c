// Teams of collectives, and their barriers.
#include <algorithm>
#include <cstring>
#include <memory>
#include <mutex>
#include <numeric>

#include "api/gasnet/exchange.hpp"

using namespace isthmus;
using namespace isthmus::gasnet;

namespace {

using namespace isthmus::gasnet::collectives;

// A barrier of a team that this node has notified.
struct Barrier {
    bool notified = false;
    Name agreed;
    isthmus_gasnet_collective under_way;
};

// A team with its barrier; they stay.
struct Made {
    Team team;
    Barrier barrier;
};
struct Teams {
    std::mutex guard;
    std::vector<std::unique_ptr<Made>> all;  // the first is GASNET_TEAM_ALL
    std::uint32_t led = 0;                   // teams that have this node as rank 0
};
Lasting<Teams> teams;

// With the lock.
Made& world_made() {
    if (teams->all.empty()) {
        std::vector<gasnet_node_t> members(static_cast<std::size_t>(job.pes));
        std::iota(members.begin(), members.end(), 0U);
        teams->all.push_back(std::make_unique<Made>());
        teams->all.back()->team = make_team(0, std::move(members));
    }
    return *teams->all.front();
}

Made& made_of(gasnet_team_handle_t handle, const char* routine) {
    require_attached(routine);
    if (!handle) fail(routine, "the team is null");
    if (handle != GASNET_TEAM_ALL) return *reinterpret_cast<Made*>(handle);
    const std::lock_guard lock(teams->guard);
    return world_made();
}

// What a member of the parent says to the others.
struct Wish {
    gasnet_node_t color;
    gasnet_node_t relrank;
    std::uint32_t led;
};

int come_out(Barrier& barrier, int id, int flags) {
    barrier.notified = false;
    const Name& name = barrier.agreed;
    const bool differs = flags == 0 && name.is_named && id != static_cast<int>(name.id);
    return differs || barrier.agreed.mismatch ? GASNET_ERR_BARRIER_MISMATCH : GASNET_OK;
}

constexpr int without_images(int flags) {
    return flags & ~GASNET_BARRIERFLAG_IMAGES;
}

Barrier& notified_barrier(gasnet_team_handle_t team, const char* routine) {
    Barrier& barrier = made_of(team, routine).barrier;
    if (!barrier.notified) fail(routine, "called without a gasnet_coll_barrier_notify before it");
    return barrier;
}

}  // namespace

Team collectives::make_team(std::uint32_t id, std::vector<gasnet_node_t> members) {
    Team team;
    team.id = id;
    team.members = std::move(members);
    team.ranks.assign(static_cast<std::size_t>(job.pes), -1);
    for (std::size_t rank = 0; rank < team.members.size(); ++rank)
        team.ranks[team.members[rank]] = static_cast<int>(rank);
    team.rank = team.ranks[static_cast<std::size_t>(job.me)];
    return team;
}

Team& collectives::world_team() {
    const std::lock_guard lock(teams->guard);
    return world_made().team;
}

std::uint32_t collectives::led_teams() {
    const std::lock_guard lock(teams->guard);
    return teams->led;
}
std::uint32_t collectives::note_new_team(gasnet_node_t first, std::uint32_t led) {
    const std::lock_guard lock(teams->guard);
    if (first == static_cast<gasnet_node_t>(job.me)) ++teams->led;
    return first << 16 | ((led + 1) & 0xffff);
}

void collectives::share(Team& team, const void* mine, std::size_t bytes, void* all,
                        Routine routine) {
    char* const blocks = static_cast<char*>(all);
    Exchange exchange;
    for (int rank = 0; rank < team.size(); ++rank) {
        char* const block = blocks + static_cast<std::size_t>(rank) * bytes;
        if (rank == team.rank) {
            std::memcpy(block, mine, bytes);
            continue;
        }
        exchange.gives.push_back({rank, static_cast<const char*>(mine), bytes});
        exchange.takes.push_back({rank, block, bytes});
    }
    isthmus_gasnet_collective handle;
    begin(team, std::move(exchange), handle);
    await(handle, routine);
}

Team& collectives::team_of(gasnet_team_handle_t handle, const char* routine) {
    return made_of(handle, routine).team;
}

ISTHMUS_API gasnet_team_handle_t gasnet_coll_team_split(gasnet_team_handle_t parent,
                                                        gasnet_node_t color, gasnet_node_t relrank,
                                                        void*) {
    constexpr const char* kRoutine = "gasnet_coll_team_split";
    Team& from = team_of(parent, kRoutine);
    const Wish mine{color, relrank, led_teams()};
    std::vector<Wish> wishes(static_cast<std::size_t>(from.size()));
    share(from, &mine, sizeof mine, wishes.data(), Routine::gasnet_coll_team_split);
    constexpr gasnet_node_t kNobody = ~gasnet_node_t{0};
    const auto count = std::count_if(wishes.begin(), wishes.end(),
                                     [color](const Wish& wish) { return wish.color == color; });
    std::vector<gasnet_node_t> members(static_cast<std::size_t>(count), kNobody);
    std::uint32_t led = 0;
    for (std::size_t i = 0; i < wishes.size(); ++i) {
        const Wish& wish = wishes[i];
        if (wish.color != color) continue;
        if (wish.relrank >= members.size() || members[wish.relrank] != kNobody)
            fail(kRoutine, Text("relrank ", wish.relrank, " of node ", from.members[i],
                                " is none that one member of color ", color, " alone has"));
        members[wish.relrank] = from.members[i];
        if (wish.relrank == 0) led = wish.led;
    }
    const std::uint32_t id = note_new_team(members[0], led);
    const std::lock_guard lock(teams->guard);
    world_made();
    teams->all.push_back(std::make_unique<Made>());
    teams->all.back()->team = make_team(id, std::move(members));
    return reinterpret_cast<gasnet_team_handle_t>(teams->all.back().get());
}

ISTHMUS_API gasnet_node_t gasnet_coll_team_rank2node(gasnet_team_handle_t team, int rank) {
    constexpr const char* kRoutine = "gasnet_coll_team_rank2node";
    const Team& of = team_of(team, kRoutine);
    if (rank < 0 || rank >= of.size())
        fail(kRoutine, Text("rank ", rank, " is out of range 0..", of.size() - 1));
    return of.members[static_cast<std::size_t>(rank)];
}
ISTHMUS_API gasnet_node_t gasnet_coll_team_node2rank(gasnet_team_handle_t team,
                                                     gasnet_node_t node) {
    const Team& of = team_of(team, "gasnet_coll_team_node2rank");
    if (node >= of.ranks.size() || of.ranks[node] < 0) return GASNET_MAXNODES;
    return static_cast<gasnet_node_t>(of.ranks[node]);
}
ISTHMUS_API gasnet_node_t gasnet_coll_team_size(gasnet_team_handle_t team) {
    return static_cast<gasnet_node_t>(team_of(team, "gasnet_coll_team_size").size());
}

ISTHMUS_API void gasnet_coll_barrier_notify(gasnet_team_handle_t team, int id, int flags) {
    if (team == GASNET_TEAM_ALL) return gasnet_barrier_notify(id, flags);
    constexpr const char* kRoutine = "gasnet_coll_barrier_notify";
    Made& made = made_of(team, kRoutine);
    Barrier& barrier = made.barrier;
    if (barrier.notified)
        fail(kRoutine, "called again without a gasnet_coll_barrier_wait for the one before");
    barrier.notified = true;
    flags = without_images(flags);
    Exchange exchange;
    exchange.in_allsync = true;
    exchange.name = {(flags & GASNET_BARRIERFLAG_ANONYMOUS) == 0,
                     (flags & GASNET_BARRIERFLAG_MISMATCH) != 0, static_cast<std::uint32_t>(id)};
    exchange.agreed = &barrier.agreed;
    begin(made.team, std::move(exchange), barrier.under_way);
    poll(kRoutine);
}
ISTHMUS_API int gasnet_coll_barrier_wait(gasnet_team_handle_t team, int id, int flags) {
    if (team == GASNET_TEAM_ALL) return gasnet_barrier_wait(id, flags);
    Barrier& barrier = notified_barrier(team, "gasnet_coll_barrier_wait");
    await(barrier.under_way, Routine::gasnet_coll_barrier_wait);
    return come_out(barrier, id, without_images(flags));
}
ISTHMUS_API int gasnet_coll_barrier_try(gasnet_team_handle_t team, int id, int flags) {
    if (team == GASNET_TEAM_ALL) return gasnet_barrier_try(id, flags);
    Barrier& barrier = notified_barrier(team, "gasnet_coll_barrier_try");
    poll("gasnet_coll_barrier_try");
    return is_complete(barrier.under_way) ? come_out(barrier, id, without_images(flags))
                                          : GASNET_ERR_NOT_READY;
}
ISTHMUS_API int gasnet_coll_barrier(gasnet_team_handle_t team, int id, int flags) {
    gasnet_coll_barrier_notify(team, id, flags);
    return gasnet_coll_barrier_wait(team, id, flags);
}
ISTHMUS_API int gasnet_coll_barrier_result(gasnet_team_handle_t team, int* id) {
    if (team == GASNET_TEAM_ALL) return gasnet_barrier_result(id);
    const Name& agreed = made_of(team, "gasnet_coll_barrier_result").barrier.agreed;
    if (!agreed.is_named) return 1;
    *id = static_cast<int>(agreed.id);
    return 0;
}
