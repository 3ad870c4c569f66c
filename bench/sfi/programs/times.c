/* Latency, rate and bandwidth to a PE of another host whose program sleeps. */
#define _GNU_SOURCE
#include <shmem.h>
#include <unistd.h>

#include "times.h"

static void pass_time(volatile long* end) {
    const struct timespec pause = {0, 5000000};
    while (!*end)
        nanosleep(&pause, NULL);
}

int main(void) {
    shmem_init();
    pin_to_core(shmem_my_pe());
    long* words = shmem_calloc(64, sizeof *words);
    long* end = shmem_calloc(1, sizeof *end);
    char* block = shmem_malloc(1 << 20);
    char* source = malloc(1 << 20);
    memset(source, 1, 1 << 20);
    shmem_barrier_all();
    if (shmem_my_pe() == 0) {
        volatile long sum = 0;
        TIMED("put_quiet", 50, (shmem_long_p(words, i, 1), shmem_quiet()), (void)0);
        TIMED("get", 50, sum += shmem_long_g(words, 1), (void)0);
        TIMED("fetch_add", 50, sum += shmem_long_atomic_fetch_add(words + 1, 1, 1), (void)0);
        TIMED("put_rate", 1000, shmem_long_p(words + (i & 63), i, 1), shmem_quiet());
        TIMED("put_64k", 16, shmem_putmem(block, source, 65536, 1), shmem_quiet());
        TIMED("put_1m", 4, shmem_putmem(block, source, 1 << 20, 1), shmem_quiet());
        TIMED("put_nbi_64k", 16, shmem_putmem_nbi(block, source, 65536, 1), shmem_quiet());
        TIMED("put_nbi_1m", 4, shmem_putmem_nbi(block, source, 1 << 20, 1), shmem_quiet());
        TIMED("get_nbi_64k", 16, shmem_getmem_nbi(source, block, 65536, 1), shmem_quiet());
        TIMED("get_nbi_1m", 4, shmem_getmem_nbi(source, block, 1 << 20, 1), shmem_quiet());
        shmem_long_p(end, 1, 1);
        shmem_quiet();
    } else {
        pass_time(end);
    }
    shmem_barrier_all();
    shmem_finalize();
    return 0;
}
