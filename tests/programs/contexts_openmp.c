/* Tasks are taken from counters on all PEs by OpenMP threads (C11 generics on contexts). */
#include <shmem.h>
#include <stdio.h>

static long next_task, done, all_done;

int main(void) {
    int level;
    const long tasks = 300;
    shmem_init_thread(SHMEM_THREAD_MULTIPLE, &level);
    const int me = shmem_my_pe(), npes = shmem_n_pes();
#pragma omp parallel num_threads(3) reduction(+ : done)
    {
        shmem_ctx_t ctx = SHMEM_CTX_INVALID;
        if (shmem_ctx_create(SHMEM_CTX_PRIVATE, &ctx) != 0) shmem_global_exit(3);
        for (int i = 0; i < npes; i++) {
            const int pe = (me + i) % npes;
            while (shmem_atomic_fetch_inc(ctx, &next_task, pe) < tasks)
                done++;
        }
        shmem_ctx_destroy(ctx);
    }
    shmem_sum_reduce(SHMEM_TEAM_WORLD, &all_done, &done, 1);
    if (me == 0) printf("%ld tasks: %s\n", all_done, all_done == tasks * npes ? "ok" : "WRONG");
    shmem_finalize();
    return 0;
}
