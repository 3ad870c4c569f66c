/* Puts and gets of GASNet-EX of memory that is not in one piece: by lists of pieces, by lists of
 * addresses of equal pieces, and by strides. Behind gasnetex.h; those of GASNet-1 come with
 * gasnet.h.
 *
 * Sources, and lists of pieces and addresses, stay as they are until the operation is complete;
 * strides and counts are read before the call returns. A shape that is wrong (totals that differ)
 * ends the job with a message. */
#ifndef ISTHMUS_GASNET_VIS_H
#define ISTHMUS_GASNET_VIS_H

#include <gasnetex.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ISTHMUS_GEX_VIS(R, FORM)                                                                 \
    /* Both lists have the same number of bytes in all; pieces may be empty. */                  \
    R gex_VIS_VectorPut##FORM(gex_TM_t team, gex_Rank_t dstrank, size_t dstcount,                \
                              gex_Memvec_t const* dstlist, size_t srccount,                      \
                              gex_Memvec_t const* srclist, gex_Flags_t flags);                   \
    R gex_VIS_VectorGet##FORM(gex_TM_t team, size_t dstcount, gex_Memvec_t const* dstlist,       \
                              gex_Rank_t srcrank, size_t srccount, gex_Memvec_t const* srclist,  \
                              gex_Flags_t flags);                                                \
    /* dstcount pieces of dstlen bytes each, and srccount of srclen: the same in all. */         \
    R gex_VIS_IndexedPut##FORM(gex_TM_t team, gex_Rank_t dstrank, size_t dstcount,               \
                               void* const* dstlist, size_t dstlen, size_t srccount,             \
                               void* const* srclist, size_t srclen, gex_Flags_t flags);          \
    R gex_VIS_IndexedGet##FORM(gex_TM_t team, size_t dstcount, void* const* dstlist,             \
                               size_t dstlen, gex_Rank_t srcrank, size_t srccount,               \
                               void* const* srclist, size_t srclen, gex_Flags_t flags);          \
    /* elemsz bytes, count[i] times with strides[i] bytes between their beginnings, which may be \
     * negative and in any order. */                                                             \
    R gex_VIS_StridedPut##FORM(gex_TM_t team, gex_Rank_t dstrank, void* dstaddr,                 \
                               const ptrdiff_t* dststrides, void* srcaddr,                       \
                               const ptrdiff_t* srcstrides, size_t elemsz, const size_t* count,  \
                               size_t levels, gex_Flags_t flags);                                \
    R gex_VIS_StridedGet##FORM(gex_TM_t team, void* dstaddr, const ptrdiff_t* dststrides,        \
                               gex_Rank_t srcrank, void* srcaddr, const ptrdiff_t* srcstrides,   \
                               size_t elemsz, const size_t* count, size_t levels,                \
                               gex_Flags_t flags);
ISTHMUS_GEX_VIS(gex_Event_t, NB)
ISTHMUS_GEX_VIS(int, NBI)
ISTHMUS_GEX_VIS(int, Blocking)
#undef ISTHMUS_GEX_VIS

/* The next call above of this thread runs a handler of medium replies without arguments at the
 * other process, with this payload, when its data are there. */
#define GEX_VIS_MAX_PEERCOMPLETION 127
void gex_VIS_SetPeerCompletionHandler(gex_AM_Index_t handler, const void* source, size_t nbytes,
                                      gex_Flags_t flags);

#ifdef __cplusplus
}
#endif
#endif
