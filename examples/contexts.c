/* Several threads of each PE communicate at once, each over a context of its own.
 *
 * New here: shmem_init_thread and contexts. A context orders and completes its own operations:
 * shmem_ctx_quiet waits for what this thread has put and for nothing else, and threads that use
 * different contexts share no lock. */
#include <pthread.h>
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 3, VALUES = 1000 };

static long table[THREADS][VALUES]; /* filled by the PE before this one */
static int done[THREADS];

static void* fill(void* argument) {
    const int thread = *(const int*)argument;
    const int next = (shmem_my_pe() + 1) % shmem_n_pes();
    shmem_ctx_t context = SHMEM_CTX_INVALID;
    if (shmem_ctx_create(SHMEM_CTX_PRIVATE, &context) != 0) { /* for this thread alone */
        fprintf(stderr, "no context for thread %d\n", thread);
        shmem_global_exit(1);
    }
    for (int i = 0; i < VALUES; ++i)
        shmem_ctx_long_p(context, &table[thread][i], 1000L * thread + i, next);
    shmem_ctx_quiet(context); /* the values are there */
    shmem_ctx_int_atomic_set(context, &done[thread], 1, next);
    shmem_ctx_destroy(context);
    return NULL;
}

int main(void) {
    int provided = SHMEM_THREAD_SINGLE;
    shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided);
    if (provided < SHMEM_THREAD_MULTIPLE) {
        fprintf(stderr, "this library does not support several threads at once\n");
        shmem_global_exit(1);
    }
    pthread_t threads[THREADS];
    int numbers[THREADS];
    for (int t = 0; t < THREADS; ++t) {
        numbers[t] = t;
        if (pthread_create(&threads[t], NULL, fill, &numbers[t]) != 0) shmem_global_exit(1);
    }
    long right = 0;
    for (int t = 0; t < THREADS; ++t) {
        shmem_int_wait_until(&done[t], SHMEM_CMP_EQ, 1);
        for (int i = 0; i < VALUES; ++i)
            right += table[t][i] == 1000L * t + i;
    }
    for (int t = 0; t < THREADS; ++t)
        pthread_join(threads[t], NULL);

    static long mine[1], all[1];
    mine[0] = right;
    shmem_long_sum_reduce(SHMEM_TEAM_WORLD, all, mine, 1);
    const long expected = (long)THREADS * VALUES * shmem_n_pes();
    if (shmem_my_pe() == 0)
        printf("%ld of %ld values arrived over %d contexts at each PE\n", all[0], expected,
               THREADS);
    const int wrong = all[0] != expected;
    shmem_finalize();
    return wrong;
}
