// Puts and gets of GASNet-EX (isthmus/gex_transfer.h), as far as they are not inlined: of teams
// other than that of all, of other hosts, and in checked mode.
#include "api/gasnet/transfer.hpp"

#include "api/gasnet/events.hpp"
#include "api/gasnet/ex/objects.hpp"
#include "core/copy/copy.hpp"

using namespace isthmus;
using namespace isthmus::gasnet;
using namespace isthmus::gasnet::ex;
using transfer::Source;

namespace {

constexpr std::size_t kSmall = 2048;  // shorter ones are copied aside

// Where it is found here, if loads and stores reach it and nothing is to be looked at.
void* reached(gasnet_node_t node, const void* address) {
    if (!ISTHMUS_WINDOW_REACHES(node)) return nullptr;
    return ISTHMUS_WINDOW_ADDRESS(address, node);
}

bool is_pointer(const gex_Event_t* lc_opt) {
    return reinterpret_cast<std::uintptr_t>(lc_opt) >
           reinterpret_cast<std::uintptr_t>(GEX_EVENT_GROUP);
}

// Who is asked for, behind a look at the team.
gasnet_node_t target(gex_TM_t team, gex_Rank_t rank, const char* routine) {
    require_client(routine);
    const gasnet_node_t node = node_of(team, rank, routine);
    if (node >= window.pes)
        fail(routine, Text("rank ", rank, " is out of range 0..", window.pes - 1));
    return node;
}

}  // namespace

ISTHMUS_API void isthmus_gex_put(gex_TM_t team, gex_Rank_t rank, void* dest, const void* src,
                                 size_t nbytes) {
    constexpr const char* kRoutine = "gex_RMA_PutBlocking";
    const gasnet_node_t node = target(team, rank, kRoutine);
    if (void* const there = reached(node, dest)) return copy(there, src, nbytes);
    transfer::put(node, dest, src, nbytes, kRoutine);
}
ISTHMUS_API gex_Event_t isthmus_gex_put_nb(gex_TM_t team, gex_Rank_t rank, void* dest,
                                           const void* src, size_t nbytes, gex_Event_t* lc_opt) {
    constexpr const char* kRoutine = "gex_RMA_PutNB";
    const gasnet_node_t node = target(team, rank, kRoutine);
    isthmus_gex_local_completion(lc_opt);
    if (void* const there = reached(node, dest)) {
        copy(there, src, nbytes);
        return GEX_EVENT_INVALID;
    }
    // A long block is not copied for an event of local completion: that is then the whole's.
    const bool stays = lc_opt == GEX_EVENT_DEFER || (is_pointer(lc_opt) && nbytes >= kSmall);
    const gex_Event_t event = transfer::put_nb(
        node, dest, src, nbytes, stays ? Source::in_use : Source::free_on_return, kRoutine);
    if (stays && is_pointer(lc_opt) && event != GEX_EVENT_INVALID) *lc_opt = events::leaf_of(event);
    return event;
}
ISTHMUS_API void isthmus_gex_put_nbi(gex_TM_t team, gex_Rank_t rank, void* dest, const void* src,
                                     size_t nbytes, gex_Event_t* lc_opt) {
    constexpr const char* kRoutine = "gex_RMA_PutNBI";
    const gasnet_node_t node = target(team, rank, kRoutine);
    if (void* const there = reached(node, dest)) return copy(there, src, nbytes);
    transfer::put_nbi(node, dest, src, nbytes,
                      lc_opt == GEX_EVENT_DEFER ? Source::in_use : Source::free_on_return,
                      kRoutine);
}
ISTHMUS_API void isthmus_gex_get(gex_TM_t team, void* dest, gex_Rank_t rank, const void* src,
                                 size_t nbytes) {
    constexpr const char* kRoutine = "gex_RMA_GetBlocking";
    const gasnet_node_t node = target(team, rank, kRoutine);
    if (const void* const there = reached(node, src)) return copy(dest, there, nbytes);
    transfer::get(dest, node, src, nbytes, kRoutine);
}
ISTHMUS_API gex_Event_t isthmus_gex_get_nb(gex_TM_t team, void* dest, gex_Rank_t rank,
                                           const void* src, size_t nbytes) {
    constexpr const char* kRoutine = "gex_RMA_GetNB";
    const gasnet_node_t node = target(team, rank, kRoutine);
    if (const void* const there = reached(node, src)) {
        copy(dest, there, nbytes);
        return GEX_EVENT_INVALID;
    }
    return transfer::get_nb(dest, node, src, nbytes, kRoutine);
}
ISTHMUS_API void isthmus_gex_get_nbi(gex_TM_t team, void* dest, gex_Rank_t rank, const void* src,
                                     size_t nbytes) {
    constexpr const char* kRoutine = "gex_RMA_GetNBI";
    const gasnet_node_t node = target(team, rank, kRoutine);
    if (const void* const there = reached(node, src)) return copy(dest, there, nbytes);
    transfer::get_nbi(dest, node, src, nbytes, kRoutine);
}

// What is to be waited for of these categories: the rest is complete when its call returns.
namespace {

bool is_under_way(gex_EC_t mask) {
    constexpr gex_EC_t kRemote = (GEX_EC_PUT & ~GEX_EC_LC) | GEX_EC_GET | GEX_EC_RMW;
    // The source of a put that was started with GEX_EVENT_DEFER is free with the put.
    return (mask & kRemote) != 0;
}

}  // namespace

ISTHMUS_API void gex_NBI_Wait(gex_EC_t mask, gex_Flags_t) {
    if (is_under_way(mask))
        transfer::wait_for_implicit("gex_NBI_Wait");
    else
        poll();
}
ISTHMUS_API int gex_NBI_Test(gex_EC_t mask, gex_Flags_t) {
    return is_under_way(mask) ? transfer::try_implicit("gex_NBI_Test") : GASNET_OK;
}
ISTHMUS_API void gex_NBI_BeginAccessRegion(gex_Flags_t) {
    transfer::begin_region("gex_NBI_BeginAccessRegion");
}
ISTHMUS_API gex_Event_t gex_NBI_EndAccessRegion(gex_Flags_t) {
    return transfer::end_region("gex_NBI_EndAccessRegion", "gex_NBI_BeginAccessRegion");
}
