/* The aggregator: many tiny messages to many PEs, gathered into buffers and handed to a handler at
 * the target. For histogram, index-gather, and other irregular programs (OpenSHMEM specification,
 * issue 483). */
#ifndef ISTHMUS_AGGREGATOR_H
#define ISTHMUS_AGGREGATOR_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#include <isthmus/warnings_away.inc>

/* The visible part is what an inlined push needs; the library's own part lies behind it. */
struct isthmus_aggregator_lane {
    char* next; /* where the next item for this PE goes; equal to end: no room */
    char* end;
};
typedef struct isthmus_aggregator {
    struct isthmus_aggregator_lane* lanes; /* one a PE */
    size_t item_size;
    uint64_t pushed; /* items, by this PE */
    uint32_t pes;
} isthmus_aggregator;

/* Called at the target, by its own thread, inside one of the functions below; `items` are `count`
 * items of the aggregator's size, gone when the handler returns. It may push, to any PE and to
 * any aggregator of its thread, and flush; it must not call create, destroy, progress or finish
 * (ISTHMUS_ARGUMENT). */
typedef void (*isthmus_handler)(void* argument, int source_pe, const void* items, size_t count);

/* Collective over all PEs, like destroy and finish; one thread of a PE at a time may be in a
 * collective (isthmus.h). The aggregator belongs to the calling thread. All aggregators of a
 * thread make progress together, so a handler of one may push replies to another. `item_size` 1 to
 * 256 bytes, alike everywhere. `buffer` bytes gathered for each target before they are sent, at
 * most a quarter of a ring (ISTHMUS_AGGREGATOR_RING); 0 lets the library choose: 4 KiB for PEs of
 * this host, 16 KiB for those of others. Errors: ARGUMENT: a null handler, no such item size, or a
 * handler is running; NO_MEMORY: the rings, one for each PE, have no room in the symmetric heap:
 * lower ISTHMUS_AGGREGATOR_RING or raise SHMEM_SYMMETRIC_SIZE. Item sizes or rings that are not
 * alike at all PEs end the job with a message, and so does a null handler at some of them. */
int isthmus_aggregator_create(isthmus_aggregator** aggregator, size_t item_size, size_t buffer,
                              isthmus_handler handler, void* argument);
/* Collective; everything pushed has been handled. Null: nothing happens. ARGUMENT: a handler is
 * running. */
int isthmus_aggregator_destroy(isthmus_aggregator* aggregator);

int isthmus_aggregator_push_slow(isthmus_aggregator* aggregator, int pe, const void* item);

/* Sends one item. Items of one PE to one target are handled in order. Returns when it is copied. If
 * the target's ring is full, this PE handles what has arrived for it until there is room: that is
 * the flow control. Inside a handler it never waits: what finds no room is kept aside in this PE's
 * own memory, which grows with what handlers push. ARGUMENT: no such PE. */
static __inline__ int isthmus_aggregator_push(isthmus_aggregator* aggregator, int pe,
                                              const void* item) {
    const size_t size = aggregator->item_size;
    const void* from = item;
    struct isthmus_aggregator_lane* lane;
    if ((uint32_t)pe >= aggregator->pes) return isthmus_aggregator_push_slow(aggregator, pe, item);
    lane = &aggregator->lanes[pe];
    if (__builtin_expect(lane->next == lane->end, 0))
        return isthmus_aggregator_push_slow(aggregator, pe, item);
    __asm__("" : "+r"(from)); /* or compilers warn of the sizes that this item does not have */
    if (size == 8)
        __builtin_memcpy(lane->next, from, 8);
    else if (size == 16)
        __builtin_memcpy(lane->next, from, 16);
    else
        __builtin_memcpy(lane->next, from, size);
    lane->next += size;
    ++aggregator->pushed;
    return 0;
}

/* Sends what is gathered, without waiting for the buffers to fill. Runs no handlers. What handlers
 * have set aside is sent as far as there is room. */
int isthmus_aggregator_flush(isthmus_aggregator* aggregator);
/* Runs handlers of what has arrived, for all aggregators of this thread, and sends what handlers
 * set aside as far as there is room; never waits. What handlers push to this PE meanwhile is for
 * the next call. *handled (may be null) says how many items of this aggregator were handled.
 * ARGUMENT: a handler is running. */
int isthmus_aggregator_progress(isthmus_aggregator* aggregator, size_t* handled);
/* Collective: flushes, and returns when every item that any PE pushed before its finish, and what
 * handlers of these pushed on, has been handled. What a PE pushes after its finish is handled after
 * the finish of every PE, never in it. The aggregator can then be used again. Serves all
 * aggregators of this thread meanwhile, but flushes this one only: where handlers of one push to
 * another, finish the one that is pushed from first. What a handler of another aggregator pushes
 * here while all come to finish may be left for the next finish. Where handlers push in a cycle (of
 * one to another's and of that to the first's) no order of finishing is right for both, and nothing
 * finds that out: finish again, all PEs alike, until what the program counts itself, summed over
 * all PEs, shows that nothing more comes; or let one aggregator carry both kinds of item. Handlers
 * of one aggregator that push to the same one are no such cycle: its finish waits for them.
 * ARGUMENT: a handler is running. */
int isthmus_aggregator_finish(isthmus_aggregator* aggregator);

#include <isthmus/warnings_back.inc>
#ifdef __cplusplus
}
#endif
#endif
