/* C = A B; rows of A and C stay, the row blocks of B travel round the ring through shmalloc memory.
 */
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>

int main(void) {
    start_pes(0);
    const int me = _my_pe(), npes = _num_pes();
    const int block = 12, n = block * npes;
    double* a = malloc(sizeof(double) * block * n);
    double* c = calloc(block * n, sizeof(double));
    double* b[2];
    b[0] = shmalloc(sizeof(double) * block * n);
    b[1] = shmalloc(sizeof(double) * block * n);
    for (int i = 0; i < block; i++)
        for (int j = 0; j < n; j++) {
            a[i * n + j] = (me * block + i + j) % 7;
            b[0][i * n + j] = (me * block + i) == j ? 2.0 : 0.0;
        }
    shmem_barrier_all();
    for (int round = 0; round < npes; round++) {
        const int owner = (me + npes - round) % npes;
        const double* current = b[round % 2];
        shmem_double_put_nbi(b[(round + 1) % 2], current, block * n, (me + 1) % npes);
        for (int i = 0; i < block; i++)
            for (int k = 0; k < block; k++)
                for (int j = 0; j < n; j++)
                    c[i * n + j] += a[i * n + owner * block + k] * current[k * n + j];
        shmem_barrier_all();
    }
    int wrong = 0;
    for (int i = 0; i < block * n; i++)
        wrong += c[i] != 2 * a[i];
    static int errors, total, work[SHMEM_REDUCE_MIN_WRKDATA_SIZE];
    static long sync[SHMEM_REDUCE_SYNC_SIZE];
    for (int i = 0; i < SHMEM_REDUCE_SYNC_SIZE; i++)
        sync[i] = SHMEM_SYNC_VALUE;
    errors = wrong;
    shmem_barrier_all();
    shmem_int_sum_to_all(&total, &errors, 1, 0, 0, npes, work, sync);
    if (me == 0) printf("%d x %d: %d wrong: %s\n", n, n, total, total ? "WRONG" : "ok");
    shfree(b[1]);
    shfree(b[0]);
    free(a);
    free(c);
    return 0;
}
