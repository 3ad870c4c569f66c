// eventfd and epoll: counts, levels, edges, one shot, threads, time limits.
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
#include <sys/eventfd.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static int counter, other, set;

static void* count_up(void* argument) {
    const struct timespec time = {0, 5000000};
    for (int i = 1; i <= 3; ++i) {
        eventfd_t value = (eventfd_t)i;
        write(counter, &value, sizeof value);
        read(other, &value, sizeof value);
        nanosleep(&time, NULL);
    }
    return argument;
}
static void* count_down(void* argument) {
    eventfd_t value;
    const long got = read(counter, &value, sizeof value);
    printf("taken %ld %lu\n", got, (unsigned long)value);
    return argument;
}

static void counters(void) {
    eventfd_t value;
    counter = eventfd(5, EFD_NONBLOCK | EFD_CLOEXEC);
    printf("%d", fcntl(counter, F_GETFD));
    printf(" %ld %lu", (long)read(counter, &value, 8), (unsigned long)value);
    printf(" %ld %d", (long)read(counter, &value, 8), errno == EAGAIN);
    printf(" %ld %d", (long)read(counter, &value, 4), errno == EINVAL);
    value = UINT64_MAX;
    printf(" %ld %d", (long)write(counter, &value, 8), errno == EINVAL);
    value = UINT64_MAX - 1;
    printf(" %ld", (long)write(counter, &value, 8));
    printf(" %ld %d", (long)write(counter, &value, 8), errno == EAGAIN);
    struct pollfd file = {counter, POLLIN | POLLOUT, 0};
    printf(" %d %x\n", poll(&file, 1, 0), file.revents);
    fcntl(counter, F_SETFL, 0);
    printf("%d\n", (fcntl(counter, F_GETFL) & O_NONBLOCK) != 0);
    /* A count that does not fit waits until somebody has taken the other one. */
    pthread_t thread;
    pthread_create(&thread, NULL, count_down, NULL);
    value = 7;
    write(counter, &value, 8);
    pthread_join(thread, NULL);
    printf("%d", eventfd_read(counter, &value));
    printf(" %lu\n", (unsigned long)value);
    other = eventfd(2, EFD_SEMAPHORE);
    printf("%d", eventfd_read(other, &value));
    printf(" %lu", (unsigned long)value);
    printf(" %d", eventfd_read(other, &value));
    printf(" %lu\n", (unsigned long)value);
    pthread_create(&thread, NULL, count_up, NULL);
    for (int i = 0; i < 3; ++i) {
        read(counter, &value, sizeof value);
        printf("%lu ", (unsigned long)value);
        value = 1;
        write(other, &value, sizeof value);
    }
    pthread_join(thread, NULL);
    printf("%d %s\n", eventfd(0, 16), strerror(errno));
}

static int add(int operation, int fd, uint32_t events, uint64_t data) {
    struct epoll_event event = {.events = events, .data = {.u64 = data}};
    return epoll_ctl(set, operation, fd, &event);
}
static void show(int milliseconds) {
    struct epoll_event events[4];
    const int count = epoll_wait(set, events, 4, milliseconds);
    printf("%d", count);
    for (int i = 0; i < count; ++i)
        printf(" %x:%lx", events[i].events, (unsigned long)events[i].data.u64);
    printf("\n");
}

static int ends[2];
static void* write_later(void* argument) {
    const struct timespec time = {0, 5000000};
    nanosleep(&time, NULL);
    write(ends[1], "text", 4);
    return argument;
}
static void nothing(int number) {
    (void)number;
}

static void sets(void) {
    char text[16];
    set = epoll_create1(EPOLL_CLOEXEC);
    pipe(ends);
    printf("%d %d", fcntl(set, F_GETFD), add(EPOLL_CTL_ADD, ends[0], EPOLLIN, 0x123456789abcull));
    printf(" %d %d", add(EPOLL_CTL_ADD, ends[0], EPOLLIN, 1), errno == EEXIST);
    printf(" %d %d", add(EPOLL_CTL_MOD, ends[1], EPOLLIN, 1), errno == ENOENT);
    printf(" %d %d", add(EPOLL_CTL_ADD, 99, EPOLLIN, 1), errno == EBADF);
    printf(" %d %d\n", epoll_ctl(ends[0], EPOLL_CTL_ADD, ends[1], NULL), errno == EFAULT);
    const int file = open("/proc/self/exe", O_RDONLY);
    printf("%d %d", add(EPOLL_CTL_ADD, file, EPOLLIN, 1), errno == EPERM);
    struct epoll_event event;
    printf(" %d %d", epoll_wait(set, &event, 0, 0), errno == EINVAL);
    printf(" %d %d\n", epoll_wait(ends[0], &event, 1, 0), errno == EINVAL);
    show(0);
    show(3);
    /* By level: as long as there is something. */
    write(ends[1], "abcd", 4);
    show(-1);
    show(0);
    add(EPOLL_CTL_ADD, ends[1], EPOLLOUT, 2);
    show(0);
    printf("%ld\n", (long)read(ends[0], text, sizeof text));
    show(0);
    /* By edge: when something comes. */
    add(EPOLL_CTL_DEL, ends[1], 0, 0);
    add(EPOLL_CTL_MOD, ends[0], EPOLLIN | EPOLLET, 3);
    write(ends[1], "ab", 2);
    show(-1);
    show(0);
    write(ends[1], "c", 1);
    show(-1);
    show(2);
    /* Once. */
    add(EPOLL_CTL_MOD, ends[0], EPOLLIN | EPOLLONESHOT, 4);
    show(0);
    write(ends[1], "d", 1);
    show(0);
    add(EPOLL_CTL_MOD, ends[0], EPOLLIN | EPOLLONESHOT, 5);
    show(0);
    printf("%ld\n", (long)read(ends[0], text, sizeof text));
    /* Another thread makes it ready. */
    add(EPOLL_CTL_MOD, ends[0], EPOLLIN | EPOLLET, 6);
    pthread_t thread;
    pthread_create(&thread, NULL, write_later, NULL);
    show(-1);
    pthread_join(thread, NULL);
    pthread_create(&thread, NULL, write_later, NULL);
    show(50000);
    pthread_join(thread, NULL);
    /* A set in a set, and a count. */
    const int inner = set;
    set = epoll_create1(0);
    printf("%d\n", add(EPOLL_CTL_ADD, inner, EPOLLIN, 7));
    show(0);
    add(EPOLL_CTL_ADD, counter, EPOLLIN, 8);
    eventfd_write(counter, 1);
    show(-1);
    struct pollfd polled = {set, POLLIN, 0};
    printf("%d %x\n", poll(&polled, 1, -1), polled.revents);
    close(counter);
    show(0);
    /* A handler interrupts it, under a mask of its own. */
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = nothing;
    sigaction(SIGALRM, &action, NULL);
    sigset_t blocked, none;
    sigemptyset(&none);
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGALRM);
    sigprocmask(SIG_BLOCK, &blocked, NULL);
    const struct itimerval timer = {{0, 0}, {0, 3000}};
    setitimer(ITIMER_REAL, &timer, NULL);
    printf("%d", epoll_pwait(set, &event, 1, -1, &none));
    printf(" %d\n", errno == EINTR);
    close(ends[1]);
    set = inner;
    show(-1);
}

int main(void) {
    setvbuf(stdout, NULL, _IONBF, 0);
    counters();
    sets();
    return 0;
}
