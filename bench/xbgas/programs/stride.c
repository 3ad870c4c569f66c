/* Columns of a matrix to the right neighbour and from the left one, by strided transfers. */
#include "common.h"

enum { kRows = 64, kColumns = 16 };

int main(int argc, char** argv) {
    start();
    const int rounds = argument(argc, argv, "--count", 8);
    double* const matrix = symmetric(kRows * kColumns * sizeof *matrix);
    double* const got = symmetric(kRows * kColumns * sizeof *got);
    for (int i = 0; i < kRows * kColumns; ++i)
        matrix[i] = me * 10000.0 + i, got[i] = 0;
    const int right_pe = (me + 1) % npes, left = (me + npes - 1) % npes;
    begin();
    for (int round = 0; round < rounds; ++round) {
        /* My column `round` becomes the neighbour's row of half the columns. */
        shmem_double_iput(&got[round], &matrix[round], kColumns, kColumns, kRows, right_pe);
        shmem_double_iget(&got[kColumns / 2 + round], &matrix[round], kColumns, kColumns, kRows,
                          left);
    }
    end();
    int right = 1;
    for (int round = 0; round < rounds; ++round)
        for (int row = 0; row < kRows; ++row) {
            const double expected = left * 10000.0 + row * kColumns + round;
            right &= got[row * kColumns + round] == expected;
            right &= got[row * kColumns + kColumns / 2 + round] == expected;
        }
    return finish("stride", right, 2.0 * rounds * kRows * npes);
}
