/* GASNet-1, specification 1.8, on Isthmus: the core and the extended API. docs/gasnet.md has what
 * holds beyond the specification, and what does not; the terms are the specification's.
 *
 * Before this header a program defines one of GASNET_SEQ (one thread calls), GASNET_PARSYNC (one
 * at a time) and GASNET_PAR (any), and is linked with the library of the same mode: an object of
 * another mode is refused by the linker (undefined reference to isthmus_gasnet_mode_is_...).
 *
 * The segments are blocks of the symmetric heap, at equal addresses. Puts and gets to PEs of this
 * host are inlined stores and loads. Handlers run inside calls that poll, never on a thread of the
 * library's. */
#ifndef ISTHMUS_GASNET_H
#define ISTHMUS_GASNET_H
#define _GASNET_H

/* Clients rely on these. */
#include <inttypes.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <isthmus/gasnet_mode.h>
#include <isthmus/window.h>

/* ---- identity */

#define GASNET_SPEC_VERSION_MAJOR 1
#define GASNET_SPEC_VERSION_MINOR 8
#define GASNET_VERSION            GASNET_SPEC_VERSION_MAJOR
/* The release of GASNet-1 that clients may take this for. */
#define GASNET_RELEASE_VERSION_MAJOR 1
#define GASNET_RELEASE_VERSION_MINOR 32
#define GASNET_RELEASE_VERSION_PATCH 0
#define GASNET_CONDUIT_ISTHMUS       1
#define GASNET_CONDUIT_NAME          ISTHMUS
#define GASNET_CONDUIT_NAME_STR      "ISTHMUS"
#define GASNET_CORE_NAME             ISTHMUS
#define GASNET_CORE_NAME_STR         "ISTHMUS"
#define GASNET_CORE_VERSION          1.0
#define GASNET_CORE_VERSION_STR      "1.0"
#define GASNET_EXTENDED_NAME         ISTHMUS
#define GASNET_EXTENDED_NAME_STR     "ISTHMUS"
#define GASNET_EXTENDED_VERSION      1.0
#define GASNET_EXTENDED_VERSION_STR  "1.0"
#define GASNET_CONFIG_STRING                               \
    "RELEASE=1.32.0,SPEC=1.8,CONDUIT=ISTHMUS(ISTHMUS-1.0/" \
    "ISTHMUS-1.0),THREADMODEL=" ISTHMUS_GASNET_MODE_STR    \
    ",SEGMENT=FAST,PTR=64bit,align,pshm,nodebug,notrace,nostats"

/* ---- configuration */

#if defined(GASNET_SEGMENT_EVERYTHING) || defined(GASNET_SEGMENT_LARGE)
#error "Isthmus offers GASNET_SEGMENT_FAST alone: memory outside of the segment is not remote"
#endif
#undef GASNET_SEGMENT_FAST
#define GASNET_SEGMENT_FAST            1
#define GASNET_ALIGNED_SEGMENTS        1
#define GASNET_PSHM                    1
#define GASNET_NULL_ARGV_OK            1
#define GASNET_PAGESIZE                4096
#define GASNET_MAXNODES                0x7fffffff
#define SIZEOF_GASNET_REGISTER_VALUE_T 8

#ifdef __cplusplus
extern "C" {
#endif

/* ---- types */

typedef uint32_t gasnet_node_t;
typedef uint8_t gasnet_handler_t;
typedef int32_t gasnet_handlerarg_t;
typedef void* gasnet_token_t;
typedef uint32_t gasnet_image_t;
typedef uintptr_t gasnet_register_value_t;
typedef void* gasnet_threadinfo_t;
/* Of the thread that got it; all zero bytes are GASNET_INVALID_HANDLE. */
typedef struct isthmus_gasnet_operation* gasnet_handle_t;
#define GASNET_INVALID_HANDLE ((gasnet_handle_t)0)
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
    uintptr_t size;
} gasnet_seginfo_t;
typedef struct {
    gasnet_node_t host;
    gasnet_node_t supernode;
    uintptr_t offset; /* added to a PE's address it gives where that is mapped here */
} gasnet_nodeinfo_t;
typedef struct {
    void* addr;
    size_t len;
} gasnet_memvec_t;

/* ---- errors */

#define GASNET_OK                   0
#define GASNET_ERR_NOT_INIT         10001
#define GASNET_ERR_RESOURCE         10002
#define GASNET_ERR_BAD_ARG          10003
#define GASNET_ERR_NOT_READY        10004
#define GASNET_ERR_BARRIER_MISMATCH 10005
/* "GASNET_ERR_BAD_ARG", and a sentence. */
const char* gasnet_ErrorName(int error);
const char* gasnet_ErrorDesc(int error);

/* ---- job control */

/* The first call, once. Collective. Errors: NOT_INIT: called again. */
#define gasnet_init(argc, argv) ISTHMUS_GASNET_INIT(argc, argv)
int isthmus_gasnet_init(int* argc, char*** argv, int mode);

/* The largest segment that gasnet_attach may be asked for, a multiple of the page size: what the
 * symmetric heap (SHMEM_SYMMETRIC_SIZE) has in one piece, or GASNET_MAX_SEGSIZE if that is less.
 * Equal everywhere, so both are the same. */
uintptr_t gasnet_getMaxLocalSegmentSize(void);
uintptr_t gasnet_getMaxGlobalSegmentSize(void);

/* Registers the handlers and makes the segments, once; behind it all PEs may be reached.
 * Collective. `segsize` may differ between PEs; `minheapoffset` means nothing here. Errors:
 * BAD_ARG: an index that is given twice or outside of 128..255, a null handler, a size that is no
 * multiple of the page size or too large; NOT_INIT: before gasnet_init, or called again;
 * RESOURCE: the heap has no room for it any more. */
int gasnet_attach(gasnet_handlerentry_t* table, int numentries, uintptr_t segsize,
                  uintptr_t minheapoffset);

/* Ends the job with this code, from any thread and within handlers, whether the other PEs call it
 * or not. Those that call it soon write their output first. */
void gasnet_exit(int exitcode) __attribute__((__noreturn__));

static __inline__ gasnet_node_t gasnet_mynode(void) {
    return isthmus_window_me;
}
gasnet_node_t gasnet_nodes(void);
/* Up to `numentries`, by PE. Not collective. */
int gasnet_getSegmentInfo(gasnet_seginfo_t* table, int numentries);
int gasnet_getNodeInfo(gasnet_nodeinfo_t* table, int numentries);
/* Of the environment of PE 0, which is where the job was started. */
char* gasnet_getenv(const char* name);
#define GASNET_WAIT_SPIN      0
#define GASNET_WAIT_BLOCK     1
#define GASNET_WAIT_SPINBLOCK 2
/* A hint that nothing depends on: waits poll, then give way, then sleep (ISTHMUS_SPIN). */
int gasnet_set_waitmode(int mode);
/* If set, called within gasnet_attach with this PE's segment. */
extern void (*gasnet_client_attach_hook)(void* base, uintptr_t size);

/* ---- active messages: the names by number of arguments are in gasnet_messages.h */

size_t gasnet_AMMaxArgs(void);
size_t gasnet_AMMaxMedium(void);
size_t gasnet_AMMaxLongRequest(void);
size_t gasnet_AMMaxLongReply(void);
/* Runs handlers of what has come. GASNET_OK. */
int gasnet_AMPoll(void);
/* Of a handler's own token. */
int gasnet_AMGetMsgSource(gasnet_token_t token, gasnet_node_t* source);

/* Polls until the condition is true, which handlers make so. A long wait sleeps; messages wake
 * it. */
#define GASNET_BLOCKUNTIL(cond)                          \
    do {                                                 \
        if (!(cond)) {                                   \
            struct isthmus_gasnet_wait isthmus_wait;     \
            isthmus_gasnet_wait_begin(&isthmus_wait);    \
            do {                                         \
                isthmus_gasnet_wait_step(&isthmus_wait); \
            } while (!(cond));                           \
            isthmus_gasnet_wait_end(&isthmus_wait);      \
        }                                                \
        __atomic_thread_fence(__ATOMIC_ACQUIRE);         \
    } while (0)
struct isthmus_gasnet_wait {
    uint64_t state[32]; /* the library's */
};
void isthmus_gasnet_wait_begin(struct isthmus_gasnet_wait* wait);
void isthmus_gasnet_wait_step(struct isthmus_gasnet_wait* wait);
void isthmus_gasnet_wait_end(struct isthmus_gasnet_wait* wait);

/* ---- no-interrupt sections: handlers never interrupt */

#define gasnet_hold_interrupts()   ((void)0)
#define gasnet_resume_interrupts() ((void)0)

/* ---- handler-safe locks. In SEQ nobody else is there. */

typedef struct {
    uint32_t taken; /* the library's */
} gasnet_hsl_t;
#define GASNET_HSL_INITIALIZER \
    { 0 }
#if GASNET_SEQ
#define gasnet_hsl_init(hsl)    ((void)((hsl)->taken = 0))
#define gasnet_hsl_destroy(hsl) ((void)(hsl))
#define gasnet_hsl_lock(hsl)    ((void)(hsl))
#define gasnet_hsl_unlock(hsl)  ((void)(hsl))
#define gasnet_hsl_trylock(hsl) ((void)(hsl), GASNET_OK)
#else
void gasnet_hsl_init(gasnet_hsl_t* hsl);
void gasnet_hsl_destroy(gasnet_hsl_t* hsl);
void gasnet_hsl_lock(gasnet_hsl_t* hsl);
void gasnet_hsl_unlock(gasnet_hsl_t* hsl);
/* GASNET_OK or GASNET_ERR_NOT_READY. */
int gasnet_hsl_trylock(gasnet_hsl_t* hsl);
#endif

/* ---- barriers */

#define GASNET_BARRIERFLAG_ANONYMOUS 1
#define GASNET_BARRIERFLAG_MISMATCH  2
#define GASNET_BARRIERFLAG_IMAGES    4
#define GASNET_BARRIERFLAG_UNNAMED   9
/* Ends the job if this PE has not waited for its last one. */
void gasnet_barrier_notify(int id, int flags);
/* OK, BARRIER_MISMATCH, and try: NOT_READY. What comes is handled meanwhile. */
int gasnet_barrier_wait(int id, int flags);
int gasnet_barrier_try(int id, int flags);
int gasnet_barrier(int id, int flags);
/* Of the last barrier that this PE has come out of: not 0 if it had no name; else that in *id. */
int gasnet_barrier_result(int* id);

/* ---- threads: nothing to keep */

#define GASNET_BEGIN_FUNCTION()
#define GASNET_GET_THREADINFO() ((gasnet_threadinfo_t)0)
#define GASNET_POST_THREADINFO(info)

#ifdef __cplusplus
}
#endif

#include <isthmus/gasnet_messages.h>
#include <isthmus/gasnet_transfer.h>

#include <gasnet_coll.h>
#include <gasnet_vis.h>

#include <isthmus/gasnet_names.h>

#endif
