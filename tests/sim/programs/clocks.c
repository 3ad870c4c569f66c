// Clocks that there are and clocks that there are not.
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static void try(clockid_t clock) {
    struct timespec time = {-1, -1}, resolution = {-1, -1};
    printf("%d:", (int)clock);
    printf(" %d", clock_gettime(clock, &time));
    printf(" %d", time.tv_sec >= 0 && time.tv_nsec >= 0);
    printf(" %d", clock_getres(clock, &resolution));
    printf(" %d\n", errno == EINVAL);
    errno = 0;
}

int main(void) {
    for (clockid_t clock = 0; clock < 10; ++clock) {
        if (clock != CLOCK_REALTIME_ALARM && clock != CLOCK_BOOTTIME_ALARM) try(clock);
    }
    try(10);
    try(11);
    try(77);
    clockid_t clock;
    printf("%d\n", clock_getcpuclockid(0, &clock));
    struct timespec time, later;
    printf("%d\n", clock_gettime(clock, &time));
    printf("%d", pthread_getcpuclockid(pthread_self(), &clock));
    printf(" %d\n", clock_gettime(clock, &time));
    const struct timespec pause_time = {0, 1000};
    printf("%d %d\n", clock_nanosleep(77, 0, &pause_time, NULL) == EINVAL,
           clock_nanosleep(CLOCK_MONOTONIC_RAW, 0, &pause_time, NULL) == EOPNOTSUPP);
    clock_gettime(CLOCK_MONOTONIC, &time);
    time.tv_nsec += 2000000;
    time.tv_sec += time.tv_nsec / 1000000000;
    time.tv_nsec %= 1000000000;
    printf("%d", clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL));
    clock_gettime(CLOCK_MONOTONIC, &later);
    printf(" %d\n", later.tv_sec > time.tv_sec ||
                        (later.tv_sec == time.tv_sec && later.tv_nsec >= time.tv_nsec));
    return 0;
}
