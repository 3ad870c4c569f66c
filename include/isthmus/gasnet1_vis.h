/* Puts and gets of memory that is not in one piece: by lists of pieces (v), by lists of addresses
 * of equal pieces (i), and by strides (s). Part of gasnet.h.
 *
 * Sources and lists stay as they are until the operation is complete, as with the bulk forms of
 * gasnet_put and gasnet_get; they are waited for in the same ways. A shape that is wrong (totals
 * that differ) ends the job with a message. */
#ifndef ISTHMUS_GASNET1_VIS_H
#define ISTHMUS_GASNET1_VIS_H

#ifdef __cplusplus
extern "C" {
#endif

#define ISTHMUS_GASNET_VIS(R, FORM)                                                              \
    /* Both lists have the same number of bytes in all; pieces may be empty. */                  \
    R gasnet_putv_##FORM(gasnet_node_t dstnode, size_t dstcount, gasnet_memvec_t const* dstlist, \
                         size_t srccount, gasnet_memvec_t const* srclist);                       \
    R gasnet_getv_##FORM(size_t dstcount, gasnet_memvec_t const* dstlist, gasnet_node_t srcnode, \
                         size_t srccount, gasnet_memvec_t const* srclist);                       \
    /* dstcount pieces of dstlen bytes each, and srccount of srclen: the same in all. */         \
    R gasnet_puti_##FORM(gasnet_node_t dstnode, size_t dstcount, void* const* dstlist,           \
                         size_t dstlen, size_t srccount, void* const* srclist, size_t srclen);   \
    R gasnet_geti_##FORM(size_t dstcount, void* const* dstlist, size_t dstlen,                   \
                         gasnet_node_t srcnode, size_t srccount, void* const* srclist,           \
                         size_t srclen);                                                         \
    /* count[0] bytes, count[i] times with strides[i - 1] bytes between their beginnings. */     \
    R gasnet_puts_##FORM(gasnet_node_t dstnode, void* dstaddr, const size_t* dststrides,         \
                         void* srcaddr, const size_t* srcstrides, const size_t* count,           \
                         size_t stridelevels);                                                   \
    R gasnet_gets_##FORM(void* dstaddr, const size_t* dststrides, gasnet_node_t srcnode,         \
                         void* srcaddr, const size_t* srcstrides, const size_t* count,           \
                         size_t stridelevels);
ISTHMUS_GASNET_VIS(void, bulk)
ISTHMUS_GASNET_VIS(gasnet_handle_t, nb_bulk)
ISTHMUS_GASNET_VIS(void, nbi_bulk)
#undef ISTHMUS_GASNET_VIS

#ifdef __cplusplus
}
#endif
#endif
