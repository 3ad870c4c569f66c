/* A PE that computes without a call of the library serves puts, gets and atomics all the while, and
 * one whose program sleeps uses no processor. */
#include <shmem.h>
#include <stdio.h>
#include <time.h>

/* Seconds for what an idle machine does in less than one: what only the next call of PE 1 would
 * serve never comes. */
static const double kPatience = 50;

static double seconds(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static long counter;
static long words[1024];
static long done;

int main(void) {
    shmem_init();
    const int me = shmem_my_pe();
    int bad = 0;
    shmem_long_atomic_fetch(&counter, 1 - me); /* connects */
    shmem_barrier_all();
    if (me == 1) {
        const double end = seconds(CLOCK_MONOTONIC) + kPatience;
        const volatile long* const is_done = &done;
        volatile double sum = 0;
        while (*is_done != 1 && seconds(CLOCK_MONOTONIC) < end)
            sum = sum + 1;
        if (counter != 200 || words[1023] != 199) bad = 1;
        if (done != 1) bad = 1;
        if (bad)
            fprintf(stderr, "PE 1: counter %ld, word %ld, done %ld\n", counter, words[1023], done);
    } else {
        for (long i = 0; i < 200; ++i) {
            words[1023] = i;
            shmem_long_put(words, words, 1024, 1);
            shmem_quiet();
            if (shmem_long_g(words + 1023, 1) != i) bad = 1;
            if (shmem_long_atomic_fetch_add(&counter, 1, 1) != i) bad = 1;
        }
        shmem_long_p(&done, 1, 1);
        shmem_quiet();
        if (bad) fprintf(stderr, "PE 0: a get or an atomic gave another value\n");
    }
    shmem_barrier_all();
    const double busy = seconds(CLOCK_PROCESS_CPUTIME_ID);
    const struct timespec pause = {1, 0};
    nanosleep(&pause, NULL);
    const double idle = seconds(CLOCK_PROCESS_CPUTIME_ID) - busy;
    if (idle > 0.05) {
        fprintf(stderr, "PE %d: %.3f s of processor time in a second of sleep\n", me, idle);
        bad = 1;
    }
    shmem_barrier_all();
    shmem_finalize();
    return bad;
}
