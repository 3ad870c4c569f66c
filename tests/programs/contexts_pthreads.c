/* Threads of one PE, each with a context of its own, all hitting all PEs. */
#include <pthread.h>
#include <shmem.h>
#include <stdio.h>

#define THREADS 4
#define ROUNDS  500
static long counter, cells[THREADS][64];
static int me, npes;

static void* work(void* argument) {
    const int id = (int)(long)argument;
    shmem_ctx_t ctx;
    if (shmem_ctx_create(SHMEM_CTX_PRIVATE, &ctx)) {
        fprintf(stderr, "no context\n");
        shmem_global_exit(2);
    }
    for (int i = 0; i < ROUNDS; i++) {
        const int pe = (me + i + id) % npes;
        shmem_ctx_long_atomic_inc(ctx, &counter, pe);
        shmem_ctx_long_p(ctx, &cells[id][me], i, pe);
        if (i % 64 == 0) shmem_ctx_quiet(ctx);
    }
    shmem_ctx_fence(ctx); /* the last value behind those before it */
    for (int pe = 0; pe < npes; pe++)
        shmem_ctx_long_put(ctx, &cells[id][me], (long[]){1000 + me}, 1, pe);
    shmem_ctx_quiet(ctx);
    shmem_ctx_destroy(ctx);
    return NULL;
}

int main(void) {
    int provided, bad = 0;
    shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided);
    if (provided != SHMEM_THREAD_MULTIPLE) {
        printf("WRONG level %d\n", provided);
        shmem_global_exit(1);
    }
    me = shmem_my_pe();
    npes = shmem_n_pes();
    pthread_t threads[THREADS];
    for (long i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work, (void*)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    shmem_barrier_all();
    static long total;
    shmem_long_sum_reduce(SHMEM_TEAM_WORLD, &total, &counter, 1);
    for (int t = 0; t < THREADS; t++)
        for (int pe = 0; pe < npes; pe++)
            bad += cells[t][pe] != 1000 + pe;
    printf("PE %d: %ld increments: %s\n", me, total,
           bad || total != (long)THREADS * ROUNDS * npes ? "WRONG" : "ok");
    shmem_finalize();
    return 0;
}
