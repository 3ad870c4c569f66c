// Whatever waits for a time waits until a clock shows it: a line for each way to wait, with a 0 if
// it is early. The number of those is the exit code.
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

enum { kWait = 20000000 }; /* nanoseconds */
static const struct timespec wait_time = {0, kWait};
static int early;

static struct timespec later(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    time.tv_nsec += kWait;
    time.tv_sec += time.tv_nsec / 1000000000;
    time.tv_nsec %= 1000000000;
    return time;
}
static void tell(const char* name, int waited, clockid_t clock, struct timespec until) {
    struct timespec time;
    clock_gettime(clock, &time);
    const int passed = time.tv_sec > until.tv_sec ||
                       (time.tv_sec == until.tv_sec && time.tv_nsec >= until.tv_nsec);
    printf("%s %d %d\n", name, waited, passed);
    early += !waited || !passed;
}

static volatile sig_atomic_t rings;
static void ring(int number) {
    (void)number;
    ++rings;
}

static void sleeps(void) {
    struct timespec until = later(CLOCK_MONOTONIC);
    tell("nanosleep", nanosleep(&wait_time, NULL) == 0, CLOCK_MONOTONIC, until);
    for (clockid_t clock = CLOCK_REALTIME; clock <= CLOCK_MONOTONIC; ++clock) {
        until = later(clock);
        tell("clock_nanosleep", clock_nanosleep(clock, TIMER_ABSTIME, &until, NULL) == 0, clock,
             until);
    }
}

static void* try_to_lock(void* mutex) {
    struct timespec until = later(CLOCK_REALTIME);
    const int result = pthread_mutex_timedlock(mutex, &until);
    tell("pthread_mutex_timedlock", result == ETIMEDOUT, CLOCK_REALTIME, until);
    return NULL;
}
static void locks(void) {
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    for (int protocol = PTHREAD_PRIO_NONE; protocol <= PTHREAD_PRIO_INHERIT; ++protocol) {
        pthread_mutex_t mutex;
        pthread_t thread;
        pthread_mutexattr_setprotocol(&attributes, protocol);
        pthread_mutex_init(&mutex, &attributes);
        pthread_mutex_lock(&mutex);
        pthread_create(&thread, NULL, try_to_lock, &mutex);
        pthread_join(thread, NULL);
    }
    pthread_condattr_t kind;
    pthread_condattr_init(&kind);
    for (clockid_t clock = CLOCK_REALTIME; clock <= CLOCK_MONOTONIC; ++clock) {
        pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
        pthread_cond_t condition;
        pthread_condattr_setclock(&kind, clock);
        pthread_cond_init(&condition, &kind);
        pthread_mutex_lock(&mutex);
        struct timespec until = later(clock);
        const int result = pthread_cond_timedwait(&condition, &mutex, &until);
        tell("pthread_cond_timedwait", result == ETIMEDOUT, clock, until);
    }
    sem_t semaphore;
    sem_init(&semaphore, 0, 0);
    struct timespec until = later(CLOCK_REALTIME);
    const int result = sem_timedwait(&semaphore, &until);
    tell("sem_timedwait", result != 0 && errno == ETIMEDOUT, CLOCK_REALTIME, until);
}

static void signals(void) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = ring;
    sigaction(SIGALRM, &action, NULL);
    const struct itimerval once = {{0, 0}, {0, kWait / 1000}};
    struct timespec until = later(CLOCK_MONOTONIC);
    setitimer(ITIMER_REAL, &once, NULL);
    while (rings == 0) {
    }
    tell("setitimer", rings == 1, CLOCK_MONOTONIC, until);
    /* Again and again: the first one may come before the sleep. */
    const struct itimerval often = {{0, kWait / 1000}, {0, kWait / 1000}}, off = {{0, 0}, {0, 0}};
    until = later(CLOCK_MONOTONIC);
    setitimer(ITIMER_REAL, &often, NULL);
    const struct timespec long_time = {100, 0};
    struct timespec left;
    const int result = nanosleep(&long_time, &left);
    setitimer(ITIMER_REAL, &off, NULL);
    tell("interrupted", result != 0 && errno == EINTR && left.tv_sec >= 50, CLOCK_MONOTONIC, until);
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGALRM);
    sigprocmask(SIG_BLOCK, &set, NULL);
    until = later(CLOCK_MONOTONIC);
    const int taken = sigtimedwait(&set, NULL, &wait_time);
    tell("sigtimedwait", taken < 0 && errno == EAGAIN, CLOCK_MONOTONIC, until);
    for (clockid_t clock = CLOCK_REALTIME; clock <= CLOCK_MONOTONIC; ++clock) {
        timer_t timer;
        timer_create(clock, NULL, &timer);
        const struct itimerspec at = {{0, 0}, later(clock)};
        timer_settime(timer, TIMER_ABSTIME, &at, NULL);
        tell("timer_settime", sigwaitinfo(&set, NULL) == SIGALRM, clock, at.it_value);
    }
}

static void files(void) {
    int ends[2];
    if (pipe(ends) != 0) return;
    struct pollfd polled = {ends[0], POLLIN, 0};
    struct timespec until = later(CLOCK_MONOTONIC);
    tell("ppoll", ppoll(&polled, 1, &wait_time, NULL) == 0, CLOCK_MONOTONIC, until);
    fd_set set;
    FD_ZERO(&set);
    FD_SET(ends[0], &set);
    until = later(CLOCK_MONOTONIC);
    tell("pselect", pselect(ends[0] + 1, &set, NULL, NULL, &wait_time, NULL) == 0, CLOCK_MONOTONIC,
         until);
    const int events = epoll_create1(0);
    struct epoll_event event = {.events = EPOLLIN};
    epoll_ctl(events, EPOLL_CTL_ADD, ends[0], &event);
    until = later(CLOCK_MONOTONIC);
    tell("epoll_wait", epoll_wait(events, &event, 1, kWait / 1000000) == 0, CLOCK_MONOTONIC, until);
    for (clockid_t clock = CLOCK_REALTIME; clock <= CLOCK_MONOTONIC; ++clock) {
        const int file = timerfd_create(clock, 0);
        const struct itimerspec at = {{0, 0}, later(clock)};
        timerfd_settime(file, TFD_TIMER_ABSTIME, &at, NULL);
        uint64_t count = 0;
        tell("timerfd", read(file, &count, sizeof count) == sizeof count && count == 1, clock,
             at.it_value);
    }
}

int main(void) {
    setvbuf(stdout, NULL, _IONBF, 0);
    sleeps();
    locks();
    signals();
    files();
    return early;
}
