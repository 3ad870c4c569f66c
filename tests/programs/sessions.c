/* 1.6: hints for a burst of operations, quiet for some PEs only, memory with hints. */
#include <shmem.h>
#include <stdio.h>

int main(void) {
    shmem_init();
    const int me = shmem_my_pe(), npes = shmem_n_pes(), next = (me + 1) % npes;
    uint64_t* sig = shmem_malloc_with_hints(sizeof *sig, SHMEM_MALLOC_SIGNAL_REMOTE);
    uint32_t* words = shmem_malloc_with_hints(1000 * sizeof *words, SHMEM_MALLOC_ATOMICS_REMOTE);
    *sig = 0;
    for (int i = 0; i < 1000; i++)
        words[i] = 0;
    shmem_barrier_all();
    shmem_ctx_session_config_t config = {.total_ops = 1000};
    shmem_ctx_session_start(SHMEM_CTX_DEFAULT, SHMEM_CTX_SESSION_BATCH, &config,
                            SHMEM_CTX_SESSION_TOTAL_OPS);
    for (int i = 0; i < 1000; i++)
        shmem_atomic_add(&words[i], (uint32_t)(me + i), next);
    shmem_ctx_session_stop(SHMEM_CTX_DEFAULT);
    shmem_pe_quiet(&next, 1);
    shmem_signal_set(sig, 1, next);
    shmem_signal_wait_until(sig, SHMEM_CMP_EQ, 1);
    int bad = 0;
    for (int i = 0; i < 1000; i++)
        bad += words[i] != (uint32_t)((me + npes - 1) % npes + i);
    printf("%s\n", bad ? "WRONG" : "session ok");
    shmem_barrier_all();
    shmem_free(words);
    shmem_free(sig);
    shmem_finalize();
    return 0;
}
