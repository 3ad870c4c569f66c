// Timers and sleeps by processor time: they go on while the program works and not while it sleeps.
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>

enum { kShort = 5000000, kLong = 80000000, kSleep = 120000000 }; /* nanoseconds */

static volatile sig_atomic_t rings, number_of_ring;
static void ring(int number) {
    ++rings;
    number_of_ring = number;
}
static long time_of(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return time.tv_sec * 1000000000 + time.tv_nsec;
}
static void pause_for(long nanoseconds) {
    const struct timespec time = {0, nanoseconds};
    nanosleep(&time, NULL);
}

static void interval(int which, int number) {
    const struct itimerval once = {{0, 0}, {0, kShort / 1000}}, off = {{0, 0}, {0, 0}},
                           often = {{0, 2000}, {0, 2000}}, late = {{0, 3}, {0, kLong / 1000}};
    struct itimerval now;
    const long begin = time_of(CLOCK_PROCESS_CPUTIME_ID);
    printf("%d: %d", which, setitimer(which, &once, NULL));
    while (rings == 0) {
    }
    printf(" %d %d", number_of_ring == number, time_of(CLOCK_PROCESS_CPUTIME_ID) - begin >= kShort);
    setitimer(which, &often, NULL);
    while (rings < 4) {
    }
    setitimer(which, &late, &now);
    printf(" %d", (int)now.it_interval.tv_usec);
    rings = 0;
    pause_for(kSleep);
    printf(" %d", getitimer(which, &now));
    printf(" %d %d", now.it_value.tv_sec == 0 && now.it_value.tv_usec > 0, (int)rings);
    printf(" %d\n", setitimer(which, &off, NULL));
}

static void timer(clockid_t clock) {
    struct sigevent event;
    memset(&event, 0, sizeof event);
    event.sigev_notify = SIGEV_SIGNAL;
    event.sigev_signo = SIGUSR1;
    timer_t timer;
    rings = 0;
    printf("%d:", timer_create(clock, &event, &timer));
    struct itimerspec once = {{0, 0}, {0, kShort}};
    for (int absolute = 0; absolute < 2; ++absolute) {
        const long begin = time_of(clock);
        if (absolute) {
            once.it_value.tv_sec = (begin + kShort) / 1000000000;
            once.it_value.tv_nsec = (begin + kShort) % 1000000000;
        }
        rings = 0;
        timer_settime(timer, absolute ? TIMER_ABSTIME : 0, &once, NULL);
        while (rings == 0) {
        }
        printf(" %d", time_of(clock) - begin >= kShort);
    }
    const struct itimerspec late = {{0, 0}, {0, kLong}};
    struct itimerspec now;
    rings = 0;
    timer_settime(timer, 0, &late, NULL);
    pause_for(kSleep);
    timer_gettime(timer, &now);
    printf(" %d %d", now.it_value.tv_nsec > 0 && now.it_value.tv_nsec <= kLong, (int)rings);
    /* It does not come any more, and nothing waits for it. */
    const struct itimerspec soon = {{0, 0}, {0, kShort}};
    timer_settime(timer, 0, &soon, NULL);
    printf(" %d\n", timer_delete(timer));
    const long begin = time_of(clock);
    while (time_of(clock) - begin < 2 * kShort) {
        for (volatile int i = 0; i < 1000000; ++i) {
        }
    }
    printf("%d\n", (int)rings);
}

static atomic_int done;
static void* work(void* unused) {
    while (atomic_load(&done) == 0) {
    }
    return unused;
}
static void sleep_while_another_works(void) {
    const struct timespec time = {0, 2 * kShort};
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    const long begin = time_of(CLOCK_PROCESS_CPUTIME_ID);
    printf("%d", clock_nanosleep(CLOCK_PROCESS_CPUTIME_ID, 0, &time, NULL));
    printf(" %d\n", time_of(CLOCK_PROCESS_CPUTIME_ID) - begin >= 2 * kShort);
    atomic_store(&done, 1);
    pthread_join(thread, NULL);
}

int main(int count, char** words) {
    (void)words;
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = ring;
    sigaction(SIGVTALRM, &action, NULL);
    sigaction(SIGPROF, &action, NULL);
    sigaction(SIGUSR1, &action, NULL);
    interval(ITIMER_VIRTUAL, SIGVTALRM);
    rings = 0;
    interval(ITIMER_PROF, SIGPROF);
    printf("%d %d\n", setitimer(3, NULL, NULL), errno == EINVAL);
    timer(CLOCK_PROCESS_CPUTIME_ID);
    timer(CLOCK_THREAD_CPUTIME_ID);
    if (count > 1) sleep_while_another_works();
    return 0;
}
