// Timers that send signals and timers that are files: once, again and again, absolute, overrun.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

static const struct itimerspec off,
    soon = {{0, 0}, {0, 2000000}}, often = {{0, 2000000}, {0, 2000000}}, later = {{3, 4}, {100, 0}};
static struct itimerspec now;

static volatile sig_atomic_t rings, right;
static void ring(int number, siginfo_t* info, void* context) {
    (void)context;
    ++rings;
    right = number == SIGRTMIN + 1 && info->si_code == SI_TIMER && info->si_value.sival_int == 77;
}

static timer_t create(int notify, int signal) {
    struct sigevent event;
    memset(&event, 0, sizeof event);
    event.sigev_notify = notify;
    event.sigev_signo = signal;
    event.sigev_value.sival_int = 77;
    timer_t timer = (timer_t)-1;
    printf("%d ", timer_create(CLOCK_MONOTONIC, &event, &timer));
    return timer;
}

static void signals(void) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = ring;
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGRTMIN + 1, &action, NULL);
    timer_t timer = create(SIGEV_SIGNAL, SIGRTMIN + 1);
    printf("%d", timer_gettime(timer, &now));
    printf(" %ld %ld\n", (long)now.it_value.tv_sec, (long)now.it_interval.tv_sec);
    /* Again and again, until a sleep has been interrupted by it. */
    timer_settime(timer, 0, &often, NULL);
    const struct timespec long_time = {100, 0};
    printf("%d", nanosleep(&long_time, NULL));
    printf(" %d\n", errno == EINTR);
    while (rings < 3) {
    }
    printf("%d", timer_settime(timer, 0, &later, &now));
    printf(" %ld %d", now.it_interval.tv_nsec, now.it_value.tv_nsec <= 2000000);
    timer_gettime(timer, &now);
    printf(" %d %ld %ld\n", now.it_value.tv_sec >= 50, (long)now.it_interval.tv_sec,
           now.it_interval.tv_nsec);
    timer_settime(timer, 0, &off, NULL);
    timer_gettime(timer, &now);
    printf("%ld %d\n", (long)now.it_value.tv_sec, right);
    /* An absolute time that is over, and one that is not. */
    rings = 0;
    struct itimerspec at = {{0, 0}, {0, 1}};
    timer_settime(timer, TIMER_ABSTIME, &at, NULL);
    while (rings == 0) {
    }
    clock_gettime(CLOCK_MONOTONIC, &at.it_value);
    at.it_value.tv_sec += 100;
    timer_settime(timer, TIMER_ABSTIME, &at, NULL);
    timer_gettime(timer, &now);
    printf("%d %d\n", rings, now.it_value.tv_sec >= 50 && now.it_value.tv_sec <= 100);
    /* Blocked, it counts what it has missed. */
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGRTMIN + 1);
    sigprocmask(SIG_BLOCK, &set, NULL);
    timer_settime(timer, 0, &often, NULL);
    const struct timespec pause_time = {0, 50000000};
    nanosleep(&pause_time, NULL);
    siginfo_t info;
    printf("%d", sigwaitinfo(&set, &info) == SIGRTMIN + 1);
    const int overrun = timer_getoverrun(timer);
    printf(" %d %d %d\n", info.si_code == SI_TIMER, info.si_overrun == overrun, overrun >= 20);
    printf("%d", timer_delete(timer));
    printf(" %d\n", timer_delete(timer));
    /* One of a thread, one that does nothing, wrong ones. */
    struct sigevent event;
    memset(&event, 0, sizeof event);
    event.sigev_notify = SIGEV_THREAD_ID;
    event.sigev_signo = SIGUSR1;
    event._sigev_un._tid = (int)syscall(SYS_gettid);
    sigaddset(&set, SIGUSR1);
    sigprocmask(SIG_BLOCK, &set, NULL);
    printf("%d", timer_create(CLOCK_REALTIME, &event, &timer));
    timer_settime(timer, 0, &soon, NULL);
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    printf(" %d\n", sigwaitinfo(&set, NULL) == SIGUSR1);
    timer_delete(timer);
    timer = create(SIGEV_NONE, 0);
    timer_settime(timer, 0, &later, NULL);
    timer_gettime(timer, &now);
    printf("%d\n", now.it_value.tv_sec >= 50);
    timer_delete(timer);
    create(SIGEV_SIGNAL, 99);
    printf("%d", errno == EINVAL);
    printf(" %d %d\n", timer_create(77, NULL, &timer), errno == EINVAL);
}

static void* drain(void* file) {
    uint64_t count = 0;
    const long got = read(*(int*)file, &count, sizeof count);
    printf("thread: %ld %d\n", got, count > 0);
    return NULL;
}

static void files(void) {
    uint64_t count = 0;
    int fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
    printf("%d %d", fcntl(fd, F_GETFD), (fcntl(fd, F_GETFL) & O_NONBLOCK) != 0);
    printf(" %ld %d", (long)read(fd, &count, 8), errno == EAGAIN);
    printf(" %ld %d\n", (long)write(fd, &count, 8), errno == EINVAL);
    printf("%d", timerfd_settime(fd, 0, &soon, NULL));
    struct pollfd polled = {fd, POLLIN | POLLOUT, 0};
    printf(" %d %x", poll(&polled, 1, -1), polled.revents);
    printf(" %ld", (long)read(fd, &count, 8));
    printf(" %lu", (unsigned long)count);
    printf(" %ld\n", (long)read(fd, &count, 8));
    timerfd_settime(fd, 0, &often, NULL);
    const struct timespec pause_time = {0, 50000000};
    nanosleep(&pause_time, NULL);
    printf("%ld", (long)read(fd, &count, 8));
    printf(" %d", count >= 20);
    printf(" %d", timerfd_settime(fd, 0, &later, &now));
    printf(" %ld", now.it_interval.tv_nsec);
    printf(" %d", timerfd_gettime(fd, &now));
    printf(" %d %ld", now.it_value.tv_sec >= 50, (long)now.it_interval.tv_sec);
    printf(" %d\n", poll(&polled, 1, 5));
    /* Setting it forgets what it has counted. */
    timerfd_settime(fd, 0, &soon, NULL);
    nanosleep(&pause_time, NULL);
    timerfd_settime(fd, 0, &off, NULL);
    printf("%ld\n", (long)read(fd, &count, 8));
    /* A duplicate is the same one; blocking reads wait, also in another thread. */
    int same = dup(fd);
    fcntl(same, F_SETFL, 0);
    struct itimerspec at = {{0, 0}, {0, 0}};
    clock_gettime(CLOCK_MONOTONIC, &at.it_value);
    at.it_value.tv_sec -= at.it_value.tv_sec > 0;
    at.it_value.tv_nsec += 1;
    at.it_value.tv_nsec %= 1000000000;
    timerfd_settime(same, TFD_TIMER_ABSTIME, &at, NULL);
    printf("%ld", (long)read(fd, &count, 8));
    printf(" %lu\n", (unsigned long)count);
    pthread_t thread;
    pthread_create(&thread, NULL, drain, &same);
    timerfd_settime(fd, 0, &often, NULL);
    pthread_join(thread, NULL);
    /* In a set of events. */
    int set = epoll_create1(0);
    struct epoll_event event = {.events = EPOLLIN | EPOLLET, .data = {.u64 = 5}};
    epoll_ctl(set, EPOLL_CTL_ADD, fd, &event);
    for (int i = 0; i < 3; ++i) {
        event.data.u64 = 0;
        printf("%d", epoll_wait(set, &event, 1, -1));
        printf(" %x %lu", event.events, (unsigned long)event.data.u64);
        printf(" %ld\n", (long)read(fd, &count, 8));
    }
    /* Of the other clock. */
    int real = timerfd_create(CLOCK_REALTIME, 0);
    clock_gettime(CLOCK_REALTIME, &at.it_value);
    at.it_value.tv_sec += 100;
    timerfd_settime(real, TFD_TIMER_ABSTIME, &at, NULL);
    timerfd_gettime(real, &now);
    printf("%d", now.it_value.tv_sec >= 50 && now.it_value.tv_sec <= 100);
    const struct itimerspec wrong = {{0, 0}, {0, 1000000000}};
    printf(" %d %d", timerfd_settime(real, 0, &wrong, NULL), errno == EINVAL);
    printf(" %d %d", timerfd_settime(0, 0, &soon, NULL), errno == EINVAL);
    printf(" %d %d\n", timerfd_create(77, 0), errno == EINVAL);
}

int main(void) {
    setvbuf(stdout, NULL, _IONBF, 0);
    signals();
    files();
    return 0;
}
