/* What the measured programs of all groups share, whatever library they use: time, cores,
 * arguments. */
#ifndef ISTHMUS_BENCH_PROGRAMS_H
#define ISTHMUS_BENCH_PROGRAMS_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
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

/* One core a PE, in turn, among those the process may use: both sides of a comparison alike. */
static inline void pin_to_core(int pe) {
    cpu_set_t allowed, one;
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return;
    const int count = CPU_COUNT(&allowed);
    if (count < 2) return; /* a launcher has bound us already, or there is one core only */
    int wanted = pe % count;
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
        if (!CPU_ISSET(cpu, &allowed) || wanted-- != 0) continue;
        CPU_ZERO(&one);
        CPU_SET(cpu, &one);
        sched_setaffinity(0, sizeof one, &one);
        return;
    }
}

static inline const char* text_argument(int argc, char** argv, const char* name) {
    for (int i = 1; i + 1 < argc; ++i) {
        if (strcmp(argv[i], name) == 0) return argv[i + 1];
    }
    return NULL;
}
static inline int argument(int argc, char** argv, const char* name, int otherwise) {
    const char* const text = text_argument(argc, argv, name);
    return text ? atoi(text) : otherwise;
}

#endif
