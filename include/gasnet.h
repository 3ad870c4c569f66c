/* GASNet-1, specification 1.8, on Isthmus: the core and the extended API. docs/gasnet.md has what
 * holds beyond the specification, and what does not; the terms are the specification's. Modes,
 * services and barriers, which GASNet-EX has as well, are in gasnetex.h.
 *
 * The segments are blocks of the symmetric heap, at equal addresses. Puts and gets to PEs of this
 * host are inlined stores and loads. Handlers run inside calls that poll, never on a thread of the
 * library's. */
#ifndef ISTHMUS_GASNET_H
#define ISTHMUS_GASNET_H
#define _GASNET_H

#include <gasnetex.h>

#include <gasnet_tools.h>

#define SIZEOF_GASNET_REGISTER_VALUE_T 8

#ifdef __cplusplus
extern "C" {
#endif

/* ---- types */

typedef uint8_t gasnet_handler_t;
typedef int32_t gasnet_handlerarg_t;
typedef void* gasnet_token_t;
typedef uint32_t gasnet_image_t;
typedef uintptr_t gasnet_register_value_t;
/* An event of GASNet-EX; all zero bytes are GASNET_INVALID_HANDLE. */
typedef gex_Event_t gasnet_handle_t;
#define GASNET_INVALID_HANDLE ISTHMUS_NULL(gasnet_handle_t)
typedef struct {
    gasnet_register_value_t value;
    gasnet_handle_t under_way;
} gasnet_valget_handle_t;

#ifdef GASNET_USE_STRICT_PROTOTYPES
typedef void* isthmus_gasnet_handler;
#elif defined(__cplusplus)
typedef void (*isthmus_gasnet_handler)();
#else
#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wstrict-prototypes"
#endif
typedef void (*isthmus_gasnet_handler)();
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif
#endif
typedef struct {
    gasnet_handler_t index; /* 128 to 255; 0: gasnet_attach chooses and writes it here */
    isthmus_gasnet_handler fnptr;
} gasnet_handlerentry_t;
typedef struct {
    void* addr;
    size_t len;
} gasnet_memvec_t;

/* ---- job control */

/* The first call, once. Collective. Errors: NOT_INIT: called again. */
#define gasnet_init(argc, argv) \
    ISTHMUS_GASNET_WITH_MODE(isthmus_gasnet_init(argc, argv, ISTHMUS_GASNET_MODE))
int isthmus_gasnet_init(int* argc, char*** argv, int mode);

/* Registers the handlers and makes the segments, once; behind it all PEs may be reached.
 * Collective. `segsize` may differ between PEs; `minheapoffset` means nothing here. Errors:
 * BAD_ARG: an index that is given twice or outside of 128..255, a null handler, a size that is no
 * multiple of the page size or too large; NOT_INIT: before gasnet_init, or called again;
 * RESOURCE: the heap has no room for it any more. */
int gasnet_attach(gasnet_handlerentry_t* table, int numentries, uintptr_t segsize,
                  uintptr_t minheapoffset);

static __inline__ gasnet_node_t gasnet_mynode(void) {
    return isthmus_window_me;
}
gasnet_node_t gasnet_nodes(void);

/* The objects of GASNet-EX that this face works on; any may be null. The segment is
 * GEX_SEGMENT_INVALID before gasnet_attach. */
void gasnet_QueryGexObjects(gex_Client_t* client, gex_EP_t* endpoint, gex_TM_t* team,
                            gex_Segment_t* segment);

/* ---- active messages: the names by number of arguments are in gasnet_messages.h */

size_t gasnet_AMMaxArgs(void);
size_t gasnet_AMMaxMedium(void);
size_t gasnet_AMMaxLongRequest(void);
size_t gasnet_AMMaxLongReply(void);
/* Of a handler's own token. */
int gasnet_AMGetMsgSource(gasnet_token_t token, gasnet_node_t* source);

/* ---- no-interrupt sections: handlers never interrupt */

#define gasnet_hold_interrupts()   ((void)0)
#define gasnet_resume_interrupts() ((void)0)

#ifdef __cplusplus
}
#endif

#include <isthmus/casts.h>
#include <isthmus/gasnet_messages.h>
#include <isthmus/gasnet_transfer.h>

#include <isthmus/gasnet1_coll.h>
#include <isthmus/gasnet1_vis.h>

#endif
