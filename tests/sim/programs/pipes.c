// Pipes: broken ones, full ones, large transfers between threads.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t broken;
static void handler(int number, siginfo_t* info, void* context) {
    (void)context;
    broken += number == SIGPIPE && info->si_code == SI_USER && info->si_pid == getpid();
}

static void nobody_reads(void) {
    int ends[2];
    pipe(ends);
    close(ends[0]);
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = handler;
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGPIPE, &action, NULL);
    printf("%ld", (long)write(ends[1], "abc", 3));
    printf(" %d %d\n", errno == EPIPE, broken);
    struct iovec parts[2] = {{"abc", 3}, {"def", 3}};
    printf("%ld", (long)writev(ends[1], parts, 2));
    printf(" %d %d\n", errno == EPIPE, broken);
    signal(SIGPIPE, SIG_IGN);
    printf("%ld", (long)write(ends[1], "abc", 3));
    printf(" %d %d\n", errno == EPIPE, broken);
    /* Blocked, it stays pending for the thread. */
    sigaction(SIGPIPE, &action, NULL);
    sigset_t set, pending;
    sigemptyset(&set);
    sigaddset(&set, SIGPIPE);
    sigprocmask(SIG_BLOCK, &set, NULL);
    printf("%ld", (long)write(ends[1], "abc", 3));
    sigpending(&pending);
    printf(" %d %d", broken, sigismember(&pending, SIGPIPE));
    sigprocmask(SIG_UNBLOCK, &set, NULL);
    printf(" %d\n", broken);
    close(ends[1]);
}

enum { kLarge = 1000000, kPipe = 65536 };
static char large[kLarge], copy[kLarge];
static int ends[2];

static void* write_large(void* argument) {
    printf("written %ld\n", (long)write(ends[1], large, kLarge));
    close(ends[1]);
    return argument;
}
static void* read_slowly(void* argument) {
    static char text[kPipe];
    long total = 0, got, most = 0;
    while ((got = read(ends[0], text, 5000)) > 0) {
        total += got;
        if (got > most) most = got;
    }
    printf("read %ld %ld\n", total, most);
    return argument;
}
static long read_all(char* to, long size) {
    long total = 0, got;
    while ((got = read(ends[0], to + total, (size_t)(size - total))) > 0)
        total += got;
    return total;
}

/* Not by the main thread: the machine's time is that of the busiest one, which then reads. */
static void* fill(void* argument) {
    for (int i = 0; i < kLarge; ++i)
        large[i] = (char)(i * 7 + i / 4096);
    return argument;
}
static void* read_and_compare(void* argument) {
    static char text[3000];
    long total = 0, got, wrong = 0;
    while ((got = read(ends[0], text, sizeof text)) > 0) {
        wrong += memcmp(text, large + total, (size_t)got) != 0;
        total += got;
    }
    printf("read %ld, %ld wrong\n", total, wrong);
    return argument;
}

/* More than a pipe holds, either way. */
static void large_transfers(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, fill, NULL);
    pthread_join(thread, NULL);
    pipe(ends);
    pthread_create(&thread, NULL, write_large, NULL);
    const long total = read_all(copy, kLarge);
    pthread_join(thread, NULL);
    printf("%ld %d\n", total, memcmp(large, copy, kLarge));
    printf("%ld\n", (long)read(ends[0], copy, 1));
    close(ends[0]);

    pipe(ends);
    pthread_create(&thread, NULL, read_slowly, NULL);
    struct iovec parts[3] = {{large, 300000}, {large + 300000, 1}, {large + 300001, 99999}};
    printf("%ld\n", (long)writev(ends[1], parts, 3));
    close(ends[1]);
    pthread_join(thread, NULL);
    close(ends[0]);

    /* A read takes what is there. */
    pipe(ends);
    printf("%ld", (long)write(ends[1], large, 60000));
    printf(" %ld", (long)read(ends[0], copy, kLarge));
    printf(" %ld", (long)write(ends[1], large, kPipe));
    struct iovec two[2] = {{copy, 65000}, {copy + 65000, 65000}};
    printf(" %ld\n", (long)readv(ends[0], two, 2));
    close(ends[0]);
    close(ends[1]);
}

/* Without blocking: up to PIPE_BUF all or nothing, above what there is room for. */
static void not_blocking(void) {
    pipe2(ends, O_NONBLOCK);
    printf("%d", (fcntl(ends[0], F_GETFL) & O_NONBLOCK) != 0);
    printf(" %ld", (long)read(ends[0], copy, 10));
    printf(" %d", errno == EAGAIN);
    printf(" %ld", (long)write(ends[1], large, kLarge));
    printf(" %ld", (long)write(ends[1], large, 1));
    printf(" %d\n", errno == EAGAIN);
    read(ends[0], copy, 4096);
    printf("%ld", (long)write(ends[1], large, 4096));
    printf(" %ld %d\n", (long)write(ends[1], large, 4096), errno == EAGAIN);
    int waiting;
    printf("%d %d\n", ioctl(ends[0], FIONREAD, &waiting), waiting);
    printf("%d", fcntl(ends[1], F_SETFL, 0));
    printf(" %d", (fcntl(ends[1], F_GETFL) & O_NONBLOCK) != 0);
    printf(" %d\n", fcntl(ends[1], F_GETPIPE_SZ));
    close(ends[0]);
    close(ends[1]);
}

static volatile sig_atomic_t rings;
static void ring(int number) {
    (void)number;
    ++rings;
}
/* A handler ends a write that has written something, and one that has not. */
static void interrupted(int flags) {
    const struct itimerval often = {{0, 20000}, {0, 20000}}, off = {{0, 0}, {0, 0}};
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = ring;
    action.sa_flags = flags;
    sigaction(SIGALRM, &action, NULL);
    pipe(ends);
    rings = 0;
    setitimer(ITIMER_REAL, &often, NULL);
    printf("%ld", (long)write(ends[1], large, 100000));
    if ((flags & SA_RESTART) == 0) {
        printf(" %ld", (long)write(ends[1], large, 100));
        printf(" %d", errno == EINTR);
    }
    setitimer(ITIMER_REAL, &off, NULL);
    printf(" %d\n", rings > 0);
    close(ends[0]);
    close(ends[1]);
}

static int others[2];
static long noted;
static void note(int number) {
    (void)number;
    noted += write(others[1], "note", 4);
}
/* Handlers that write between the parts of a large write. */
static void interrupted_often(void) {
    const struct itimerval often = {{0, 50}, {0, 50}}, off = {{0, 0}, {0, 0}};
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = note;
    sigaction(SIGALRM, &action, NULL);
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGALRM);
    pipe(ends);
    pipe2(others, O_NONBLOCK);
    pthread_t thread;
    sigprocmask(SIG_BLOCK, &set, NULL);
    pthread_create(&thread, NULL, read_and_compare, NULL);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
    setitimer(ITIMER_REAL, &often, NULL);
    long total = 0;
    while (total < kLarge) {
        const long written = write(ends[1], large + total, (size_t)(kLarge - total));
        if (written > 0) total += written;
        if (written < 0 && errno != EINTR) break;
        if (noted > 50000) noted -= read(others[0], copy, 40000);
    }
    setitimer(ITIMER_REAL, &off, NULL);
    close(ends[1]);
    pthread_join(thread, NULL);
    int waiting = 0;
    ioctl(others[0], FIONREAD, &waiting);
    printf("%ld %d\n", total, waiting == noted);
    close(ends[0]);
    close(others[0]);
    close(others[1]);
}

static void* close_reader(void* argument) {
    const struct timespec time = {0, 1000000};
    for (int waiting = 0; waiting < kPipe; ioctl(ends[0], FIONREAD, &waiting))
        nanosleep(&time, NULL);
    close(ends[0]);
    return argument;
}
/* The reader goes while the writer waits for it. */
static void left_alone(void) {
    pthread_t thread;
    pipe(ends);
    signal(SIGPIPE, SIG_IGN);
    pthread_create(&thread, NULL, close_reader, NULL);
    printf("%ld", (long)write(ends[1], large, 100000));
    printf(" %ld", (long)write(ends[1], large, 100000));
    printf(" %d\n", errno == EPIPE);
    pthread_join(thread, NULL);
    close(ends[1]);
}

int main(void) {
    setvbuf(stdout, NULL, _IONBF, 0);
    nobody_reads();
    large_transfers();
    not_blocking();
    interrupted(0);
    interrupted(SA_RESTART);
    left_alone();
    interrupted_often();
    return 0;
}
