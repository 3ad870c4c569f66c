/* Distributed matrix transpose with the all-to-all of 1.3, plain and strided. */
#include <shmem.h>
#include <stdint.h>
#include <stdio.h>

#define MAX_PES 16
static int64_t from[MAX_PES * 2], to[MAX_PES * 4];
static long pSync[SHMEM_ALLTOALL_SYNC_SIZE], pSyncs[SHMEM_ALLTOALLS_SYNC_SIZE];

int main(void) {
    shmem_init();
    int me = shmem_my_pe(), n = shmem_n_pes(), bad = 0;
    for (int i = 0; i < SHMEM_ALLTOALL_SYNC_SIZE; i++)
        pSync[i] = SHMEM_SYNC_VALUE;
    for (int i = 0; i < SHMEM_ALLTOALLS_SYNC_SIZE; i++)
        pSyncs[i] = SHMEM_SYNC_VALUE;
    for (int pe = 0; pe < n; pe++)
        from[pe] = me * 1000 + pe;
    shmem_barrier_all();
    shmem_alltoall64(to, from, 1, 0, 0, n, pSync);
    for (int pe = 0; pe < n; pe++)
        bad += to[pe] != pe * 1000 + me;
    shmem_barrier_all();
    shmem_alltoalls64(to, from, 3, 1, 1, 0, 0, n, pSyncs);
    for (int pe = 0; pe < n; pe++)
        bad += to[3 * pe] != pe * 1000 + me;
    printf("%s\n", bad ? "WRONG" : "transposed ok");
    shmem_finalize();
    return 0;
}
