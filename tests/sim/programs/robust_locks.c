// Locks whose owner ends without giving them up: the next one is told, also one that waits already.
#define _GNU_SOURCE
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t mutexes[3];
static atomic_int held, waiting;

static const char* name_of(int result) {
    switch (result) {
        case 0: return "0";
        case EOWNERDEAD: return "EOWNERDEAD";
        case ENOTRECOVERABLE: return "ENOTRECOVERABLE";
        case EBUSY: return "EBUSY";
        case EINVAL: return "EINVAL";
        case EPERM: return "EPERM";
        default: return "something else";
    }
}
static void nap(void) {
    const struct timespec time = {0, 2000000};
    nanosleep(&time, NULL);
}

static void* take(void* unused) {
    for (int i = 0; i < 3; ++i)
        pthread_mutex_lock(&mutexes[i]);
    return unused;
}
static void* take_and_vanish(void* unused) {
    take(unused);
    atomic_store(&held, 1);
    while (atomic_load(&waiting) == 0)
        nap();
    nap();
    nap();
    pthread_mutex_unlock(&mutexes[1]);
    syscall(SYS_exit, 0); /* the library's end of a thread does not run */
    return NULL;
}
static void* wait_for_it(void* result) {
    while (atomic_load(&held) == 0)
        nap();
    atomic_fetch_add(&waiting, 1);
    *(int*)result = pthread_mutex_lock(&mutexes[0]);
    if (*(int*)result == EOWNERDEAD) pthread_mutex_consistent(&mutexes[0]);
    pthread_mutex_unlock(&mutexes[0]);
    return NULL;
}
static void* take_and_leave_by(void* way) {
    take(NULL);
    atomic_store(&held, 1);
    if (*(int*)way == 0) pthread_exit(NULL);
    for (;;)
        nap();
}

static void run(int protocol) {
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    printf("%d", pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST));
    printf(" %d\n", pthread_mutexattr_setprotocol(&attributes, protocol));
    for (int i = 0; i < 3; ++i)
        printf("%s ", name_of(pthread_mutex_init(&mutexes[i], &attributes)));
    pthread_t thread, waiters[3];
    pthread_create(&thread, NULL, take, NULL);
    pthread_join(thread, NULL);
    printf("\n%s", name_of(pthread_mutex_lock(&mutexes[0])));
    printf(" %s", name_of(pthread_mutex_consistent(&mutexes[0])));
    printf(" %s", name_of(pthread_mutex_unlock(&mutexes[0])));
    printf(" %s", name_of(pthread_mutex_lock(&mutexes[0])));
    printf(" %s\n", name_of(pthread_mutex_unlock(&mutexes[0])));
    /* Given up without a word about what it protects. */
    printf("%s", name_of(pthread_mutex_trylock(&mutexes[1])));
    printf(" %s", name_of(pthread_mutex_unlock(&mutexes[1])));
    printf(" %s\n", name_of(pthread_mutex_lock(&mutexes[1])));
    struct timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    time.tv_sec += 50;
    printf("%s", name_of(pthread_mutex_timedlock(&mutexes[2], &time)));
    printf(" %s", name_of(pthread_mutex_consistent(&mutexes[2])));
    printf(" %s\n", name_of(pthread_mutex_unlock(&mutexes[2])));

    for (int i = 0; i < 3; ++i) {
        pthread_mutex_destroy(&mutexes[i]);
        pthread_mutex_init(&mutexes[i], &attributes);
    }
    for (int way = 0; way < 2; ++way) {
        atomic_store(&held, 0);
        pthread_create(&thread, NULL, take_and_leave_by, &way);
        if (way == 1) {
            while (atomic_load(&held) == 0)
                nap();
            pthread_cancel(thread);
        }
        pthread_join(thread, NULL);
        for (int i = 0; i < 3; ++i) {
            printf("%s ", name_of(pthread_mutex_lock(&mutexes[i])));
            pthread_mutex_consistent(&mutexes[i]);
            pthread_mutex_unlock(&mutexes[i]);
        }
        printf("\n");
    }

    /* Three wait when it happens: one is told, the others get a lock that is in order again. */
    int results[3];
    atomic_store(&held, 0);
    atomic_store(&waiting, 0);
    for (int i = 0; i < 3; ++i)
        pthread_create(&waiters[i], NULL, wait_for_it, &results[i]);
    pthread_create(&thread, NULL, take_and_vanish, NULL);
    for (int i = 0; i < 3; ++i)
        pthread_join(waiters[i], NULL);
    int told = 0, got = 0;
    for (int i = 0; i < 3; ++i) {
        told += results[i] == EOWNERDEAD;
        got += results[i] == 0;
    }
    printf("%d %d", told, got);
    printf(" %s", name_of(pthread_mutex_lock(&mutexes[1])));
    printf(" %s\n", name_of(pthread_mutex_lock(&mutexes[2])));
}

/* A lock that inherits goes on to who waits for it, though it is in no list. */
static unsigned unlisted;
static void* take_unlisted(void* unused) {
    syscall(SYS_futex, &unlisted, FUTEX_LOCK_PI, 0, NULL);
    atomic_store(&held, 1);
    while (atomic_load(&waiting) == 0)
        nap();
    nap();
    return unused;
}
static void* wait_for_unlisted(void* unused) {
    while (atomic_load(&held) == 0)
        nap();
    atomic_store(&waiting, 1);
    const long result = syscall(SYS_futex, &unlisted, FUTEX_LOCK_PI, 0, NULL);
    printf("%ld %d %d\n", result, (unlisted & FUTEX_TID_MASK) == (unsigned)syscall(SYS_gettid),
           (unlisted & FUTEX_OWNER_DIED) != 0);
    return unused;
}
static void run_unlisted(void) {
    pthread_t owner, waiter;
    atomic_store(&held, 0);
    atomic_store(&waiting, 0);
    pthread_create(&owner, NULL, take_unlisted, NULL);
    pthread_create(&waiter, NULL, wait_for_unlisted, NULL);
    pthread_join(owner, NULL);
    pthread_join(waiter, NULL);
}

/* A timer by the clock of a thread that has ended cannot be set any more. */
static clockid_t clock_of_thread;
static void* tell_clock(void* unused) {
    pthread_getcpuclockid(pthread_self(), &clock_of_thread);
    atomic_store(&held, 1);
    while (atomic_load(&waiting) == 0)
        nap();
    return unused;
}
static void run_timer(void) {
    pthread_t thread;
    timer_t timer;
    struct sigevent event = {.sigev_notify = SIGEV_NONE};
    const struct itimerspec second = {.it_value = {1, 0}};
    atomic_store(&held, 0);
    atomic_store(&waiting, 0);
    pthread_create(&thread, NULL, tell_clock, NULL);
    while (atomic_load(&held) == 0)
        nap();
    printf("%d", timer_create(clock_of_thread, &event, &timer));
    printf(" %d", timer_settime(timer, 0, &second, NULL));
    atomic_store(&waiting, 1);
    pthread_join(thread, NULL);
    nap(); /* it is joined a little before it is gone */
    const int late = timer_settime(timer, 0, &second, NULL);
    printf(" %d %d\n", late, late != 0 && errno == ESRCH);
}

int main(void) {
    run(PTHREAD_PRIO_NONE);
    run(PTHREAD_PRIO_INHERIT);
    run_unlisted();
    run_timer();
    void* list = NULL;
    size_t size = 0;
    printf("%ld", syscall(SYS_get_robust_list, 0, &list, &size));
    printf(" %d %lu", list != NULL, (unsigned long)size);
    printf(" %ld\n", syscall(SYS_set_robust_list, list, size - 1));
    return 0;
}
