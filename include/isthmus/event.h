/* Events: a condition {address, comparison, value}, true or false. What completions set and waiters
 * watch. AOS paper, section 5.2. */
#ifndef ISTHMUS_EVENT_H
#define ISTHMUS_EVENT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#include <isthmus/warnings_away.inc>

typedef enum isthmus_condition {
    ISTHMUS_EQ = 0,
    ISTHMUS_NE,
    ISTHMUS_GT,
    ISTHMUS_GE,
    ISTHMUS_LT,
    ISTHMUS_LE
} isthmus_condition;

/* Plain memory of the caller; copied and overwritten freely, nothing to free. Fields are written by
 * the library: every condition is a range of values, so that testing one is a subtraction and a
 * comparison. Every event watches a word; that of a completed operation is always true. So zeroed
 * memory is no event: begin with ISTHMUS_EVENT_TRUE, or let an operation or arm write it. */
typedef struct isthmus_event {
    const int64_t* address; /* never null */
    int64_t first;          /* true if the word less this, */
    uint64_t span;          /* unsigned, is not above this */
    const int32_t* narrow;  /* not null: the watched word is this one, of 4 bytes */
} isthmus_event;

/* 0, which an event that is true watches, and what meets no condition of 4 bytes. */
extern __attribute__((visibility("default"))) const int64_t isthmus_event_words[2];
#define ISTHMUS_EVENT_TRUE \
    { isthmus_event_words, 0, 0, NULL }

/* What the event of an operation becomes that is complete when it returns. The library's; read by
 * what is inlined. */
extern __attribute__((visibility("default"))) isthmus_event isthmus_event_issued;
/* Its span, always: gets under way have numbers, and the word that it watches is at most some
 * hundreds behind `first`, or not behind. */
#define ISTHMUS_EVENT_ISSUED_SPAN (~(uint64_t)0x7fffffff)

/* Makes `event` the condition "*address <condition> value" on a word of this PE's memory, signed.
 * Level-triggered: the event is true whenever it is asked while the condition holds. The word must
 * live as long as the event is used and be naturally aligned. Other PEs may write it in any way.
 * A waiter that sleeps is woken at once by
 *   - every put, of whatever shape, and every atomic that may write, to a segment: isthmus_put*,
 *     poke, post*, fetch*, swap, compare_swap, fetchclear, also to a default segment;
 *   - isthmus_symmetric_put;
 *   - on queues: enqueue, try_enqueue, enqueue_commit, dequeue_release(_message) if producers wait,
 * close, destroy by the owner; what an aggregator sends; the same of shmemx.h. Nothing else wakes
 * it: not OpenSHMEM's routines, nor stores by address, nor C++'s assignments through global_ptr and
 * shared_array and its global_atomic. It notices those within ISTHMUS_WAKE_MILLISECONDS. Whatever
 * comes from another host wakes it when it has come (docs/transport.md says how soon). ARGUMENT:
 * no such condition; a null or misaligned address. */
int isthmus_event_arm(isthmus_event* event, const int64_t* address, isthmus_condition condition,
                      int64_t value);
int isthmus_event_arm32(isthmus_event* event, const int32_t* address, isthmus_condition condition,
                        int32_t value);

__attribute__((cold)) int isthmus_event_test_slow(const isthmus_event* event);

/* 1 if the event is true, else 0. Acquire: what the operation brought is then visible.
 * Budget: 6 instructions, the wait below too, when the event is true. Wait-free. */
static __inline__ int isthmus_event_test(const isthmus_event* event) {
    const uint64_t word = (uint64_t)__atomic_load_n(event->address, __ATOMIC_ACQUIRE);
    if (word - (uint64_t)event->first <= event->span) return 1;
    if (event->narrow) return isthmus_event_test_slow(event);
    return 0;
}

/* `timeout` in seconds; negative: for ever. Polls, then yields, then sleeps (after
 * ISTHMUS_SLEEP_MILLISECONDS), so that a long wait costs no processor time.
 * ISTHMUS_OK or ISTHMUS_TIMEOUT. */
int isthmus_event_wait_slow(const isthmus_event* event, double timeout);
static __inline__ int isthmus_event_wait_for(const isthmus_event* event, double timeout) {
    return isthmus_event_test(event) ? 0 : isthmus_event_wait_slow(event, timeout);
}
static __inline__ int isthmus_event_wait(const isthmus_event* event) {
    return isthmus_event_wait_for(event, -1.0);
}

/* All of `count` events. */
int isthmus_event_wait_all(const isthmus_event* events, size_t count, double timeout);
/* Any of them; its index in *index. With count 0: ISTHMUS_ARGUMENT. Searches from where the last
 * success left off is not done: the lowest true index wins. */
int isthmus_event_wait_any(const isthmus_event* events, size_t count, size_t* index,
                           double timeout);

#include <isthmus/warnings_back.inc>
#ifdef __cplusplus
}
#endif
#endif
