/* What the benchmarks of the xBGAS machine share. One source runs on the machine (by xBGAS or by
 * the RDMA NIC) and natively. What is measured lies between begin() and end(): the simulator knows
 * benchmark_begin and benchmark_end by their names and counts in between. Each benchmark validates
 * its result and prints one line of key=value pairs. */
#ifndef ISTHMUS_BENCH_XBGAS_COMMON_H
#define ISTHMUS_BENCH_XBGAS_COMMON_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <shmem.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int me, npes;
static double began, nanoseconds;

static inline double now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

__attribute__((noinline, noclone, used)) void benchmark_begin(void) {
    __asm__ volatile("" ::: "memory");
}
__attribute__((noinline, noclone, used)) void benchmark_end(void) {
    __asm__ volatile("" ::: "memory");
}

static inline void begin(void) {
    shmem_barrier_all();
    began = now_ns();
    benchmark_begin();
}
/* The barrier belongs to the benchmark: its puts have arrived. */
static inline void end(void) {
    shmem_barrier_all();
    benchmark_end();
    nanoseconds = now_ns() - began;
}

static inline void start(void) {
    shmem_init();
    me = shmem_my_pe();
    npes = shmem_n_pes();
}
/* Every PE says whether it found its part right. Returns the exit code. */
static inline int finish(const char* name, int right, double operations) {
    static long all_wrong;
    shmem_barrier_all();
    if (!right) shmem_long_atomic_inc(&all_wrong, 0);
    shmem_barrier_all();
    const long wrong = shmem_long_g(&all_wrong, 0);
    if (me == 0)
        printf("benchmark=%s valid=%s pes=%d operations=%.0f ns=%.0f\n", name,
               wrong == 0 ? "yes" : "no", npes, operations, nanoseconds);
    shmem_finalize();
    return wrong != 0;
}

static inline void* symmetric(size_t bytes) {
    void* const block = shmem_malloc(bytes);
    if (block == NULL) {
        fprintf(stderr, "bench: PE %d: no %zu bytes in the symmetric heap\n", me, bytes);
        shmem_global_exit(3);
        exit(3);
    }
    return block;
}

static inline int argument(int argc, char** argv, const char* name, int otherwise) {
    for (int i = 1; i + 1 < argc; ++i) {
        if (strcmp(argv[i], name) == 0) return atoi(argv[i + 1]);
    }
    return otherwise;
}

/* A permutation of 64 bits: the k-th random number of a stream, without those before it. */
static inline uint64_t random_at(uint64_t stream, uint64_t k) {
    uint64_t x = (stream << 40) + k + 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

#endif
