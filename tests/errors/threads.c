/* Contexts of threads; handlers of signals. */
#include <pthread.h>
#include <signal.h>
#include <sys/time.h>
#include <time.h>

#include "cases.h"

static long words[16];
static char large[2][1 << 20];
static shmem_ctx_t context;

static void* put_once(void* nothing) {
    shmem_ctx_putmem(context, words, words + 1, sizeof words[0], 0);
    return nothing;
}
static void* add_once(void* nothing) {
    shmem_ctx_long_atomic_add(context, words, 1, 0);
    return nothing;
}
static void* put_again(void* nothing) {
    for (;;)
        shmem_ctx_putmem(context, large[0], large[1], sizeof large[0], 0);
    return nothing;
}
static void* destroy(void* nothing) {
    shmem_ctx_destroy(context);
    return nothing;
}
static void* wait_for_all(void* nothing) {
    shmem_ctx_quiet(context);
    return nothing;
}
static void by_thread(void* (*call)(void*)) {
    pthread_t thread;
    pthread_create(&thread, NULL, call, NULL);
    pthread_join(thread, NULL);
}

static void private_context(void* (*call)(void*)) {
    shmem_ctx_create(SHMEM_CTX_PRIVATE, &context);
    put_once(NULL);
    by_thread(call);
}
static void private_put(int me, int pes) {
    (void)pes;
    if (me == 0) private_context(put_once);
}
static void private_add(int me, int pes) {
    (void)pes;
    if (me == 0) private_context(add_once);
}
static void private_quiet(int me, int pes) {
    (void)pes;
    if (me == 0) private_context(wait_for_all);
}
static void private_destroyed(int me, int pes) {
    (void)pes;
    if (me == 0) private_context(destroy);
}
static void in_turns(int me, int pes) {
    (void)pes;
    shmem_ctx_create(SHMEM_CTX_SERIALIZED, &context);
    if (me != 0) return;
    put_once(NULL);
    by_thread(put_once);
    by_thread(add_once);
    put_once(NULL);
    destroy(NULL);
}
static void at_once(int me, int pes) {
    pthread_t thread;
    (void)pes;
    shmem_ctx_create(SHMEM_CTX_SERIALIZED, &context);
    if (me != 0) return;
    pthread_create(&thread, NULL, put_again, NULL);
    put_again(NULL);
}

/* The handler comes again and again, until it meets a call. */
static void put_in_handler(int number) {
    (void)number;
    shmem_putmem(words, words + 8, 8 * sizeof words[0], 1);
}
static void add_in_handler(int number) {
    (void)number;
    shmem_long_atomic_add(words, 1, 1);
}
static void interrupted(int me, void (*handler)(int)) {
    const struct itimerval often = {{0, 100}, {0, 100}};
    const struct itimerval never = {{0, 0}, {0, 0}};
    const time_t end = time(NULL) + 10;
    if (me != 0) return;
    signal(SIGALRM, handler);
    setitimer(ITIMER_REAL, &often, NULL);
    while (time(NULL) < end)
        shmem_putmem(words, words + 8, 8 * sizeof words[0], 1);
    setitimer(ITIMER_REAL, &never, NULL);
}
static void put_in_signal(int me, int pes) {
    (void)pes;
    interrupted(me, put_in_handler);
}
static void add_in_signal(int me, int pes) {
    (void)pes;
    interrupted(me, add_in_handler);
}

/* Threads may meet, so the set has no team, and others count in the array before this PE does. */
static void psync_three(int me, int pes) {
    static long mine[SHMEM_SYNC_SIZE];
    (void)me;
    mine[0] = 3;
    shmem_barrier_all();
    shmem_barrier(0, 0, pes, mine);
}

/* PE 1 joins no collective, so that neither call ends. */
static void* sync_all(void* nothing) {
    shmem_sync_all();
    return nothing;
}
static void team_at_once(int me, int pes) {
    pthread_t thread;
    (void)pes;
    if (me != 0) shmem_long_wait_until(words, SHMEM_CMP_NE, 0);
    pthread_create(&thread, NULL, sync_all, NULL);
    shmem_free(shmem_malloc(8));
}
static void sync_in_handler(int number) {
    (void)number;
    shmem_team_sync(SHMEM_TEAM_WORLD);
}
static void sync_in_signal(int me, int pes) {
    const struct itimerval often = {{0, 100}, {0, 100}};
    (void)pes;
    if (me != 0) shmem_long_wait_until(words, SHMEM_CMP_NE, 0);
    signal(SIGALRM, sync_in_handler);
    setitimer(ITIMER_REAL, &often, NULL);
    shmem_barrier_all();
}

const struct Case cases[] = {
    {"private_put", private_put},
    {"private_add", private_add},
    {"private_quiet", private_quiet},
    {"private_destroyed", private_destroyed},
    {"in_turns", in_turns},
    {"at_once", at_once},
    {"put_in_signal", put_in_signal},
    {"add_in_signal", add_in_signal},
    {"psync_three", psync_three},
    {"team_at_once", team_at_once},
    {"sync_in_signal", sync_in_signal},
    {NULL, NULL},
};
