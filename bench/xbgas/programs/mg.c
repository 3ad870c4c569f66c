/* NAS MG in small: V-cycles of a multigrid solver for a periodic Poisson problem in two dimensions,
 * in strips of rows. Edges go to the neighbours at every level; once there is one row a PE, the
 * coarser levels coarsen the columns only. Validated: every cycle makes the residual much smaller,
 * and every PE has its part of what PE 0 finds alone. */
#include "common.h"

#include <math.h>

enum { kLevels = 4 };

struct level {
    int first, rows, columns;
    int whole;         /* all rows, on one PE: nothing to exchange with others */
    double *u, *f, *r; /* with a row of the neighbour before and behind */
};
static struct level levels[kLevels], whole_levels[kLevels];
static double local[1], global[1];

static double* at(const struct level* l, double* field, int row, int column) {
    return &field[(row + 1) * l->columns + (column & (l->columns - 1))];
}
static void exchange(const struct level* l, double* field) {
    if (l->whole) {
        memcpy(at(l, field, l->rows, 0), at(l, field, 0, 0), (size_t)l->columns * sizeof(double));
        memcpy(at(l, field, -1, 0), at(l, field, l->rows - 1, 0),
               (size_t)l->columns * sizeof(double));
        return;
    }
    const int before = (me + npes - 1) % npes, after = (me + 1) % npes;
    shmem_barrier_all();
    shmem_double_put(at(l, field, l->rows, 0), at(l, field, 0, 0), (size_t)l->columns, before);
    shmem_double_put(at(l, field, -1, 0), at(l, field, l->rows - 1, 0), (size_t)l->columns, after);
    shmem_barrier_all();
}
/* Rows are not coarsened, so couplings between rows weaken against those between columns. */
static double weight(int depth) {
    return 1.0 / (double)(1 << (2 * depth));
}
static void smooth(const struct level* l, int depth) {
    const double w = weight(depth);
    for (int sweep = 0; sweep < 2; ++sweep)
        for (int colour = 0; colour < 2; ++colour) {
            exchange(l, l->u);
            for (int i = 0; i < l->rows; ++i)
                for (int j = (l->first + i + colour) & 1; j < l->columns; j += 2)
                    *at(l, l->u, i, j) =
                        (*at(l, l->f, i, j) + *at(l, l->u, i - 1, j) + *at(l, l->u, i + 1, j) +
                         w * (*at(l, l->u, i, j - 1) + *at(l, l->u, i, j + 1))) /
                        (2.25 + 2 * w);
        }
}
static double residual(const struct level* l, int depth) {
    const double w = weight(depth);
    exchange(l, l->u);
    local[0] = 0;
    for (int i = 0; i < l->rows; ++i)
        for (int j = 0; j < l->columns; ++j) {
            const double r = *at(l, l->f, i, j) - (2.25 + 2 * w) * *at(l, l->u, i, j) +
                             *at(l, l->u, i - 1, j) + *at(l, l->u, i + 1, j) +
                             w * (*at(l, l->u, i, j - 1) + *at(l, l->u, i, j + 1));
            *at(l, l->r, i, j) = r;
            local[0] += r * r;
        }
    return local[0];
}
static void cycle(const struct level* l, int depth) {
    smooth(l, depth);
    if (depth + 1 == kLevels) return smooth(l, depth);
    const struct level* const coarse = l + 1;
    residual(l, depth);
    for (int i = 0; i < l->rows; ++i)
        for (int j = 0; j < coarse->columns; ++j) {
            *at(coarse, coarse->f, i, j) =
                0.25 * (*at(l, l->r, i, 2 * j - 1) + 2 * *at(l, l->r, i, 2 * j) +
                        *at(l, l->r, i, 2 * j + 1));
            *at(coarse, coarse->u, i, j) = 0;
        }
    cycle(coarse, depth + 1);
    for (int i = 0; i < l->rows; ++i)
        for (int j = 0; j < coarse->columns; ++j) {
            const double here = *at(coarse, coarse->u, i, j);
            *at(l, l->u, i, 2 * j) += here;
            *at(l, l->u, i, 2 * j + 1) += 0.5 * (here + *at(coarse, coarse->u, i, j + 1));
        }
    smooth(l, depth);
}

static void set_up(struct level* all, int whole, int first, int rows, int columns) {
    for (int depth = 0; depth < kLevels; ++depth) {
        struct level* const l = &all[depth];
        l->first = first;
        l->rows = rows;
        l->columns = columns >> depth;
        l->whole = whole;
        const size_t bytes = (size_t)(rows + 2) * (size_t)l->columns * sizeof(double);
        l->u = whole ? malloc(bytes) : symmetric(bytes);
        l->f = whole ? malloc(bytes) : symmetric(bytes);
        l->r = whole ? malloc(bytes) : symmetric(bytes);
        memset(l->u, 0, bytes);
        memset(l->f, 0, bytes);
    }
    for (int i = 0; i < rows; ++i)
        for (int j = 0; j < columns; ++j)
            *at(all, all->f, i, j) =
                (double)(random_at(5, (uint64_t)((first + i) * columns + j)) >> 40) * 0x1p-24 - 0.5;
}
/* PE 0 solves it alone and looks at the parts of all; `left`: the residual of all. */
static int is_solution(int cycles, double left) {
    const int rows = levels[0].rows, columns = levels[0].columns;
    set_up(whole_levels, 1, 0, rows * npes, columns);
    for (int c = 0; c < cycles; ++c)
        cycle(whole_levels, 0);
    const double alone = residual(whole_levels, 0);
    int right = fabs(left - alone) <= 1e-9 * alone;
    double* const part = malloc((size_t)columns * sizeof(double));
    for (int row = 0; row < rows * npes; ++row) {
        shmem_getmem(part, at(levels, levels[0].u, row % rows, 0), (size_t)columns * sizeof(double),
                     row / rows);
        for (int j = 0; j < columns; ++j)
            right &= fabs(part[j] - *at(whole_levels, whole_levels[0].u, row, j)) <= 1e-12;
    }
    free(part);
    return right;
}

int main(int argc, char** argv) {
    start();
    const int rows = argument(argc, argv, "--count", 2),
              columns = argument(argc, argv, "--columns", 32);
    const int cycles = 2;
    set_up(levels, 0, me * rows, rows, columns);
    residual(&levels[0], 0);
    shmem_double_sum_reduce(SHMEM_TEAM_WORLD, global, local, 1);
    const double first = global[0];
    begin();
    for (int c = 0; c < cycles; ++c)
        cycle(levels, 0);
    end();
    residual(&levels[0], 0);
    shmem_double_sum_reduce(SHMEM_TEAM_WORLD, global, local, 1);
    int right = global[0] < 1e-2 * first && first > 0;
    if (me == 0) right &= is_solution(cycles, global[0]);
    return finish("mg", right, cycles);
}
