/* Collectives of GASNet-EX. Behind gasnetex.h; those of GASNet-1 come with gasnet.h.
 *
 * Every member of the team makes the same calls in the same order; any number may be under way,
 * and become complete in any order. They make progress in every call that polls, and functions of
 * the client's run there. Not from handlers. Memory may be any, of any alignment, and is in use
 * until the event is complete. A member that awaits nothing must poll all the same, for others. */
#ifndef ISTHMUS_GASNET_COLL_H
#define ISTHMUS_GASNET_COLL_H

/* Variadic macros and empty arguments of macros are extensions of C++98. */
#if defined(__cplusplus) && __cplusplus < 201103L
#pragma GCC system_header
#endif

#include <gasnetex.h>

#ifdef __cplusplus
extern "C" {
#endif

/* gex_Coll_BarrierNB is gasnetex.h's. */
void gex_Coll_BarrierBlocking(gex_TM_t team, gex_Flags_t flags);
/* From the root's src to everybody's dst. At the root they may be the same. */
gex_Event_t gex_Coll_BroadcastNB(gex_TM_t team, gex_Rank_t root, void* dst, const void* src,
                                 size_t nbytes, gex_Flags_t flags);
/* Everybody's `count` elements of `dt`, each of `dt_size` bytes, combined in the order of ranks by
 * an operation or, GEX_OP_USER and GEX_OP_USER_NC, by a function; to the root's dst. dst may be
 * src. */
gex_Event_t gex_Coll_ReduceToOneNB(gex_TM_t team, gex_Rank_t root, void* dst, const void* src,
                                   gex_DT_t dt, size_t dt_size, size_t count, gex_OP_t op,
                                   gex_Coll_ReduceFn_t function, void* cdata, gex_Flags_t flags);
/* The same to everybody's dst. dst is src at all members or at none. */
gex_Event_t gex_Coll_ReduceToAllNB(gex_TM_t team, void* dst, const void* src, gex_DT_t dt,
                                   size_t dt_size, size_t count, gex_OP_t op,
                                   gex_Coll_ReduceFn_t function, void* cdata, gex_Flags_t flags);

#ifdef __cplusplus
}
#endif
#endif
