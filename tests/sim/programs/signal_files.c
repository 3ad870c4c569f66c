// Signals that are read from files.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

static struct signalfd_siginfo info[4];

static void tell(const char* what, long result) {
    printf("%s: %ld%s%s\n", what, result, result < 0 ? " " : "", result < 0 ? strerror(errno) : "");
}
static void look(const char* what, int fd) {
    memset(info, 0x55, sizeof info);
    tell(what, read(fd, info, sizeof info));
}
static void show(int i) {
    /* The numbers of queued ones are the C library's. */
    printf("%u code %d, %s, value %d %lu, overrun %u, error %d\n",
           info[i].ssi_signo < 32 ? info[i].ssi_signo : 0, info[i].ssi_code,
           info[i].ssi_pid == (unsigned)getpid() ? "own" : "nobody's", info[i].ssi_int,
           (unsigned long)info[i].ssi_ptr, info[i].ssi_overrun, info[i].ssi_errno);
}
static int readable(int fd) {
    struct pollfd polled = {fd, POLLIN | POLLOUT, 0};
    return poll(&polled, 1, 0) * 100 + polled.revents;
}
static void* send_later(void* unused) {
    usleep(1000);
    kill(getpid(), SIGUSR2);
    (void)unused;
    return NULL;
}

int main(void) {
    setvbuf(stdout, NULL, _IONBF, 0);
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigaddset(&set, SIGALRM);
    sigaddset(&set, SIGRTMIN + 3);
    sigaddset(&set, SIGUSR2);
    sigprocmask(SIG_BLOCK, &set, NULL);
    sigdelset(&set, SIGUSR2);
    const int fd = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
    printf("%d %d\n", fcntl(fd, F_GETFD), (fcntl(fd, F_GETFL) & O_NONBLOCK) != 0);
    look("nothing", fd);
    printf("%d\n", readable(fd));
    kill(getpid(), SIGUSR1);
    kill(getpid(), SIGUSR2);
    kill(getpid(), SIGUSR1);
    printf("%d\n", readable(fd));
    look("one", fd);
    show(0);
    printf("%d\n", readable(fd));
    union sigval value;
    value.sival_ptr = (void*)0x123456789;
    sigqueue(getpid(), SIGRTMIN + 3, value);
    value.sival_ptr = (void*)0x987654321;
    sigqueue(getpid(), SIGRTMIN + 3, value);
    raise(SIGUSR1);
    tell("too small", read(fd, info, sizeof info[0] - 1));
    tell("nowhere", read(fd, (void*)8, sizeof info[0]));
    raise(SIGUSR1);
    struct iovec parts[2] = {{info, 100}, {(char*)info + 100, 200}};
    tell("two", readv(fd, parts, 2));
    show(0);
    show(1);
    look("one", fd);
    show(0);
    tell("write", write(fd, info, sizeof info));
    tell("at a place", pread(fd, info, sizeof info, 0));

    /* Another set: what is pending is there at once. */
    sigaddset(&set, SIGUSR2);
    printf("%d %d\n", signalfd(fd, &set, 0) == fd, readable(fd));
    look("one", fd);
    show(0);
    tell("no file", signalfd(99, &set, 0));
    tell("another file", signalfd(0, &set, 0));
    tell("flags", signalfd(-1, &set, 1));

    /* Waiting: in read, poll and epoll. */
    const int waits = signalfd(-1, &set, 0);
    pthread_t thread;
    pthread_create(&thread, NULL, send_later, NULL);
    look("waited", waits);
    show(0);
    pthread_join(thread, NULL);
    const struct itimerval soon = {{0, 0}, {0, 2000}};
    setitimer(ITIMER_REAL, &soon, NULL);
    struct pollfd polled = {waits, POLLIN, 0};
    printf("%d\n", poll(&polled, 1, -1));
    look("alarm", waits);
    printf("%u\n", info[0].ssi_signo);
    const int events = epoll_create1(0);
    struct epoll_event event = {EPOLLIN, {.u32 = 5}};
    epoll_ctl(events, EPOLL_CTL_ADD, waits, &event);
    printf("%d ", epoll_wait(events, &event, 1, 0));
    pthread_create(&thread, NULL, send_later, NULL);
    printf("%d", epoll_wait(events, &event, 1, -1));
    printf(" %d\n", (int)event.data.u32);
    pthread_join(thread, NULL);
    look("waited", waits);
    timer_t timer;
    struct sigevent notice;
    memset(&notice, 0, sizeof notice);
    notice.sigev_notify = SIGEV_SIGNAL;
    notice.sigev_signo = SIGRTMIN + 3;
    notice.sigev_value.sival_int = 42;
    timer_create(CLOCK_MONOTONIC, &notice, &timer);
    const struct itimerspec once = {{0, 0}, {0, 1000000}};
    timer_settime(timer, 0, &once, NULL);
    look("timer", waits);
    show(0);
    /* Taken elsewhere, it is no longer there. */
    kill(getpid(), SIGUSR1);
    printf("%d ", readable(waits));
    const int taken = sigwaitinfo(&set, NULL);
    printf("%d %d\n", taken, readable(waits));
    return 0;
}
