/* What the measured programs share. They use only OpenSHMEM 1.4, so that the same source measures
 * a peer. Each prints lines of key=value pairs; the harness knows what they mean. */
#ifndef ISTHMUS_BENCH_COMMON_H
#define ISTHMUS_BENCH_COMMON_H

#include "../../programs.h"

#include <fcntl.h>
#include <shmem.h>
#include <sys/mman.h>
#include <unistd.h>

static inline void require(int condition, const char* what) {
    if (condition) return;
    fprintf(stderr, "bench: PE %d: %s\n", shmem_my_pe(), what);
    shmem_global_exit(3);
    exit(3); /* a peer's header does not say that the call never returns */
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

#endif
