/* collect and fcollect over active sets with a stride, two pSync arrays in turn. */
#include <mpp/shmem.h>
#include <stdio.h>
#include <stdlib.h>

long psync[2][_SHMEM_COLLECT_SYNC_SIZE];

int main(void) {
    int i, me, npes, evens, bad = 0;
    start_pes(0);
    me = shmem_my_pe();
    npes = shmem_n_pes();
    evens = (npes + 1) / 2;
    for (i = 0; i < _SHMEM_COLLECT_SYNC_SIZE; i++)
        psync[0][i] = psync[1][i] = _SHMEM_SYNC_VALUE;
    int* mine = shmalloc(sizeof(int) * npes);
    int* all = shmalloc(sizeof(int) * npes * npes);
    for (i = 0; i < npes; i++)
        mine[i] = me * 100 + i;
    shmem_barrier_all();
    for (int round = 0; round < 20; round++) {
        if (me % 2 == 0) {
            shmem_fcollect32(all, mine, 2, 0, 1, evens, psync[round % 2]);
            for (i = 0; i < evens; i++)
                bad += all[2 * i] != 200 * i || all[2 * i + 1] != 200 * i + 1;
        }
        shmem_barrier_all();
        /* PE p brings p elements */
        shmem_collect32(all, mine, me, 0, 0, npes, psync[round % 2]);
        int at = 0;
        for (int pe = 0; pe < npes; pe++)
            for (i = 0; i < pe; i++)
                bad += all[at++] != pe * 100 + i;
        shmem_barrier_all();
    }
    shfree(all);
    shfree(mine);
    printf("%s on %d\n", bad ? "WRONG" : "ok", me);
    return 0;
}
