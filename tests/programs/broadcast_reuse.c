/* Broadcasts in a loop with the root going round and the pSync array used over and over. */
#include <shmem.h>
#include <stdio.h>

static long pSync[SHMEM_BCAST_SYNC_SIZE];
static long source[8], target[8];
static long barrier_sync[SHMEM_BARRIER_SYNC_SIZE];

int main(void) {
    shmem_init();
    const int me = shmem_my_pe(), npes = shmem_n_pes();
    int bad = 0;
    for (int i = 0; i < SHMEM_BCAST_SYNC_SIZE; i++)
        pSync[i] = SHMEM_SYNC_VALUE;
    for (int i = 0; i < SHMEM_BARRIER_SYNC_SIZE; i++)
        barrier_sync[i] = SHMEM_SYNC_VALUE;
    shmem_barrier_all();
    for (int round = 0; round < 100; round++) {
        const int root = round % npes;
        for (int i = 0; i < 8; i++) {
            source[i] = me * 1000 + round + i;
            target[i] = -1;
        }
        shmem_barrier(0, 0, npes, barrier_sync);
        shmem_broadcast64(target, source, 8, root, 0, 0, npes, pSync);
        for (int i = 0; i < 8; i++)
            bad += target[i] != (me == root ? -1 : root * 1000 + round + i);
        shmem_barrier_all();
    }
    printf("%s\n", bad ? "WRONG" : "broadcasts ok");
    shmem_finalize();
    return 0;
}
