/* 2-D heat, rows dealt out, halo rows put into static arrays, the residual by max_to_all. */
#include <math.h>
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COLUMNS  64
#define ROWS     96 /* of the whole plate */
#define MAX_ROWS (ROWS + 2)

static double now[MAX_ROWS][COLUMNS], next[MAX_ROWS][COLUMNS];
double residual, all_residual, work[_SHMEM_REDUCE_MIN_WRKDATA_SIZE];
long sync_a[_SHMEM_REDUCE_SYNC_SIZE], sync_b[_SHMEM_REDUCE_SYNC_SIZE];
double gathered[ROWS][COLUMNS];
long sync_c[_SHMEM_COLLECT_SYNC_SIZE];

static double plate[2][MAX_ROWS][COLUMNS];

int main(void) {
    int i, j, step, steps = 60, me, npes, mine, first;
    shmem_init();
    me = shmem_my_pe();
    npes = shmem_n_pes();
    for (i = 0; i < _SHMEM_REDUCE_SYNC_SIZE; i++)
        sync_a[i] = sync_b[i] = _SHMEM_SYNC_VALUE;
    for (i = 0; i < _SHMEM_COLLECT_SYNC_SIZE; i++)
        sync_c[i] = _SHMEM_SYNC_VALUE;
    mine = ROWS / npes + (me < ROWS % npes);
    first = me * (ROWS / npes) + (me < ROWS % npes ? me : ROWS % npes);
    for (i = 1; i <= mine; i++)
        for (j = 0; j < COLUMNS; j++)
            now[i][j] = (first + i) * 7 % 31 + j % 5;
    shmem_barrier_all();
    for (step = 0; step < steps; step++) {
        if (me > 0)
            shmem_double_put(now[(ROWS / npes + (me - 1 < ROWS % npes)) + 1], now[1], COLUMNS,
                             me - 1);
        if (me < npes - 1) shmem_double_put(now[0], now[mine], COLUMNS, me + 1);
        shmem_barrier_all();
        residual = 0;
        for (i = 1; i <= mine; i++)
            for (j = 1; j < COLUMNS - 1; j++) {
                if (first + i == 1 || first + i == ROWS) {
                    next[i][j] = now[i][j];
                    continue;
                }
                next[i][j] = 0.25 * (now[i - 1][j] + now[i + 1][j] + now[i][j - 1] + now[i][j + 1]);
                residual = fmax(residual, fabs(next[i][j] - now[i][j]));
            }
        shmem_double_max_to_all(&all_residual, &residual, 1, 0, 0, npes, work,
                                step % 2 ? sync_a : sync_b);
        for (i = 1; i <= mine; i++)
            memcpy(&now[i][1], &next[i][1], (COLUMNS - 2) * sizeof(double));
        shmem_barrier_all();
    }
    shmem_collect64(gathered, now[1], (size_t)mine * COLUMNS, 0, 0, npes, sync_c);
    if (me == 0) {
        /* The same by one PE alone. */
        int a = 0, wrong = 0;
        for (i = 1; i <= ROWS; i++)
            for (j = 0; j < COLUMNS; j++)
                plate[0][i][j] = plate[1][i][j] = i * 7 % 31 + j % 5;
        for (step = 0; step < steps; step++, a = 1 - a)
            for (i = 2; i < ROWS; i++)
                for (j = 1; j < COLUMNS - 1; j++)
                    plate[1 - a][i][j] = 0.25 * (plate[a][i - 1][j] + plate[a][i + 1][j] +
                                                 plate[a][i][j - 1] + plate[a][i][j + 1]);
        for (i = 1; i <= ROWS; i++)
            for (j = 0; j < COLUMNS; j++)
                wrong += plate[a][i][j] != gathered[i - 1][j];
        printf("residual %.6f, %d cells differ: %s\n", all_residual, wrong, wrong ? "WRONG" : "ok");
    }
    shmem_finalize();
    return 0;
}
