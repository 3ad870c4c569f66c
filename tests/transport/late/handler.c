/* A handler of a signal does to its own PE what docs/ordering-and-progress.md allows, in the midst
 * of operations on the road. */
#include <shmem.h>
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>

enum { ENOUGH = 50 };
static char block[4096], source[4096];
static int words[4];
static volatile sig_atomic_t handled;

static void handler(int signal) {
    const int me = shmem_my_pe(), three = 3;
    int word;
    (void)signal;
    ++handled;
    if (!shmem_ptr(words, me)) return;
    shmem_int_p(&words[0], 1, me);
    word = shmem_int_g(&words[0], me);
    shmem_int_atomic_inc(&words[1], me);
    shmem_int_put(&words[2], &three, 1, me);
    shmem_int_get(&word, &words[2], 1, me);
}

static void every(int microseconds) {
    const struct itimerval timer = {{0, microseconds}, {0, microseconds}};
    setitimer(ITIMER_REAL, &timer, NULL);
}

int main(void) {
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};
    int next;
    shmem_init();
    next = (shmem_my_pe() + 1) % shmem_n_pes();
    sigaction(SIGALRM, &action, NULL);
    every(500);
    for (int i = 0; handled < ENOUGH; ++i) {
        shmem_ctx_t context;
        shmem_putmem(block, source, sizeof block, next);
        shmem_putmem(block, source, sizeof block, shmem_my_pe());
        if (i % 10 == 0) shmem_quiet();
        if (i % 10 == 5 && shmem_ctx_create(0, &context) == 0) shmem_ctx_destroy(context);
    }
    every(0);
    shmem_quiet();
    if (words[0] != 1 || words[1] != handled || words[2] != 3)
        printf("WRONG: %d %d of %d %d\n", words[0], words[1], (int)handled, words[2]);
    shmem_barrier_all();
    shmem_finalize();
    return 0;
}
