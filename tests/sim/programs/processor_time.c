// Time that the processor has worked for the program, which a sleep is not: of the process, of one
// thread, of another, of one that has ended.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/times.h>
#include <time.h>
#include <unistd.h>

static const double kShort = 0.05, kSleep = 0.1;

static double of_clock(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}
static double of_usage(int whose) {
    struct rusage usage;
    getrusage(whose, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}
static double of_times(void) {
    struct tms times_now;
    times(&times_now);
    return (double)(times_now.tms_utime + times_now.tms_stime) / (double)sysconf(_SC_CLK_TCK);
}
static double of_library(void) {
    return (double)clock() / CLOCKS_PER_SEC;
}
static double all_ways(int way) {
    switch (way) {
        case 0: return of_clock(CLOCK_PROCESS_CPUTIME_ID);
        case 1: return of_clock(CLOCK_THREAD_CPUTIME_ID);
        case 2: return of_usage(RUSAGE_SELF);
        case 3: return of_usage(RUSAGE_THREAD);
        case 4: return of_times();
        default: return of_library();
    }
}

static void pause_for(double seconds) {
    const struct timespec time = {0, (long)(seconds * 1e9)};
    nanosleep(&time, NULL);
}
static void work(double seconds) {
    const double begin = of_clock(CLOCK_THREAD_CPUTIME_ID);
    while (of_clock(CLOCK_THREAD_CPUTIME_ID) - begin < seconds) {
    }
}

static atomic_int stage;
static void* only_work(void* unused) {
    work(0.02);
    return unused;
}
static void* work_then_wait(void* unused) {
    work(0.02);
    atomic_store(&stage, 1);
    while (atomic_load(&stage) == 1)
        pause_for(0.001);
    return unused;
}
static void threads(void) {
    const double process = of_clock(CLOCK_PROCESS_CPUTIME_ID);
    const double own = of_clock(CLOCK_THREAD_CPUTIME_ID);
    pthread_t thread;
    pthread_create(&thread, NULL, work_then_wait, NULL);
    while (atomic_load(&stage) == 0)
        pause_for(0.001);
    clockid_t its;
    printf("%d", pthread_getcpuclockid(thread, &its));
    const double before = of_clock(its);
    pause_for(kSleep);
    printf(" %d %d", before >= 0.02, of_clock(its) - before < kShort);
    atomic_store(&stage, 2);
    pthread_join(thread, NULL);
    printf(" %d", of_clock(CLOCK_PROCESS_CPUTIME_ID) - process >= 0.02);
    printf(" %d\n", of_clock(CLOCK_THREAD_CPUTIME_ID) - own < 0.02);
    /* A thread in its place begins at nothing. */
    pthread_create(&thread, NULL, only_work, NULL);
    pthread_join(thread, NULL);
    printf("%d\n", of_clock(CLOCK_PROCESS_CPUTIME_ID) - process >= 0.04);
}

int main(int count, char** words) {
    (void)words;
    for (int way = 0; way < 6; ++way) {
        const double begin = all_ways(way);
        work(0.02);
        const double middle = all_ways(way);
        pause_for(kSleep);
        printf("%d: %d %d\n", way, middle - begin > 0, all_ways(way) - middle < kShort);
    }
    if (count > 1) threads();
    return 0;
}
