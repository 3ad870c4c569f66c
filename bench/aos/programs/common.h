/* What the measured programs of this group share. Each prints lines of key=value pairs. */
#ifndef ISTHMUS_BENCH_AOS_COMMON_H
#define ISTHMUS_BENCH_AOS_COMMON_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <isthmus.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static inline double now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* Time of the calling thread on a processor: what others take meanwhile does not count. */
static inline double cpu_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static inline void require(int condition, const char* what) {
    if (condition) return;
    fprintf(stderr, "bench: PE %d: %s: %s\n", isthmus_pe(), what, isthmus_error_text());
    isthmus_exit(3);
}
#define OK(call) require((call) == ISTHMUS_OK, #call)

/* One core a PE, in turn, among those the process may use. */
static inline void pin_to_core(int pe) {
    cpu_set_t allowed, one;
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return;
    const int count = CPU_COUNT(&allowed);
    if (count < 2) return;
    int wanted = pe % count;
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
        if (!CPU_ISSET(cpu, &allowed) || wanted-- != 0) continue;
        CPU_ZERO(&one);
        CPU_SET(cpu, &one);
        sched_setaffinity(0, sizeof one, &one);
        return;
    }
}

static inline int argument(int argc, char** argv, const char* name, int otherwise) {
    for (int i = 1; i + 1 < argc; ++i) {
        if (strcmp(argv[i], name) == 0) return atoi(argv[i + 1]);
    }
    return otherwise;
}

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
