/* 1.5: blocks flow down a pipeline, each with a signal; every stage adds one. */
#include <shmem.h>
#include <stdint.h>
#include <stdio.h>

#define BLOCKS 32
#define LENGTH 500

int main(void) {
    shmem_init();
    const int me = shmem_my_pe(), npes = shmem_n_pes();
    static uint64_t ready, first_signal[BLOCKS];
    double(*block)[LENGTH] = shmem_calloc(BLOCKS, sizeof *block);
    double out[LENGTH];
    int bad = 0;
    for (int b = 0; b < BLOCKS; b++) {
        if (me > 0) {
            if (b % 2)
                shmem_signal_wait_until(&ready, SHMEM_CMP_GT, b);
            else
                shmem_signal_wait_until(&first_signal[b], SHMEM_CMP_EQ, 7);
        }
        for (int i = 0; i < LENGTH; i++) {
            bad += me > 0 && block[b][i] != b + i + me;
            out[i] = (me > 0 ? block[b][i] : b + i) + 1;
        }
        if (me < npes - 1) {
            if (b % 2) {
                shmem_put_signal(block[b], out, LENGTH, &ready, b + 1, SHMEM_SIGNAL_SET, me + 1);
            } else {
                shmem_double_put_signal_nbi(block[b], out, LENGTH, &first_signal[b], 7,
                                            SHMEM_SIGNAL_ADD, me + 1);
                shmem_quiet();
            }
        }
    }
    printf("stage %d %s\n", me, bad ? "WRONG" : "ok");
    shmem_free(block);
    shmem_finalize();
    return 0;
}
