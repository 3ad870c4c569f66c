/* Flags declared volatile, as 1.3 wanted; a tree of notifications up and down. */
#include <shmem.h>
#include <stdio.h>

volatile long up[2];
volatile long down;
volatile int data;

int main(void) {
    shmem_init();
    int me = shmem_my_pe(), n = shmem_n_pes(), child;
    for (long round = 1; round <= 50; round++) {
        for (child = 0; child < 2; child++)
            if (2 * me + 1 + child < n)
                shmem_long_wait_until((long*)&up[child], SHMEM_CMP_GE, round);
        if (me != 0) {
            shmem_long_p((long*)&up[(me - 1) % 2], round, (me - 1) / 2);
            shmem_wait_until(&down, SHMEM_CMP_EQ, round);
        } else {
            data = (int)round * 3;
        }
        for (child = 2 * me + 1; child <= 2 * me + 2 && child < n; child++) {
            shmem_p(&data, data, child);
            shmem_fence();
            shmem_p(&down, round, child);
        }
        if (data != round * 3) {
            printf("WRONG in round %ld\n", round);
            shmem_global_exit(1);
        }
        shmem_barrier_all();
    }
    printf("PE %d ok\n", me);
    shmem_finalize();
    return 0;
}
