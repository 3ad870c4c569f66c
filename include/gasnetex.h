/* GASNet-EX, specification 0.19, on Isthmus. docs/gasnet.md has what holds beyond the
 * specification, and what does not; the terms are the specification's. gasnet.h offers GASNet-1
 * above it, on the same objects; both may be used in one program.
 *
 * Before this header a program defines one of GASNET_SEQ (one thread calls), GASNET_PARSYNC (one
 * at a time) and GASNET_PAR (any), and is linked with the library of the same mode: an object of
 * another mode is refused by the linker (undefined reference to isthmus_gasnet_mode_is_...).
 *
 * The segments are blocks of the symmetric heap, at equal addresses. Puts and gets to PEs of this
 * host are inlined stores and loads. Handlers run inside calls that poll, never on a thread of the
 * library's. */
#ifndef ISTHMUS_GASNETEX_H
#define ISTHMUS_GASNETEX_H
#define _GASNETEX_H

#ifdef GASNETT_LITE_MODE
#error "GASNETT_LITE_MODE is for programs without gasnetex.h"
#endif

/* Clients rely on these. */
#include <alloca.h>
#include <inttypes.h>
#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <isthmus/casts.h>
#include <isthmus/gasnet_mode.h>
#include <isthmus/window.h>

#include <gasnet_fwd.h>
#include <isthmus/gasnet_conduit.h>

/* ---- configuration */

#if defined(GASNET_SEGMENT_EVERYTHING) || defined(GASNET_SEGMENT_LARGE)
#error "Isthmus offers GASNET_SEGMENT_FAST alone: memory outside of the segment is not remote"
#endif
#undef GASNET_SEGMENT_FAST
#define GASNET_SEGMENT_FAST     1
#define GASNET_ALIGNED_SEGMENTS 1
#define GASNET_PSHM             1
#define GASNET_NULL_ARGV_OK     1
#define GASNET_PAGESIZE         4096
#define GASNET_MAXNODES         0x7fffffff

#ifdef __cplusplus
extern "C" {
#endif

/* ---- types that GASNet-1 has as well */

typedef gex_Rank_t gasnet_node_t;
typedef void* gasnet_threadinfo_t;
typedef struct {
    void* addr;
    uintptr_t size;
} gasnet_seginfo_t;
typedef struct {
    gasnet_node_t host;
    gasnet_node_t supernode;
    uintptr_t offset; /* added to a PE's address it gives where that is mapped here */
} gasnet_nodeinfo_t;

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

/* ---- services, of both faces */

/* The largest segment that this PE may ask for, a multiple of the page size: what the symmetric
 * heap (SHMEM_SYMMETRIC_SIZE) has in one piece, or GASNET_MAX_SEGSIZE if that is less. That may say
 * something else on another host. The least of all PEs is the same everywhere. */
uintptr_t gasnet_getMaxLocalSegmentSize(void);
uintptr_t gasnet_getMaxGlobalSegmentSize(void);

/* Ends the job with this code, from any thread and within handlers, whether the other PEs call it
 * or not. Those that call it soon write their output first. */
void gasnet_exit(int exitcode) __attribute__((__noreturn__));

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

/* Runs handlers of what has come. GASNET_OK. */
int gasnet_AMPoll(void);

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

/* ---- handler-safe locks. In SEQ nobody else is there. */

typedef struct {
    uint32_t taken; /* the library's */
} gasnet_hsl_t;
typedef gasnet_hsl_t gex_HSL_t;
#define GASNET_HSL_INITIALIZER \
    { 0 }
#define GEX_HSL_INITIALIZER GASNET_HSL_INITIALIZER
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

#define gex_HSL_Init(hsl)    gasnet_hsl_init(hsl)
#define gex_HSL_Destroy(hsl) gasnet_hsl_destroy(hsl)
#define gex_HSL_Lock(hsl)    gasnet_hsl_lock(hsl)
#define gex_HSL_Unlock(hsl)  gasnet_hsl_unlock(hsl)
#define gex_HSL_Trylock(hsl) gasnet_hsl_trylock(hsl)

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
#define GASNET_GET_THREADINFO() ISTHMUS_NULL(gasnet_threadinfo_t)
#define GASNET_POST_THREADINFO(info)

#ifdef __cplusplus
}
#endif

#include <isthmus/gasnet_names.h>
#include <isthmus/gex_messages.h>
#include <isthmus/gex_objects.h>
#include <isthmus/gex_transfer.h>

#endif
