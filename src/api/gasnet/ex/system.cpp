// What GASNet-EX tells of the system: who is near, and who is on the same host.
#include <algorithm>
#include <utility>

#include "api/gasnet/ex/objects.hpp"
#include "core/job/host_table.hpp"

using namespace isthmus;
using namespace isthmus::gasnet;
using namespace isthmus::gasnet::ex;

namespace {

struct Places {
    std::once_flag once;
    std::vector<gex_RankInfo_t> neighbours;
    std::vector<gex_RankInfo_t> host;
    gex_Rank_t hosts = 0;
};
Lasting<Places> places;

Places& known(const char* routine) {
    require_client(routine);
    std::call_once(places->once, [] {
        const int mine = host_number(job.me);
        const gasnet_node_t group = face->supernodes[static_cast<std::size_t>(job.me)];
        for (int pe = 0; pe < job.pes; ++pe) {
            const gex_RankInfo_t info{static_cast<gex_Rank_t>(pe)};
            if (face->supernodes[static_cast<std::size_t>(pe)] == group)
                places->neighbours.push_back(info);
            if (host_number(pe) == mine) places->host.push_back(info);
            places->hosts = std::max(places->hosts, static_cast<gex_Rank_t>(host_number(pe)) + 1);
        }
    });
    return *places;
}

void tell(std::vector<gex_RankInfo_t>& ranks, gex_RankInfo_t** info, gex_Rank_t* count,
          gex_Rank_t* my_index) {
    if (info) *info = ranks.data();
    if (count) *count = static_cast<gex_Rank_t>(ranks.size());
    if (!my_index) return;
    const auto mine = std::find_if(ranks.begin(), ranks.end(), [](const gex_RankInfo_t& one) {
        return one.gex_jobrank == window.me;
    });
    *my_index = static_cast<gex_Rank_t>(mine - ranks.begin());
}

}  // namespace

ISTHMUS_API gex_Rank_t gex_System_QueryJobSize(void) {
    return window.pes;
}
ISTHMUS_API void gex_System_QueryNbrhdInfo(gex_RankInfo_t** info, gex_Rank_t* count,
                                           gex_Rank_t* my_index) {
    tell(known("gex_System_QueryNbrhdInfo").neighbours, info, count, my_index);
}
ISTHMUS_API void gex_System_QueryHostInfo(gex_RankInfo_t** info, gex_Rank_t* count,
                                          gex_Rank_t* my_index) {
    tell(known("gex_System_QueryHostInfo").host, info, count, my_index);
}
ISTHMUS_API void gex_System_QueryMyPosition(gex_Rank_t* nbrhd_count, gex_Rank_t* nbrhd_index,
                                            gex_Rank_t* host_count, gex_Rank_t* host_index) {
    const Places& found = known("gex_System_QueryMyPosition");
    if (nbrhd_count) *nbrhd_count = static_cast<gex_Rank_t>(face->first_members.size());
    if (nbrhd_index) *nbrhd_index = face->supernodes[static_cast<std::size_t>(job.me)];
    if (host_count) *host_count = found.hosts;
    if (host_index) *host_index = static_cast<gex_Rank_t>(host_number(job.me));
}

ISTHMUS_API int gex_System_GetVerboseErrors(void) {
    return is_verbose ? 1 : 0;
}
ISTHMUS_API void gex_System_SetVerboseErrors(int enable) {
    is_verbose = enable != 0;
}

ISTHMUS_API int gex_System_QueryProgressThreads(gex_Client_t client, unsigned int* count,
                                                const gex_ProgressThreadInfo_t** info,
                                                gex_Flags_t flags) {
    constexpr const char* kRoutine = "gex_System_QueryProgressThreads";
    if ((client->flags & GEX_FLAG_DEFER_THREADS) == 0)
        return refuse_object(GASNET_ERR_RESOURCE, kRoutine,
                             "the client has been made without GEX_FLAG_DEFER_THREADS");
    if (flags != 0)
        return refuse_object(GASNET_ERR_BAD_ARG, kRoutine, "flags ", flags, "; there are none");
    if (std::exchange(client->asked_for_threads, true))
        return refuse_object(GASNET_ERR_BAD_ARG, kRoutine, "called again");
    *count = 0;
    *info = nullptr;
    return GASNET_OK;
}
