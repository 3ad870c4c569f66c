/* Events: a condition {address, comparison, value}, true or false. What completions set and waiters
 * watch. AOS paper, section 5.2. */
#ifndef ISTHMUS_EVENT_H
#define ISTHMUS_EVENT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum isthmus_condition {
    ISTHMUS_EQ = 0,
    ISTHMUS_NE,
    ISTHMUS_GT,
    ISTHMUS_GE,
    ISTHMUS_LT,
    ISTHMUS_LE
} isthmus_condition;

/* Plain memory of the caller; copied and overwritten freely, nothing to free. Zeroed (or
 * ISTHMUS_EVENT_TRUE) it is true. Fields are written by the library: every condition is a range of
 * values, so that testing one is a subtraction and a comparison. */
typedef struct isthmus_event {
    const int64_t* address; /* null: true */
    int64_t first;          /* true if the word less this, */
    uint64_t span;          /* unsigned, is not above this */
    int64_t narrow;         /* not 0: the watched word has 4 bytes */
} isthmus_event;
#define ISTHMUS_EVENT_TRUE \
    { 0, 0, 0, 0 }

/* Makes `event` the condition "*address <condition> value" on a word of this PE's memory, signed.
 * Level-triggered: the event is true whenever it is asked while the condition holds. The word must
 * live as long as the event is used and be naturally aligned. Other PEs may write it with any
 * operation of this interface or of OpenSHMEM; those of OpenSHMEM do not wake a
 * sleeping waiter, which then looks for itself within ISTHMUS_WAKE_MILLISECONDS. */
int isthmus_event_arm(isthmus_event* event, const int64_t* address, isthmus_condition condition,
                      int64_t value);
int isthmus_event_arm32(isthmus_event* event, const int32_t* address, isthmus_condition condition,
                        int32_t value);

int isthmus_event_test_slow(const isthmus_event* event);

/* 1 if the event is true, else 0. Acquire: what the operation brought is then visible.
 * Budget: 6 instructions for a completed operation, 12 for a word. Wait-free. */
static inline int isthmus_event_test(const isthmus_event* event) {
    if (!event->address) return 1;
    if (__builtin_expect(event->narrow != 0, 0)) return isthmus_event_test_slow(event);
    return (uint64_t)__atomic_load_n(event->address, __ATOMIC_ACQUIRE) - (uint64_t)event->first <=
           event->span;
}

/* `timeout` in seconds; negative: for ever. Polls, then yields, then sleeps (after
 * ISTHMUS_SLEEP_MILLISECONDS), so that a long wait costs no processor time.
 * ISTHMUS_OK or ISTHMUS_TIMEOUT. */
int isthmus_event_wait_slow(const isthmus_event* event, double timeout);
static inline int isthmus_event_wait_for(const isthmus_event* event, double timeout) {
    return isthmus_event_test(event) ? 0 : isthmus_event_wait_slow(event, timeout);
}
static inline int isthmus_event_wait(const isthmus_event* event) {
    return isthmus_event_wait_for(event, -1.0);
}

/* All of `count` events. */
int isthmus_event_wait_all(const isthmus_event* events, size_t count, double timeout);
/* Any of them; its index in *index. With count 0: ISTHMUS_ARGUMENT. Searches from where the last
 * success left off is not done: the lowest true index wins. */
int isthmus_event_wait_any(const isthmus_event* events, size_t count, size_t* index,
                           double timeout);

#ifdef __cplusplus
}
#endif
#endif
