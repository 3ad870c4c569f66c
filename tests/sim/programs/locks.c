// Mutexes that inherit priorities: handed over, tried, timed, checked, with conditions and
// handlers.
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>

static pthread_mutex_t mutex;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static atomic_int started;
static int total, turn;

static void* add(void* argument) {
    for (int i = 0; i < 2000; ++i) {
        pthread_mutex_lock(&mutex);
        total = total + 1;
        pthread_mutex_unlock(&mutex);
    }
    return argument;
}
static void* hold(void* argument) {
    const struct timespec time = {0, 20000000};
    pthread_mutex_lock(&mutex);
    atomic_store(&started, 1);
    nanosleep(&time, NULL);
    total = 1;
    pthread_mutex_unlock(&mutex);
    return argument;
}
static void* hold_until_told(void* argument) {
    pthread_mutex_lock(&mutex);
    atomic_store(&started, 1);
    while (atomic_load(&started) == 1) {
        const struct timespec time = {0, 1000000};
        nanosleep(&time, NULL);
    }
    pthread_mutex_unlock(&mutex);
    return argument;
}
static void* take_turns(void* argument) {
    const int own = *(int*)argument;
    pthread_mutex_lock(&mutex);
    for (int i = 0; i < 50; ++i) {
        while (turn != own)
            pthread_cond_wait(&condition, &mutex);
        turn = !own;
        ++total;
        pthread_cond_signal(&condition);
    }
    pthread_mutex_unlock(&mutex);
    return argument;
}
static void begin(void* (*function)(void*), pthread_t* thread) {
    atomic_store(&started, 0);
    pthread_create(thread, NULL, function, NULL);
    while (!atomic_load(&started)) {
        const struct timespec time = {0, 1000000};
        nanosleep(&time, NULL);
    }
}
static volatile sig_atomic_t rings;
static void ring(int number) {
    (void)number;
    ++rings;
}
static void* hold_until_rung(void* argument) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGALRM);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    pthread_mutex_lock(&mutex);
    atomic_store(&started, 1);
    while (rings < 3) {
        const struct timespec time = {0, 1000000};
        nanosleep(&time, NULL);
    }
    total = 1;
    pthread_mutex_unlock(&mutex);
    return argument;
}

int main(void) {
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    printf("%d", pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_INHERIT));
    printf(" %d", pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK));
    printf(" %d\n", pthread_mutex_init(&mutex, &attributes));
    pthread_t threads[4];
    for (int i = 0; i < 4; ++i)
        pthread_create(&threads[i], NULL, add, NULL);
    for (int i = 0; i < 4; ++i)
        pthread_join(threads[i], NULL);
    printf("%d\n", total);
    /* The error of a lock that is one's own, of one that is another's. */
    printf("%d", pthread_mutex_lock(&mutex));
    printf(" %d", pthread_mutex_lock(&mutex) == EDEADLK);
    printf(" %d", pthread_mutex_unlock(&mutex));
    printf(" %d\n", pthread_mutex_unlock(&mutex) == EPERM);
    total = 0;
    begin(hold, &threads[0]);
    printf("%d", pthread_mutex_lock(&mutex));
    printf(" %d\n", total);
    pthread_mutex_unlock(&mutex);
    pthread_join(threads[0], NULL);
    begin(hold_until_told, &threads[0]);
    printf("%d", pthread_mutex_trylock(&mutex) == EBUSY);
    struct timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    printf(" %d", pthread_mutex_timedlock(&mutex, &time) == ETIMEDOUT);
    clock_gettime(CLOCK_REALTIME, &time);
    time.tv_nsec += 5000000;
    time.tv_sec += time.tv_nsec / 1000000000;
    time.tv_nsec %= 1000000000;
    printf(" %d\n", pthread_mutex_timedlock(&mutex, &time) == ETIMEDOUT);
    atomic_store(&started, 2);
    printf("%d\n", pthread_mutex_lock(&mutex));
    pthread_mutex_unlock(&mutex);
    pthread_join(threads[0], NULL);
    /* A handler does not end the wait. */
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = ring;
    sigaction(SIGALRM, &action, NULL);
    const struct itimerval often = {{0, 3000}, {0, 3000}}, off = {{0, 0}, {0, 0}};
    total = 0;
    begin(hold_until_rung, &threads[0]);
    setitimer(ITIMER_REAL, &often, NULL);
    printf("%d", pthread_mutex_lock(&mutex));
    setitimer(ITIMER_REAL, &off, NULL);
    printf(" %d %d\n", total, rings > 0);
    pthread_mutex_unlock(&mutex);
    pthread_join(threads[0], NULL);
    total = 0;
    int numbers[2] = {0, 1};
    for (int i = 0; i < 2; ++i)
        pthread_create(&threads[i], NULL, take_turns, &numbers[i]);
    for (int i = 0; i < 2; ++i)
        pthread_join(threads[i], NULL);
    printf("%d %d\n", total, pthread_mutex_destroy(&mutex));
    return 0;
}
