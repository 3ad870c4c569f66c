/* SSCA#1, kernel 1: the best local alignment of two sequences (Smith and Waterman, affine-free
 * gaps). Each PE has a strip of columns; the cells at its right edge go to the next PE, some rows
 * at a time, so that the PEs work as a pipeline; with --nbi 1 by put_signal_nbi. PE 0 checks each
 * PE's left edge and best score against a serial computation. */
#include "common.h"

#ifndef MOST_ROWS
#define MOST_ROWS 512
#endif
enum { kMatch = 5, kMismatch = -3, kGap = -4, kMost = MOST_ROWS };

static int edge[kMost + 1]; /* the column left of mine, from the PE before */
static uint64_t rows_ready; /* how much of it is there */
static int best_of_all[1], best_here[1], best_alone[1];

static char letter(uint64_t sequence, int i) {
    return "ACGT"[random_at(sequence, (uint64_t)i) & 3];
}
static int larger(int a, int b) {
    return a > b ? a : b;
}

/* One row: `above` is the row before it, in columns -1.. of the strip, and becomes this one. */
static int advance(int* above, int columns, const char* text, char letter_here, int left) {
    int corner = above[0], best = 0;
    above[0] = left;
    for (int j = 1; j <= columns; ++j) {
        const int diagonal = corner + (text[j - 1] == letter_here ? kMatch : kMismatch);
        corner = above[j];
        const int cell = larger(larger(0, diagonal), larger(corner, above[j - 1]) + kGap);
        above[j] = cell;
        best = larger(best, cell);
    }
    return best;
}

int main(int argc, char** argv) {
    start();
    const int columns = argument(argc, argv, "--columns", 32),
              rows = argument(argc, argv, "--count", 128);
    const int block = 4;
    if (rows > kMost || rows % block != 0) return 2;
    char* const text = malloc((size_t)columns * (size_t)npes);
    char* const pattern = malloc((size_t)rows);
    int* const strip = calloc((size_t)columns * (size_t)npes + 1, sizeof *strip);
    const int overlapping = argument(argc, argv, "--nbi", 0);
    int* const right_edges = malloc((size_t)rows * sizeof *right_edges);
    for (int j = 0; j < columns * npes; ++j)
        text[j] = letter(1, j);
    for (int i = 0; i < rows; ++i)
        pattern[i] = letter(2, i);
    begin();
    for (int i = 0; i < rows; i += block) {
        if (me > 0) shmem_uint64_wait_until(&rows_ready, SHMEM_CMP_GE, (uint64_t)(i + block));
        for (int k = 0; k < block; ++k) {
            const int found = advance(strip, columns, text + me * columns, pattern[i + k],
                                      me > 0 ? edge[i + k] : 0);
            best_here[0] = larger(best_here[0], found);
            right_edges[i + k] = strip[columns];
        }
        if (me + 1 == npes) continue;
        if (overlapping)
            shmem_int_put_signal_nbi(&edge[i], &right_edges[i], block, &rows_ready,
                                     (uint64_t)(i + block), SHMEM_SIGNAL_SET, me + 1);
        else
            shmem_int_put_signal(&edge[i], &right_edges[i], block, &rows_ready,
                                 (uint64_t)(i + block), SHMEM_SIGNAL_SET, me + 1);
    }
    shmem_int_max_reduce(SHMEM_TEAM_WORLD, best_of_all, best_here, 1);
    end();
    int right = 1;
    if (me == 0) {
        int* const edges = malloc((size_t)npes * (size_t)rows * sizeof *edges);
        int* const best = calloc((size_t)npes, sizeof *best);
        int there[kMost];
        memset(strip, 0, ((size_t)columns * (size_t)npes + 1) * sizeof *strip);
        for (int i = 0; i < rows; ++i) {
            best_alone[0] =
                larger(best_alone[0], advance(strip, columns * npes, text, pattern[i], 0));
            for (int pe = 0; pe < npes; ++pe) {
                edges[pe * rows + i] = strip[pe * columns];
                for (int j = 1; j <= columns; ++j)
                    best[pe] = larger(best[pe], strip[pe * columns + j]);
            }
        }
        for (int pe = 0; pe < npes; ++pe) {
            right &= shmem_int_g(best_here, pe) == best[pe];
            shmem_getmem(there, edge, (size_t)rows * sizeof *there, pe);
            right &= memcmp(there, edges + pe * rows, (size_t)rows * sizeof *there) == 0;
        }
    }
    shmem_barrier_all();
    right &= best_of_all[0] == shmem_int_g(best_alone, 0);
    return finish("ssca1", right, (double)rows / block * (npes - 1));
}
