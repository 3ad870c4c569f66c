/* What the measured programs of this group share. Each prints lines of key=value pairs. */
#ifndef ISTHMUS_BENCH_AOS_COMMON_H
#define ISTHMUS_BENCH_AOS_COMMON_H

#include "../../programs.h"

#include <isthmus.h>

static inline void require(int condition, const char* what) {
    if (condition) return;
    fprintf(stderr, "bench: PE %d: %s: %s\n", isthmus_pe(), what, isthmus_error_text());
    isthmus_exit(3);
}
#define OK(call) require((call) == ISTHMUS_OK, #call)

/* xorshift64 */
static inline uint64_t next_random(uint64_t* state) {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* Raw ping-pong of a cache line between PE 0 and PE 1: plain stores and polling loads. `mine` and
 * `other` are lines of their own. Nanoseconds one way; says how near the two cores are. */
static uint64_t raw_round;
static inline double raw_one_way(volatile uint64_t* mine, volatile uint64_t* other, int rounds) {
    const int me = isthmus_pe();
    const double start = now_ns();
    for (int i = 0; i < rounds; ++i) {
        const uint64_t round = ++raw_round;
        if (me == 0) __atomic_store_n(other, round, __ATOMIC_RELEASE);
        while (__atomic_load_n(mine, __ATOMIC_ACQUIRE) != round) {
        }
        if (me == 1) __atomic_store_n(other, round, __ATOMIC_RELEASE);
    }
    return (now_ns() - start) / rounds / 2;
}

#endif
