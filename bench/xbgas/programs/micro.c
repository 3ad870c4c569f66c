/* One operation again and again: --operation NAME --bytes B --count N. PE 0 puts, gets and fetches
 * at the last PE while the others wait; collectives are done by all. An operation is complete
 * before the next one begins if --each 1. */
#include "common.h"

enum { kOfGets = 1000 }; /* streams of random numbers: what gets read */

static int holds(const void* memory, uint64_t stream, size_t bytes) {
    for (size_t at = 0; at < bytes; at += 8) {
        const uint64_t word = random_at(stream, at / 8);
        if (memcmp((const char*)memory + at, &word, bytes - at < 8 ? bytes - at : 8) != 0) return 0;
    }
    return 1;
}
/* What goes by _p and _g. */
static int is_element(size_t bytes) {
    return bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8;
}
/* Whoever is late has put when a barrier is over. */
static int barrier_holds(long* word, int count) {
    int right = 1;
    for (int round = 1; round <= count; ++round) {
        for (volatile int wait = round % npes == me ? 20000 : 0; wait > 0; --wait) {
        }
        shmem_long_p(word, round, (me + 1) % npes);
        shmem_barrier_all();
        right &= *(volatile long*)word == round;
        shmem_barrier_all();
    }
    return right;
}

int main(int argc, char** argv) {
    start();
    const char* operation = "put";
    for (int i = 1; i + 1 < argc; ++i)
        if (strcmp(argv[i], "--operation") == 0) operation = argv[i + 1];
    const size_t bytes = (size_t)argument(argc, argv, "--bytes", 8);
    const int count = argument(argc, argv, "--count", 100),
              each = argument(argc, argv, "--each", 0);
    const int pe = npes - 1;
    long* const there = symmetric(bytes + 64);
    long* const here = symmetric(bytes + 64);
    const int gets = strcmp(operation, "get") == 0;
    long value = 0;
    for (size_t i = 0; i < bytes / 8 + 1; ++i) {
        here[i] = (long)random_at((uint64_t)me, i);
        there[i] = gets ? (long)random_at(kOfGets + (uint64_t)me, i) : 0;
    }
    int right = 1;
    const int alone = strcmp(operation, "barrier") != 0 && strcmp(operation, "broadcast") != 0 &&
                      strcmp(operation, "reduce") != 0;
    shmem_barrier_all();
    began = now_ns();
#define LOOP(...)                         \
    do {                                  \
        benchmark_begin();                \
        for (int k = 0; k < count; ++k) { \
            __VA_ARGS__;                  \
            if (each) shmem_quiet();      \
        }                                 \
        benchmark_end();                  \
    } while (0)
    if (alone && me != 0) {
        /* waits in the barrier below */
    } else if (strcmp(operation, "nothing") == 0) {
        LOOP(__asm__ volatile("" ::: "memory"));
    } else if (strcmp(operation, "put") == 0 && bytes == 8) {
        LOOP(shmem_long_p(there, here[0], pe));
    } else if (strcmp(operation, "get") == 0 && bytes == 8) {
        LOOP(value = shmem_long_g(there, pe));
    } else if (strcmp(operation, "put") == 0 && bytes == 1) {
        LOOP(shmem_char_p((char*)there, *(const char*)here, pe));
    } else if (strcmp(operation, "get") == 0 && bytes == 1) {
        LOOP(value = shmem_char_g((const char*)there, pe));
    } else if (strcmp(operation, "put") == 0 && bytes == 2) {
        LOOP(shmem_short_p((short*)there, *(const short*)here, pe));
    } else if (strcmp(operation, "get") == 0 && bytes == 2) {
        LOOP(value = shmem_short_g((const short*)there, pe));
    } else if (strcmp(operation, "put") == 0 && bytes == 4) {
        LOOP(shmem_int_p((int*)there, *(const int*)here, pe));
    } else if (strcmp(operation, "get") == 0 && bytes == 4) {
        LOOP(value = shmem_int_g((const int*)there, pe));
    } else if (strcmp(operation, "put") == 0) {
        LOOP(shmem_putmem(there, here, bytes, pe));
    } else if (strcmp(operation, "put_words") == 0) {
        LOOP(for (size_t i = 0; i < bytes / 8; ++i) shmem_long_p(&there[i], here[i], pe));
    } else if (strcmp(operation, "get") == 0) {
        LOOP(shmem_getmem(here, there, bytes, pe));
    } else if (strcmp(operation, "put_nbi") == 0) {
        LOOP(shmem_putmem_nbi(there, here, bytes, pe));
    } else if (strcmp(operation, "atomic_add") == 0) {
        LOOP(shmem_long_atomic_add(there, 3, pe));
    } else if (strcmp(operation, "fetch_add") == 0) {
        LOOP(value += shmem_long_atomic_fetch_add(there, 3, pe));
    } else if (strcmp(operation, "swap") == 0) {
        LOOP(value += shmem_long_atomic_swap(there, k, pe));
    } else if (strcmp(operation, "compare_swap") == 0) {
        LOOP(value += shmem_long_atomic_compare_swap(there, k, k + 1, pe));
    } else if (strcmp(operation, "barrier") == 0) {
        LOOP(shmem_barrier_all());
    } else if (strcmp(operation, "broadcast") == 0) {
        LOOP(shmem_broadcastmem(SHMEM_TEAM_WORLD, there, here, bytes, 0));
    } else if (strcmp(operation, "reduce") == 0) {
        LOOP(shmem_long_sum_reduce(SHMEM_TEAM_WORLD, there, here, bytes / 8));
    } else {
        fprintf(stderr, "micro: no operation '%s'\n", operation);
        return 2;
    }
    nanoseconds = now_ns() - began;
    shmem_barrier_all();
    const long* const result = there;
    const long before = (long)count * (count - 1) / 2; /* 0 + 1 + ..., as what was there */
    if (strncmp(operation, "put", 3) == 0) {
        if (me == pe) right = holds(result, 0, bytes);
    } else if (gets && me == 0) {
        right = holds(is_element(bytes) ? &value : here, kOfGets + (uint64_t)pe, bytes);
    } else if (strcmp(operation, "atomic_add") == 0) {
        if (me == pe) right = result[0] == 3L * count;
    } else if (strcmp(operation, "fetch_add") == 0) {
        if (me == pe) right = result[0] == 3L * count;
        if (me == 0) right &= value == 3 * before;
    } else if (strcmp(operation, "swap") == 0) {
        if (me == pe) right = result[0] == count - 1;
        if (me == 0) right &= value == before - (count - 1);
    } else if (strcmp(operation, "compare_swap") == 0) {
        if (me == pe) right = result[0] == count;
        if (me == 0) right &= value == before;
    } else if (strcmp(operation, "barrier") == 0) {
        right = barrier_holds(there, 4);
    } else if (strcmp(operation, "broadcast") == 0) {
        right = holds(result, 0, bytes);
    } else if (strcmp(operation, "reduce") == 0) {
        for (size_t i = 0; i < bytes / 8; ++i) {
            uint64_t sum = 0;
            for (int p = 0; p < npes; ++p)
                sum += random_at((uint64_t)p, i);
            right &= (uint64_t)result[i] == sum;
        }
    }
    return finish(operation, right, count);
}
