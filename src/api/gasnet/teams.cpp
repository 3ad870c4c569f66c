// Teams of collectives, and their barriers.
#include <algorithm>
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

std::unique_ptr<Made> make(std::uint32_t id, std::vector<gasnet_node_t> members) {
    auto made = std::make_unique<Made>();
    Team& team = made->team;
    team.id = id;
    team.members = std::move(members);
    team.ranks.assign(static_cast<std::size_t>(job.pes), -1);
    for (std::size_t rank = 0; rank < team.members.size(); ++rank)
        team.ranks[team.members[rank]] = static_cast<int>(rank);
    team.rank = team.ranks[static_cast<std::size_t>(job.me)];
    return made;
}

Made& made_of(gasnet_team_handle_t handle, const char* routine) {
    require_attached(routine);
    if (!handle) fail(routine, "the team is null");
    if (handle != GASNET_TEAM_ALL) return *reinterpret_cast<Made*>(handle);
    const std::lock_guard lock(teams->guard);
    if (teams->all.empty()) {
        std::vector<gasnet_node_t> members(static_cast<std::size_t>(job.pes));
        std::iota(members.begin(), members.end(), 0U);
        teams->all.push_back(make(0, std::move(members)));
    }
    return *teams->all.front();
}

// What a member of the parent says to the others.
struct Wish {
    gasnet_node_t color;
    gasnet_node_t relrank;
    std::uint32_t led;
};

std::vector<Wish> share(Team& parent, const Wish& mine) {
    std::vector<Wish> all(static_cast<std::size_t>(parent.size()));
    all[static_cast<std::size_t>(parent.rank)] = mine;
    Exchange exchange;
    for (int rank = 0; rank < parent.size(); ++rank) {
        if (rank == parent.rank) continue;
        exchange.gives.push_back({rank, reinterpret_cast<const char*>(&mine), sizeof mine});
        exchange.takes.push_back(
            {rank, reinterpret_cast<char*>(&all[static_cast<std::size_t>(rank)]), sizeof mine});
    }
    isthmus_gasnet_collective handle;
    begin(parent, std::move(exchange), handle);
    await(handle, Routine::gasnet_coll_team_split);
    return all;
}

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

Team& collectives::team_of(gasnet_team_handle_t handle, const char* routine) {
    return made_of(handle, routine).team;
}

ISTHMUS_API gasnet_team_handle_t gasnet_coll_team_split(gasnet_team_handle_t parent,
                                                        gasnet_node_t color, gasnet_node_t relrank,
                                                        void*) {
    constexpr const char* kRoutine = "gasnet_coll_team_split";
    Team& from = team_of(parent, kRoutine);
    const std::vector<Wish> wishes = share(from, {color, relrank, teams->led});
    constexpr gasnet_node_t kNobody = ~gasnet_node_t{0};
    const auto count = std::count_if(wishes.begin(), wishes.end(),
                                     [color](const Wish& wish) { return wish.color == color; });
    std::vector<gasnet_node_t> members(static_cast<std::size_t>(count), kNobody);
    std::uint32_t number = 0;
    for (std::size_t i = 0; i < wishes.size(); ++i) {
        const Wish& wish = wishes[i];
        if (wish.color != color) continue;
        if (wish.relrank >= members.size() || members[wish.relrank] != kNobody)
            fail(kRoutine, Text("relrank ", wish.relrank, " of node ", from.members[i],
                                " is none that one member of color ", color, " alone has"));
        members[wish.relrank] = from.members[i];
        if (wish.relrank == 0) number = wish.led + 1;
    }
    if (members[0] == static_cast<gasnet_node_t>(job.me)) ++teams->led;
    const std::uint32_t id = members[0] << 16 | (number & 0xffff);
    const std::lock_guard lock(teams->guard);
    teams->all.push_back(make(id, std::move(members)));
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
    poll();
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
    poll();
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
