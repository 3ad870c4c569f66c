/* Halo exchange: a rod of cells is divided among the PEs; each PE keeps a copy of its neighbours'
 * rim cells beside its own, and the copies are renewed before every step.
 *
 * New here: shmem_malloc, a block put, and the order of two updates. shmem_fence makes the data
 * visible before the flag that announces it; the reader waits for the flag and reads the data. */
#include <math.h>
#include <shmem.h>
#include <stdio.h>
#include <string.h>

enum { CELLS = 64, RIM = 4, STEPS = 40 }; /* RIM steps can be done between two exchanges */

static int left_arrived = 0; /* number of the exchange whose rim has come from the left */
static int right_arrived = 0;

static void exchange(double* cells, int number) {
    const int me = shmem_my_pe();
    const int left = me - 1;
    const int right = me + 1 < shmem_n_pes() ? me + 1 : -1;
    if (left >= 0) shmem_double_put(cells + RIM + CELLS, cells + RIM, RIM, left);
    if (right >= 0) shmem_double_put(cells, cells + CELLS, RIM, right);
    shmem_fence();
    if (left >= 0) shmem_int_atomic_set(&right_arrived, number, left);
    if (right >= 0) shmem_int_atomic_set(&left_arrived, number, right);
    if (left >= 0) shmem_int_wait_until(&left_arrived, SHMEM_CMP_GE, number);
    if (right >= 0) shmem_int_wait_until(&right_arrived, SHMEM_CMP_GE, number);
}

static void step(double* cells, double* scratch) {
    const int first = shmem_my_pe() == 0;
    const int last = shmem_my_pe() == shmem_n_pes() - 1;
    for (int i = 1; i < CELLS + 2 * RIM - 1; ++i)
        scratch[i] = cells[i] + 0.25 * (cells[i - 1] - 2 * cells[i] + cells[i + 1]);
    /* Nothing flows over the ends of the rod: the cell beyond is like the last one. */
    if (first) scratch[RIM - 1] = scratch[RIM];
    if (last) scratch[RIM + CELLS] = scratch[RIM + CELLS - 1];
    memcpy(cells + 1, scratch + 1, (CELLS + 2 * RIM - 2) * sizeof *cells);
}

int main(void) {
    shmem_init();
    const int me = shmem_my_pe();
    double* cells = shmem_calloc(CELLS + 2 * RIM, sizeof *cells);
    double scratch[CELLS + 2 * RIM] = {0};
    if (me == 0) cells[RIM] = cells[RIM - 1] = 100; /* all the heat is at the left end */

    for (int done = 0; done < STEPS; done += RIM) {
        exchange(cells, done / RIM + 1);
        for (int i = 0; i < RIM; ++i)
            step(cells, scratch);
        shmem_barrier_all(); /* nobody puts into a rim that is still being read */
    }

    static double heat[1], total[1];
    for (int i = 0; i < CELLS; ++i)
        heat[0] += cells[RIM + i];
    shmem_double_sum_reduce(SHMEM_TEAM_WORLD, total, heat, 1);
    const int kept = fabs(total[0] - 100) < 1e-9;
    if (me == 0)
        printf("after %d steps the left end has %.3f, all cells together %.6f\n", STEPS, cells[RIM],
               total[0]);
    shmem_free(cells);
    shmem_finalize();
    return !kept;
}
