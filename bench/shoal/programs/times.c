/* Short round trips and streams between two PEs whose hosts packets reach, and with `idle SECONDS`
 * what two PEs use of a core that have nothing to do. */
#define _GNU_SOURCE
#include <shmem.h>
#include <sys/resource.h>
#include <unistd.h>

#include "times.h"

/* Words there and back, each side asleep in the library's wait. */
static long sent, *ball;
static void there_and_back(void) {
    shmem_long_p(ball, ++sent, 1);
    shmem_long_wait_until(ball, SHMEM_CMP_EQ, sent);
}
static void back_and_forth(void) {
    for (int left = kRoundTrips * (kBatches + 3); left > 0; --left) {
        shmem_long_wait_until(ball, SHMEM_CMP_EQ, ++sent);
        shmem_long_p(ball, sent, 0);
    }
}

static void stream(const char* name, char* block, const char* source, size_t bytes, int is_nbi) {
    double samples[kStreams];
    const int calls = (int)(kStreamBytes / bytes);
    for (int batch = -1; batch < kStreams; ++batch) {
        const double begin = now_ns();
        for (int i = 0; i < calls; ++i) {
            if (is_nbi)
                shmem_putmem_nbi(block, source, bytes, 1);
            else
                shmem_putmem(block, source, bytes, 1);
        }
        shmem_quiet();
        if (batch >= 0) samples[batch] = (now_ns() - begin) / 1e3 / calls;
    }
    print_times(name, samples, kStreams);
}

static void measure_idle(int seconds, int pe) {
    struct rusage before, after;
    sleep(1);
    getrusage(RUSAGE_SELF, &before);
    sleep((unsigned)seconds);
    getrusage(RUSAGE_SELF, &after);
    const double used = (double)(after.ru_utime.tv_sec - before.ru_utime.tv_sec) * 1e6 +
                        (double)(after.ru_utime.tv_usec - before.ru_utime.tv_usec) +
                        (double)(after.ru_stime.tv_sec - before.ru_stime.tv_sec) * 1e6 +
                        (double)(after.ru_stime.tv_usec - before.ru_stime.tv_usec);
    printf("op=idle pe=%d us=%.3f percent=%.4f\n", pe, used / seconds, used / seconds / 1e4);
    fflush(stdout);
}

int main(int argc, char** argv) {
    shmem_init();
    const int me = shmem_my_pe();
    if (argc > 2 && strcmp(argv[1], "idle") == 0) {
        shmem_barrier_all();
        measure_idle(atoi(argv[2]), me);
        shmem_barrier_all();
        shmem_finalize();
        return 0;
    }
    pin_to_core(me);
    ball = shmem_calloc(1, sizeof *ball);
    long* const words = shmem_calloc(64, sizeof *words);
    long* const end = shmem_calloc(1, sizeof *end);
    char* const block = shmem_malloc(65536);
    char* const source = malloc(65536);
    memset(source, 1, 65536);
    shmem_barrier_all();
    if (me == 0)
        TIMED("round_trip", kRoundTrips, there_and_back(), (void)0);
    else
        back_and_forth();
    shmem_barrier_all();
    if (me == 0) {
        volatile long sum = 0;
        TIMED("get", kRoundTrips, sum += shmem_long_g(words, 1), (void)0);
        TIMED("fetch_add", kRoundTrips, sum += shmem_long_atomic_fetch_add(words, 1, 1), (void)0);
        stream("stream_4k", block, source, 4096, 0);
        stream("stream_64k", block, source, 65536, 0);
        stream("stream_nbi_4k", block, source, 4096, 1);
        stream("stream_nbi_64k", block, source, 65536, 1);
        shmem_long_p(end, 1, 1);
        shmem_quiet();
    } else {
        while (!*(volatile long*)end)
            nanosleep(&(struct timespec){0, 5000000}, NULL);
    }
    shmem_barrier_all();
    shmem_finalize();
    return 0;
}
