// Teams of GASNet-EX: those of the collectives, with what the client keeps with them.
#include <algorithm>
#include <numeric>

#include "api/gasnet/ex/objects.hpp"

using namespace isthmus;
using namespace isthmus::gasnet;
using namespace isthmus::gasnet::ex;
using collectives::Team;

namespace {

// What a member asks for scratch memory, which collectives here do not use.
constexpr std::size_t kScratch = 4096;

bool asks_for_size(gex_Flags_t flags) {
    return (flags & (GEX_FLAG_TM_SCRATCH_SIZE_MIN | GEX_FLAG_TM_SCRATCH_SIZE_RECOMMENDED)) != 0;
}

// What a member of the parent says to the others.
struct Wish {
    std::int32_t is_member;
    std::int32_t color;
    std::int32_t key;
    std::uint32_t led;
};

std::vector<Wish> share_wishes(Team& parent, const Wish& mine, Routine routine) {
    std::vector<Wish> wishes(static_cast<std::size_t>(parent.size()));
    collectives::share(parent, &mine, sizeof mine, wishes.data(), routine);
    return wishes;
}

gex_TM_t make(std::vector<gasnet_node_t> members, std::uint32_t led, void* scratch,
              std::size_t size, gex_Flags_t flags) {
    auto made = std::make_unique<isthmus_gex_team>();
    const std::uint32_t id = collectives::note_new_team(members.front(), led);
    made->own = std::make_unique<Team>(collectives::make_team(id, std::move(members)));
    made->team = made->own.get();
    made->flags = flags;
    if ((flags & GEX_FLAG_TM_NO_SCRATCH) == 0 && size != 0) made->scratch = {scratch, size};
    return made.release();
}

gex_TM_t split(Team& parent, bool is_member, int color, int key, void* scratch, std::size_t size,
               gex_Flags_t flags) {
    const std::vector<Wish> wishes = share_wishes(
        parent, {is_member ? 1 : 0, color, key, collectives::led_teams()}, Routine::gex_TM_Split);
    if (!is_member) return GEX_TM_INVALID;
    std::vector<std::size_t> ranks;
    for (std::size_t rank = 0; rank < wishes.size(); ++rank)
        if (wishes[rank].is_member != 0 && wishes[rank].color == color) ranks.push_back(rank);
    std::stable_sort(ranks.begin(), ranks.end(), [&wishes](std::size_t one, std::size_t other) {
        return wishes[one].key < wishes[other].key;
    });
    std::vector<gasnet_node_t> members;
    members.reserve(ranks.size());
    for (const std::size_t rank : ranks)
        members.push_back(parent.members[rank]);
    return make(std::move(members), wishes[ranks.front()].led, scratch, size, flags);
}

// The nodes that the members of a new team are.
std::vector<gasnet_node_t> nodes_of(const Team& parent, const gex_EP_Location_t* members,
                                    std::size_t count, gex_Flags_t flags, const char* routine) {
    const bool are_nodes = (flags & GEX_FLAG_RANK_IS_JOBRANK) != 0;
    const auto most = static_cast<gex_Rank_t>(are_nodes ? job.pes : parent.size());
    std::vector<gasnet_node_t> nodes;
    nodes.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
        const gex_Rank_t rank = members[i].gex_rank;
        if (rank >= most) fail(routine, Text("rank ", rank, " is out of range 0..", most - 1));
        if (members[i].gex_ep_index != 0)
            fail(routine, Text("endpoint ", int{members[i].gex_ep_index}, " of rank ", rank,
                               "; teams have the first endpoint of each process"));
        const gasnet_node_t node = are_nodes ? rank : parent.members[rank];
        if (parent.ranks[node] < 0)
            fail(routine, Text("process ", node, " is no member of the parent"));
        if (std::find(nodes.begin(), nodes.end(), node) != nodes.end())
            fail(routine, Text("rank ", rank, " is named twice"));
        nodes.push_back(node);
    }
    return nodes;
}

}  // namespace

namespace isthmus::gasnet::ex {

isthmus_gex_team& team_of(gex_TM_t team, const char* routine) {
    if (team == ISTHMUS_GEX_ALL) [[likely]]
        return objects->all;
    if (!team) fail(routine, "the team is GEX_TM_INVALID");
    if (is_pair(team)) fail(routine, "the team is a pair of endpoints, which has no members");
    return *team;
}

gasnet_node_t node_of(gex_TM_t team, gex_Rank_t rank, const char* routine) {
    if (team == ISTHMUS_GEX_ALL || is_pair(team)) [[likely]]
        return rank;
    const Team& of = *team_of(team, routine).team;
    if (rank >= static_cast<gex_Rank_t>(of.size()))
        fail(routine, Text("rank ", rank, " is out of range 0..", of.size() - 1));
    return of.members[rank];
}
gasnet_node_t node_of(gex_TM_t team, gex_Rank_t rank, gex_Flags_t flags, const char* routine) {
    return (flags & GEX_FLAG_RANK_IS_JOBRANK) != 0 ? rank : node_of(team, rank, routine);
}

}  // namespace isthmus::gasnet::ex

ISTHMUS_API gex_TM_t gex_TM_Pair(gex_EP_t local, gex_EP_Index_t remote) {
    // NOLINTNEXTLINE(performance-no-int-to-ptr)
    return reinterpret_cast<gex_TM_t>(std::uintptr_t{1} |
                                      std::uintptr_t{local->index} << kLocalShift |
                                      std::uintptr_t{remote} << kRemoteShift);
}

ISTHMUS_API size_t gex_TM_Split(gex_TM_t* team, gex_TM_t parent, int color, int key, void* scratch,
                                size_t size, gex_Flags_t flags) {
    constexpr const char* kRoutine = "gex_TM_Split";
    require_client(kRoutine);
    Team& from = *team_of(parent, kRoutine).team;
    if (asks_for_size(flags)) return team ? kScratch : 0;
    note(Routine::gex_TM_Split);
    whole(kRoutine, [&] {
        const gex_TM_t made = split(from, team != nullptr, color, key, scratch, size, flags);
        if (team) *team = made;
    });
    return 0;
}

ISTHMUS_API size_t gex_TM_Create(gex_TM_t* teams, size_t team_count, gex_TM_t parent,
                                 gex_EP_Location_t* members, size_t member_count,
                                 gex_Addr_t* scratch, size_t size, gex_Flags_t flags) {
    constexpr const char* kRoutine = "gex_TM_Create";
    require_client(kRoutine);
    Team& from = *team_of(parent, kRoutine).team;
    if (asks_for_size(flags)) return kScratch;
    note(Routine::gex_TM_Create);
    whole(kRoutine, [&] {
        std::vector<gasnet_node_t> nodes = nodes_of(from, members, member_count, flags, kRoutine);
        const auto mine = std::find(nodes.begin(), nodes.end(), static_cast<gasnet_node_t>(job.me));
        if (member_count != 0 && mine == nodes.end())
            fail(kRoutine, "this process is none of the members that it names");
        if (team_count > 1)
            fail(kRoutine, Text(team_count, " teams; each process is in one of them here"));
        // Everybody learns what the first of its team has led.
        const std::vector<Wish> wishes =
            share_wishes(from, {1, 0, 0, collectives::led_teams()}, Routine::gex_TM_Create);
        if (member_count == 0 || team_count == 0) return;
        const auto of_first = static_cast<std::size_t>(from.ranks[nodes.front()]);
        const auto index = static_cast<std::size_t>(mine - nodes.begin());
        void* own = nullptr;
        if (scratch && size != 0)
            own = scratch[(flags & GEX_FLAG_TM_GLOBAL_SCRATCH) != 0 ? index : 0];
        *teams = make(std::move(nodes), wishes[of_first].led, own, size, flags);
    });
    return 0;
}

ISTHMUS_API int gex_TM_Destroy(gex_TM_t team, gex_Memvec_t* scratch, gex_Flags_t) {
    constexpr const char* kRoutine = "gex_TM_Destroy";
    if (team == ISTHMUS_GEX_ALL) fail(kRoutine, "the team of all is not destroyed");
    // What a member has completed is complete for it: nothing comes for this team any more.
    const std::unique_ptr<isthmus_gex_team> gone(&team_of(team, kRoutine));
    if (!scratch || gone->scratch.gex_len == 0) return 0;
    *scratch = gone->scratch;
    return 1;
}

ISTHMUS_API gex_Client_t gex_TM_QueryClient(gex_TM_t) {
    return &objects->client;
}
ISTHMUS_API gex_EP_t gex_TM_QueryEP(gex_TM_t team) {
    return objects->endpoints[is_pair(team) ? local_index(team) : std::size_t{0}].get();
}
ISTHMUS_API gex_Flags_t gex_TM_QueryFlags(gex_TM_t team) {
    return team_of(team, "gex_TM_QueryFlags").flags;
}
ISTHMUS_API gex_Rank_t gex_TM_QueryRank(gex_TM_t team) {
    if (team == ISTHMUS_GEX_ALL) return window.me;
    return static_cast<gex_Rank_t>(team_of(team, "gex_TM_QueryRank").team->rank);
}
ISTHMUS_API gex_Rank_t gex_TM_QuerySize(gex_TM_t team) {
    if (team == ISTHMUS_GEX_ALL) return window.pes;
    return static_cast<gex_Rank_t>(team_of(team, "gex_TM_QuerySize").team->size());
}
ISTHMUS_API void gex_TM_SetCData(gex_TM_t team, const void* data) {
    team_of(team, "gex_TM_SetCData").data = data;
}
ISTHMUS_API void* gex_TM_QueryCData(gex_TM_t team) {
    return const_cast<void*>(team_of(team, "gex_TM_QueryCData").data);
}
ISTHMUS_API gex_Rank_t gex_TM_TranslateRankToJobrank(gex_TM_t team, gex_Rank_t rank) {
    constexpr const char* kRoutine = "gex_TM_TranslateRankToJobrank";
    const gasnet_node_t node = node_of(team, rank, kRoutine);
    if (node >= window.pes)
        fail(kRoutine, Text("rank ", rank, " is out of range 0..", window.pes - 1));
    return node;
}
ISTHMUS_API gex_Rank_t gex_TM_TranslateJobrankToRank(gex_TM_t team, gex_Rank_t jobrank) {
    if (jobrank >= window.pes) return GEX_RANK_INVALID;
    if (team == ISTHMUS_GEX_ALL || is_pair(team)) return jobrank;
    const int rank = team_of(team, "gex_TM_TranslateJobrankToRank").team->ranks[jobrank];
    return rank < 0 ? GEX_RANK_INVALID : static_cast<gex_Rank_t>(rank);
}
ISTHMUS_API gex_EP_Location_t gex_TM_TranslateRankToEP(gex_TM_t team, gex_Rank_t rank,
                                                       gex_Flags_t) {
    const gex_EP_Index_t index = is_pair(team) ? remote_index(team) : gex_EP_Index_t{0};
    return {gex_TM_TranslateRankToJobrank(team, rank), index};
}
