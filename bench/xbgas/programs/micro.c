/* One operation again and again: --operation NAME --bytes B --count N. PE 0 puts, gets and fetches
 * at the last PE while the others wait; collectives are done by all. An operation is complete
 * before the next one begins if --each 1. */
#include "common.h"

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
    long value = 0;
    for (size_t i = 0; i < bytes / 8 + 1; ++i) {
        here[i] = (long)random_at((uint64_t)me, i);
        there[i] = 0;
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
    if (strncmp(operation, "put", 3) == 0) {
        if (me == pe)
            for (size_t i = 0; i < bytes / 8; ++i)
                right &= result[i] == (long)random_at(0, i);
        if (me == pe && bytes < 8) right &= *(const char*)result == (char)random_at(0, 0);
    } else if (strcmp(operation, "get") == 0 && me == 0) {
        right = value == 0;
        for (size_t i = 0; i < bytes / 8 && bytes > 8; ++i)
            right &= here[i] == 0;
    } else if (strcmp(operation, "atomic_add") == 0 || strcmp(operation, "fetch_add") == 0) {
        if (me == pe) right = result[0] == 3L * count;
    } else if (strcmp(operation, "swap") == 0) {
        if (me == pe) right = result[0] == count - 1;
    } else if (strcmp(operation, "compare_swap") == 0) {
        if (me == pe) right = result[0] == count;
    } else if (strcmp(operation, "broadcast") == 0) {
        for (size_t i = 0; i < bytes / 8; ++i)
            right &= result[i] == (long)random_at(0, i);
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
