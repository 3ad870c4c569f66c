/* What the measured programs share. They use only OpenSHMEM 1.4, so that the same source measures
 * a peer. Each prints lines of key=value pairs; the harness knows what they mean. */
#ifndef ISTHMUS_BENCH_COMMON_H
#define ISTHMUS_BENCH_COMMON_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <fcntl.h>
#include <sched.h>
#include <shmem.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

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
    fprintf(stderr, "bench: PE %d: %s\n", shmem_my_pe(), what);
    shmem_global_exit(3);
    exit(3); /* a peer's header does not say that the call never returns */
}

/* One core a PE, in turn, among those the process may use: both sides of a comparison alike. */
static inline void pin_to_core(int pe) {
    cpu_set_t allowed, one;
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return;
    int count = CPU_COUNT(&allowed);
    if (count < 2) { /* a launcher has bound us already, or there is one core only */
        return;
    }
    int wanted = pe % count;
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
        if (!CPU_ISSET(cpu, &allowed) || wanted-- != 0) continue;
        CPU_ZERO(&one);
        CPU_SET(cpu, &one);
        sched_setaffinity(0, sizeof one, &one);
        return;
    }
}

/* Plain memory shared by all PEs, outside the library under test: the physical limit runs on it. */
static long plain_memory_key;
static inline char* plain_memory(size_t bytes) {
    char name[64];
    const int me = shmem_my_pe();
    if (me == 0) {
        for (int pe = 1; pe < shmem_n_pes(); ++pe)
            shmem_long_p(&plain_memory_key, getpid(), pe);
        plain_memory_key = getpid();
        snprintf(name, sizeof name, "/isthmus-bench-%ld", plain_memory_key);
        const int file = shm_open(name, O_CREAT | O_RDWR | O_TRUNC, 0600);
        require(file >= 0 && ftruncate(file, (off_t)bytes) == 0, "cannot make shared memory");
        close(file);
    }
    shmem_barrier_all();
    snprintf(name, sizeof name, "/isthmus-bench-%ld", plain_memory_key);
    const int file = shm_open(name, O_RDWR, 0600);
    require(file >= 0, "cannot open shared memory");
    char* memory = (char*)mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    require(memory != MAP_FAILED, "cannot map shared memory");
    close(file);
    shmem_barrier_all();
    if (me == 0) shm_unlink(name);
    return memory;
}

/* Raw ping-pong of a cache line between PE 0 and PE 1: data and flag in one line, plain stores and
 * polling loads. `memory` is two lines. Returns nanoseconds one way. */
static uint64_t raw_round;
static inline double raw_one_way(volatile uint64_t* memory, int rounds) {
    const int me = shmem_my_pe();
    volatile uint64_t* const mine = memory + 16 * me;
    volatile uint64_t* const other = memory + 16 * (1 - me);
    const double start = now_ns();
    for (int i = 0; i < rounds; ++i) {
        const uint64_t round = ++raw_round;
        if (me == 0) {
            other[1] = round;
            __atomic_store_n(other, round, __ATOMIC_RELEASE);
        }
        while (__atomic_load_n(mine, __ATOMIC_ACQUIRE) != round) {
        }
        if (mine[1] != round) abort();
        if (me == 1) {
            other[1] = round;
            __atomic_store_n(other, round, __ATOMIC_RELEASE);
        }
    }
    return (now_ns() - start) / rounds / 2;
}

static inline int argument(int argc, char** argv, const char* name, int otherwise) {
    for (int i = 1; i + 1 < argc; ++i) {
        if (strcmp(argv[i], name) == 0) return atoi(argv[i + 1]);
    }
    return otherwise;
}

#endif
