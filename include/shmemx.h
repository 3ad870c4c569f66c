/* Extensions to OpenSHMEM (section 5 of the standard wants them in this header): message queues and
 * the aggregation of small messages, as asked for in issue 483 of the specification. They are the
 * queues and the aggregator of isthmus.h in OpenSHMEM's manner: symmetric, and addressed by PE.
 *
 * Results are isthmus_status (isthmus/status.h): 0 is success; isthmus_error_text() says why not.
 * Nothing has moved then. Called before shmem_init or after shmem_finalize, they end the job with a
 * message; what is not destroyed by then cannot be used in a later session either. A push, which is
 * inlined, asks for an aggregation that was made. All of it works between hosts as within one; what
 * that costs is in docs/transport.md. There are no pshmemx_ names. */
#ifndef ISTHMUS_SHMEMX_H
#define ISTHMUS_SHMEMX_H

/* long long, complex types and variadic macros are extensions of C89 and C++98. */
#if defined(__cplusplus) ? __cplusplus < 201103L \
                         : !defined(__STDC_VERSION__) || __STDC_VERSION__ < 199901L
#pragma GCC system_header
#endif

#include <isthmus/aggregator.h>
#include <isthmus/casts.h>
#include <isthmus/status.h>
#include <shmem.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Queues: every PE has a ring of framed messages; any PE appends to any PE's.
 *
 * Messages are of any size up to a limit, never split, never interleaved, in order per producer. A
 * full ring holds its producers back. An object is used by one thread at a time. Order against
 * other operations: what this PE has put to `pe` and completed with shmem_fence or shmem_quiet
 * before it enqueues there is visible to whoever dequeues the message. */

typedef struct shmemx_queue* shmemx_queue_t;
#define SHMEMX_QUEUE_INVALID ISTHMUS_NULL(shmemx_queue_t)

/* Collective over all PEs, with the same capacity. A ring of at least `capacity` bytes (rounded up
 * to a power of two, 4096 at least) in each PE's symmetric heap. TOO_LARGE above 1 GiB; NO_MEMORY:
 * raise SHMEM_SYMMETRIC_SIZE. */
int shmemx_queue_create(size_t capacity, shmemx_queue_t* queue);

/* Collective. Messages not yet dequeued here are lost, and counted in *lost if it is not null. */
int shmemx_queue_destroy(shmemx_queue_t queue, size_t* lost);

/* Largest message, in bytes: half the ring less one frame. */
size_t shmemx_queue_limit(shmemx_queue_t queue);

/* Appends a message of `size` bytes to PE `pe`'s ring; the buffer may be reused on return. Waits
 * for room. Size 0 is a message. ARGUMENT: no such PE; TOO_LARGE: says the limit; CLOSED. */
int shmemx_queue_enqueue(shmemx_queue_t queue, const void* message, size_t size, int pe);
/* AGAIN instead of waiting. A loop of it should give way (sched_yield): with more PEs than cores it
 * keeps the core from the consumer that would make room. */
int shmemx_queue_try_enqueue(shmemx_queue_t queue, const void* message, size_t size, int pe);

/* The oldest message of this PE's ring, in place: *message points to *size bytes, aligned to 8,
 * which stay until they are released. Waits for one. CLOSED: closed, and nothing left. Several may
 * be taken before they are released, in order. */
int shmemx_queue_dequeue(shmemx_queue_t queue, const void** message, size_t* size);
/* AGAIN instead of waiting. */
int shmemx_queue_try_dequeue(shmemx_queue_t queue, const void** message, size_t* size);
/* Gives the oldest dequeued message's room back to the producers. ARGUMENT: none is taken. */
int shmemx_queue_release(shmemx_queue_t queue);

/* No more messages for PE `pe`: later ones return CLOSED, waiting producers and a waiting consumer
 * return. What is in the ring can still be dequeued. ARGUMENT: no such PE. */
int shmemx_queue_close(shmemx_queue_t queue, int pe);

/* ---- Aggregation: many small items to many PEs, gathered into messages, handed to a function at
 * the target. Belongs to the thread that made it; a thread's aggregations make progress together.
 */

typedef isthmus_aggregator* shmemx_aggregate_t;
#define SHMEMX_AGGREGATE_INVALID ISTHMUS_NULL(shmemx_aggregate_t)

/* Called at the target by its own thread, inside one of the functions below, with `count` items
 * that are gone when it returns. It may push and flush; it must not call create, destroy,
 * progress or finish (ARGUMENT). */
typedef isthmus_handler shmemx_handler_t;

/* Collective over all PEs, with the same `item_size`, 1 to 256 bytes. `buffer`: bytes gathered for
 * each PE before they are sent; 0: the library's choice. ARGUMENT; NO_MEMORY: raise
 * SHMEM_SYMMETRIC_SIZE or lower ISTHMUS_AGGREGATOR_RING. */
int shmemx_aggregate_create(size_t item_size, size_t buffer, shmemx_handler_t handler,
                            void* argument, shmemx_aggregate_t* aggregate);
/* Collective; finishes first. */
int shmemx_aggregate_destroy(shmemx_aggregate_t aggregate);

/* Sends one item to PE `pe`; returns when it is copied. If the target's ring is full, this PE
 * handles what has arrived for it until there is room. ARGUMENT: no such PE. */
static __inline__ int shmemx_aggregate_push(shmemx_aggregate_t aggregate, const void* item,
                                            int pe) {
    return isthmus_aggregator_push(aggregate, pe, item);
}
/* Sends what is gathered. */
int shmemx_aggregate_flush(shmemx_aggregate_t aggregate);
/* Handles what has arrived for all aggregations of this thread; *handled (may be null) says how
 * many items of this one. */
int shmemx_aggregate_progress(shmemx_aggregate_t aggregate, size_t* handled);
/* Collective: returns when every item that any PE pushed, handlers included, has been handled. What
 * is pushed after it is handled after every PE's finish. */
int shmemx_aggregate_finish(shmemx_aggregate_t aggregate);

#ifdef __cplusplus
}
#endif
#endif
