/* Puts and gets of GASNet-EX, and events. Part of gasnetex.h.
 *
 * To PEs of this host they are loads and stores, done when the call returns, and events are
 * GEX_EVENT_INVALID. `dest` of a put and `src` of a get are addresses of the other process, in its
 * bound segment; an operation outside of it ends the job with a message if the process is on
 * another host or in checked mode (ISTHMUS_CHECK). `nbytes` may be 0. Without _NB and _NBI they
 * wait. GEX_FLAG_IMMEDIATE changes nothing: every operation is started. */
#ifndef ISTHMUS_GEX_TRANSFER_H
#define ISTHMUS_GEX_TRANSFER_H

#include <isthmus/gasnet_access.h>
#include <isthmus/gex_messages.h>

#ifdef __cplusplus
extern "C" {
#endif
#include <isthmus/warnings_away.inc>

/* Of other teams, and where the window's test fails. */
void isthmus_gex_put(gex_TM_t team, gex_Rank_t rank, void* dest, const void* src, size_t nbytes);
gex_Event_t isthmus_gex_put_nb(gex_TM_t team, gex_Rank_t rank, void* dest, const void* src,
                               size_t nbytes, gex_Event_t* lc_opt);
void isthmus_gex_put_nbi(gex_TM_t team, gex_Rank_t rank, void* dest, const void* src, size_t nbytes,
                         gex_Event_t* lc_opt);
void isthmus_gex_get(gex_TM_t team, void* dest, gex_Rank_t rank, const void* src, size_t nbytes);
gex_Event_t isthmus_gex_get_nb(gex_TM_t team, void* dest, gex_Rank_t rank, const void* src,
                               size_t nbytes);
void isthmus_gex_get_nbi(gex_TM_t team, void* dest, gex_Rank_t rank, const void* src,
                         size_t nbytes);

#define ISTHMUS_GEX_REACHES(team, rank) \
    (__builtin_expect((team) == ISTHMUS_GEX_ALL, 1) && ISTHMUS_GASNET_REACHES(rank))

ISTHMUS_GASNET_INLINE int gex_RMA_PutBlocking(gex_TM_t team, gex_Rank_t rank, void* dest,
                                              const void* src, size_t nbytes, gex_Flags_t flags) {
    (void)flags;
    if (ISTHMUS_GEX_REACHES(team, rank))
        ISTHMUS_GASNET_COPY(ISTHMUS_WINDOW_ADDRESS(dest, (int)rank), src);
    else
        isthmus_gex_put(team, rank, dest, src, nbytes);
    return GASNET_OK;
}
/* lc_opt: GEX_EVENT_NOW, _DEFER (with the event that is returned), _GROUP, or where the event of
 * local completion is written. */
ISTHMUS_GASNET_INLINE gex_Event_t gex_RMA_PutNB(gex_TM_t team, gex_Rank_t rank, void* dest,
                                                const void* src, size_t nbytes, gex_Event_t* lc_opt,
                                                gex_Flags_t flags) {
    (void)flags;
    if (!ISTHMUS_GEX_REACHES(team, rank))
        return isthmus_gex_put_nb(team, rank, dest, src, nbytes, lc_opt);
    ISTHMUS_GASNET_COPY(ISTHMUS_WINDOW_ADDRESS(dest, (int)rank), src);
    isthmus_gex_local_completion(lc_opt);
    return GEX_EVENT_INVALID;
}
/* lc_opt: GEX_EVENT_NOW, _DEFER or _GROUP. */
ISTHMUS_GASNET_INLINE int gex_RMA_PutNBI(gex_TM_t team, gex_Rank_t rank, void* dest,
                                         const void* src, size_t nbytes, gex_Event_t* lc_opt,
                                         gex_Flags_t flags) {
    (void)flags;
    if (ISTHMUS_GEX_REACHES(team, rank))
        ISTHMUS_GASNET_COPY(ISTHMUS_WINDOW_ADDRESS(dest, (int)rank), src);
    else
        isthmus_gex_put_nbi(team, rank, dest, src, nbytes, lc_opt);
    return GASNET_OK;
}
ISTHMUS_GASNET_INLINE int gex_RMA_GetBlocking(gex_TM_t team, void* dest, gex_Rank_t rank, void* src,
                                              size_t nbytes, gex_Flags_t flags) {
    (void)flags;
    if (ISTHMUS_GEX_REACHES(team, rank))
        ISTHMUS_GASNET_COPY(dest, ISTHMUS_WINDOW_ADDRESS(src, (int)rank));
    else
        isthmus_gex_get(team, dest, rank, src, nbytes);
    return GASNET_OK;
}
ISTHMUS_GASNET_INLINE gex_Event_t gex_RMA_GetNB(gex_TM_t team, void* dest, gex_Rank_t rank,
                                                void* src, size_t nbytes, gex_Flags_t flags) {
    (void)flags;
    if (!ISTHMUS_GEX_REACHES(team, rank)) return isthmus_gex_get_nb(team, dest, rank, src, nbytes);
    ISTHMUS_GASNET_COPY(dest, ISTHMUS_WINDOW_ADDRESS(src, (int)rank));
    return GEX_EVENT_INVALID;
}
ISTHMUS_GASNET_INLINE int gex_RMA_GetNBI(gex_TM_t team, void* dest, gex_Rank_t rank, void* src,
                                         size_t nbytes, gex_Flags_t flags) {
    (void)flags;
    if (ISTHMUS_GEX_REACHES(team, rank))
        ISTHMUS_GASNET_COPY(dest, ISTHMUS_WINDOW_ADDRESS(src, (int)rank));
    else
        isthmus_gex_get_nbi(team, dest, rank, src, nbytes);
    return GASNET_OK;
}

/* The low bytes of a value, 1 to 8; values that are got have zeros above them. */
ISTHMUS_GASNET_INLINE gex_RMA_Value_t gex_RMA_GetBlockingVal(gex_TM_t team, gex_Rank_t rank,
                                                             void* src, size_t nbytes,
                                                             gex_Flags_t flags) {
    gex_RMA_Value_t value = 0;
    ISTHMUS_GASNET_REQUIRE_VALUE("gex_RMA_GetBlockingVal");
    gex_RMA_GetBlocking(team, &value, rank, src, nbytes, flags);
    return value;
}
ISTHMUS_GASNET_INLINE int gex_RMA_PutBlockingVal(gex_TM_t team, gex_Rank_t rank, void* dest,
                                                 gex_RMA_Value_t value, size_t nbytes,
                                                 gex_Flags_t flags) {
    ISTHMUS_GASNET_REQUIRE_VALUE("gex_RMA_PutBlockingVal");
    return gex_RMA_PutBlocking(team, rank, dest, &value, nbytes, flags);
}
ISTHMUS_GASNET_INLINE gex_Event_t gex_RMA_PutNBVal(gex_TM_t team, gex_Rank_t rank, void* dest,
                                                   gex_RMA_Value_t value, size_t nbytes,
                                                   gex_Flags_t flags) {
    ISTHMUS_GASNET_REQUIRE_VALUE("gex_RMA_PutNBVal");
    return gex_RMA_PutNB(team, rank, dest, &value, nbytes, GEX_EVENT_NOW, flags);
}
ISTHMUS_GASNET_INLINE int gex_RMA_PutNBIVal(gex_TM_t team, gex_Rank_t rank, void* dest,
                                            gex_RMA_Value_t value, size_t nbytes,
                                            gex_Flags_t flags) {
    ISTHMUS_GASNET_REQUIRE_VALUE("gex_RMA_PutNBIVal");
    return gex_RMA_PutNBI(team, rank, dest, &value, nbytes, GEX_EVENT_NOW, flags);
}

/* ---- events. Of any thread, one at a time; each is consumed by the call that finds it complete.
 * An invalid one is complete. Test: GASNET_OK or GASNET_ERR_NOT_READY, without a poll. Wait polls.
 */

ISTHMUS_GASNET_INLINE int gex_Event_Test(gex_Event_t event) {
    return event == GEX_EVENT_INVALID ? GASNET_OK : isthmus_gasnet_try_handle(event);
}
ISTHMUS_GASNET_INLINE void gex_Event_Wait(gex_Event_t event) {
    if (event != GEX_EVENT_INVALID) isthmus_gasnet_wait_handle(event);
}
/* Of arrays, in which those that are complete become GEX_EVENT_INVALID. Some: at least one of the
 * valid ones; none is valid: at once. */
int gex_Event_TestSome(gex_Event_t* events, size_t count, gex_Flags_t flags);
int gex_Event_TestAll(gex_Event_t* events, size_t count, gex_Flags_t flags);
void gex_Event_WaitSome(gex_Event_t* events, size_t count, gex_Flags_t flags);
void gex_Event_WaitAll(gex_Event_t* events, size_t count, gex_Flags_t flags);
/* Local completion of an operation or an access region that has this event and was started with
 * GEX_FLAG_ENABLE_LEAF_LC: complete when the event is, at the latest. */
gex_Event_t gex_Event_QueryLeaf(gex_Event_t root, gex_EC_t category);

/* ---- operations without an event, of this thread, outside of access regions */

int gex_NBI_Test(gex_EC_t mask, gex_Flags_t flags);
void gex_NBI_Wait(gex_EC_t mask, gex_Flags_t flags);
/* Those between the two belong to the event. Not nested. */
void gex_NBI_BeginAccessRegion(gex_Flags_t flags);
gex_Event_t gex_NBI_EndAccessRegion(gex_Flags_t flags);

#include <isthmus/warnings_back.inc>
#ifdef __cplusplus
}
#endif
#endif
