// Signals and threads: one that waits for a signal, one that a handler wakes, a read that goes on.
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t seen[65];
static void note(int number) {
    seen[number]++;
}
static void set(int number, int flags) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = note;
    action.sa_flags = flags;
    printf("%d", sigaction(number, &action, NULL));
}

static void* other(void* argument) {
    sigset_t one;
    sigemptyset(&one);
    sigaddset(&one, SIGUSR2);
    int number = 0;
    const int result = sigwait(&one, &number);
    printf("thread: %d %d\n", result, number == SIGUSR2);
    return argument;
}
static atomic_int awake;
static void* sleeper(void* argument) {
    struct timespec long_time = {100, 0}, left = {0, 0};
    const int result = nanosleep(&long_time, &left);
    const int error = errno;
    atomic_store(&awake, 1);
    printf("sleep: %d %d %d\n", result, error == EINTR, left.tv_sec > 50);
    return argument;
}

static int ends[2];
static void* writer(void* argument) {
    const struct timespec time = {0, 30000000};
    do
        nanosleep(&time, NULL);
    while (!seen[SIGALRM]);
    write(ends[1], "x", 1);
    return argument;
}

int main(void) {
    setvbuf(stdout, NULL, _IONBF, 0);
    sigset_t two, old;
    sigemptyset(&two);
    sigaddset(&two, SIGUSR1);
    sigaddset(&two, SIGUSR2);
    sigaddset(&two, SIGALRM);
    pthread_t thread;
    sigprocmask(SIG_BLOCK, &two, &old);
    pthread_create(&thread, NULL, other, NULL);
    for (int i = 0; i < 100; ++i)
        sched_yield();
    int killed = pthread_kill(thread, SIGUSR2);
    pthread_join(thread, NULL);
    printf("%d\n", killed);
    set(SIGUSR1, 0);
    sigprocmask(SIG_SETMASK, &old, NULL);
    pthread_create(&thread, NULL, sleeper, NULL);
    /* Until it wakes: on a busy host the first may come before it sleeps. */
    const struct timespec pause_time = {0, 20000000};
    killed = 0;
    while (!killed && !atomic_load(&awake)) {
        nanosleep(&pause_time, NULL);
        killed = pthread_kill(thread, SIGUSR1);
    }
    pthread_join(thread, NULL);
    printf(" %d\n", killed);
    /* The signal finds the one thread that does not block it, in a read that goes on behind it. */
    pipe(ends);
    sigprocmask(SIG_BLOCK, &two, NULL);
    pthread_create(&thread, NULL, writer, NULL);
    sigprocmask(SIG_SETMASK, &old, NULL);
    set(SIGALRM, SA_RESTART);
    struct itimerval timer = {{0, 0}, {0, 3000}};
    setitimer(ITIMER_REAL, &timer, NULL);
    char byte = 0;
    const long got = read(ends[0], &byte, 1);
    printf(" %ld %c %d\n", got, byte, (int)seen[SIGALRM]);
    pthread_join(thread, NULL);
    return 0;
}
