/* A matrix divided by rows becomes its transpose, also divided by rows: every PE has something for
 * every other PE.
 *
 * New here: a collective, shmem_TYPE_alltoall: block j of each PE's source becomes block i of PE
 * j's dest, where i is the sender. */
#include <shmem.h>
#include <stdio.h>

enum { ROWS = 16 }; /* of each PE */

int main(void) {
    shmem_init();
    const int me = shmem_my_pe();
    const int pes = shmem_n_pes();
    const int side = ROWS * pes;
    const size_t block = ROWS * ROWS;
    double* packed = shmem_malloc(block * pes * sizeof *packed);
    double* received = shmem_malloc(block * pes * sizeof *received);

    /* Element (row, column) of the matrix is row * side + column. Block p holds what PE p will own,
     * already turned. */
    for (int p = 0; p < pes; ++p)
        for (int column = 0; column < ROWS; ++column)
            for (int row = 0; row < ROWS; ++row)
                packed[p * block + column * ROWS + row] =
                    (double)(me * ROWS + row) * side + (p * ROWS + column);

    shmem_double_alltoall(SHMEM_TEAM_WORLD, received, packed, block);

    /* Row r of the transpose is column me * ROWS + r of the matrix. */
    static int errors[1], all_errors[1];
    for (int p = 0; p < pes; ++p)
        for (int r = 0; r < ROWS; ++r)
            for (int c = 0; c < ROWS; ++c) {
                const double expected = (double)(p * ROWS + c) * side + (me * ROWS + r);
                errors[0] += received[p * block + r * ROWS + c] != expected;
            }
    shmem_int_sum_reduce(SHMEM_TEAM_WORLD, all_errors, errors, 1);
    if (me == 0)
        printf("a %d x %d matrix transposed on %d PEs, %d wrong elements\n", side, side, pes,
               all_errors[0]);
    shmem_free(received);
    shmem_free(packed);
    const int wrong = all_errors[0] != 0;
    shmem_finalize();
    return wrong;
}
