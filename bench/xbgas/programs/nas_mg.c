/* NAS MG, classes S (32 x 32 x 32 points) and W (128 x 128 x 128): four V-cycles of a multigrid
 * solver for a periodic Poisson problem in three dimensions. The PEs have columns of the grid along
 * its first dimension; grids too coarse for a column each are solved by every PE for itself, of
 * what it has collected from all. Validated: the published norm of the residual. */
#include "nas.h"

enum { kMostLevels = 7, kCycles = 4, kCharges = 10 };

/* A grid of n x n x n points, of which this PE has `high` x `wide` x n, with a layer around. */
struct grid {
    int n, high, wide, z0, y0;
    int alone; /* all of it, with nothing to exchange */
    double *u, *r;
};
static struct grid grids[kMostLevels + 1];
static int pes_z, pes_y;
static double *right_side, *line1, *line2;
static double local[1], global[1];

static inline double* row_of(const struct grid* g, double* field, int z, int y) {
    return field + ((z + 1) * (g->wide + 2) + y + 1) * (g->n + 2) + 1;
}
static int pe_at(int z, int y) {
    return (z + pes_z) % pes_z * pes_y + (y + pes_y) % pes_y;
}
static size_t points(const struct grid* g) {
    return (size_t)(g->high + 2) * (size_t)(g->wide + 2) * (size_t)(g->n + 2);
}

/* Fills the layer around: along the columns, then sideways, then up and down with what is there. */
static void exchange(const struct grid* g, double* field) {
    const int z = me / pes_y, y = me % pes_y, n = g->n;
    const size_t row = (size_t)n + 2, plane = row * (size_t)(g->wide + 2);
    for (int i = 0; i < g->high; ++i)
        for (int j = 0; j < g->wide; ++j) {
            double* const of = row_of(g, field, i, j);
            of[-1] = of[n - 1];
            of[n] = of[0];
        }
    if (!g->alone) shmem_barrier_all();
    for (int i = 0; i < g->high; ++i) {
        double *const before = row_of(g, field, i, -1) - 1, *const left = before + row,
                      *const right = row_of(g, field, i, g->wide - 1) - 1,
                      *const behind = right + row;
        if (g->alone) {
            memcpy(behind, left, row * sizeof(double));
            memcpy(before, right, row * sizeof(double));
        } else {
            shmem_double_put_nbi(behind, left, row, pe_at(z, y - 1));
            shmem_double_put_nbi(before, right, row, pe_at(z, y + 1));
        }
    }
    if (!g->alone) shmem_barrier_all();
    double *const below = field, *const lowest = field + plane,
                  *const highest = field + plane * (size_t)g->high, *const above = highest + plane;
    if (g->alone) {
        memcpy(above, lowest, plane * sizeof(double));
        memcpy(below, highest, plane * sizeof(double));
    } else {
        shmem_double_put_nbi(above, lowest, plane, pe_at(z - 1, y));
        shmem_double_put_nbi(below, highest, plane, pe_at(z + 1, y));
        shmem_barrier_all();
    }
}

/* Sums over the rows beside one: the four next to it, and the four at its corners. */
static void lines(const struct grid* g, double* field, int z, int y) {
    const double
        *const a = row_of(g, field, z, y - 1),
               *const b = row_of(g, field, z, y + 1), *const c = row_of(g, field, z - 1, y),
               *const d = row_of(g, field, z + 1, y), *const e = row_of(g, field, z - 1, y - 1),
               *const f = row_of(g, field, z - 1, y + 1), *const h = row_of(g, field, z + 1, y - 1),
               *const k = row_of(g, field, z + 1, y + 1);
    for (int x = -1; x <= g->n; ++x) {
        line1[x] = a[x] + b[x] + c[x] + d[x];
        line2[x] = e[x] + f[x] + h[x] + k[x];
    }
}
/* r = v - A u */
static void residual(const struct grid* g, double* u, double* v, double* r) {
    exchange(g, u);
    for (int z = 0; z < g->high; ++z)
        for (int y = 0; y < g->wide; ++y) {
            lines(g, u, z, y);
            const double *const from = row_of(g, v, z, y), *const here = row_of(g, u, z, y);
            double* const to = row_of(g, r, z, y);
            for (int x = 0; x < g->n; ++x)
                to[x] = from[x] + 8.0 / 3 * here[x] -
                        1.0 / 6 * (line2[x] + line1[x - 1] + line1[x + 1]) -
                        1.0 / 12 * (line2[x - 1] + line2[x + 1]);
        }
}
/* u += S r */
static void smooth(const struct grid* g) {
    exchange(g, g->r);
    for (int z = 0; z < g->high; ++z)
        for (int y = 0; y < g->wide; ++y) {
            lines(g, g->r, z, y);
            const double* const from = row_of(g, g->r, z, y);
            double* const to = row_of(g, g->u, z, y);
            for (int x = 0; x < g->n; ++x)
                to[x] += -3.0 / 8 * from[x] + 1.0 / 32 * (from[x - 1] + from[x + 1] + line1[x]) -
                         1.0 / 64 * (line2[x] + line1[x - 1] + line1[x + 1]);
        }
}
/* The residual on the grid twice as coarse: its point i lies at 2 i + 1. */
static void restrict_to(const struct grid* coarse, const struct grid* fine) {
    exchange(fine, fine->r);
    for (int z = 0; z < coarse->high; ++z)
        for (int y = 0; y < coarse->wide; ++y) {
            lines(fine, fine->r, 2 * z + 1, 2 * y + 1);
            const double* const from = row_of(fine, fine->r, 2 * z + 1, 2 * y + 1);
            double* const to = row_of(coarse, coarse->r, z, y);
            for (int x = 0; x < coarse->n; ++x) {
                const int at = 2 * x + 1;
                to[x] = 0.5 * from[at] + 0.25 * (from[at - 1] + from[at + 1] + line1[at]) +
                        0.125 * (line1[at - 1] + line1[at + 1] + line2[at]) +
                        0.0625 * (line2[at - 1] + line2[at + 1]);
            }
        }
}
/* Adds what was found on the coarse grid, the mean of its points where there is none. */
static void interpolate(const struct grid* fine, const struct grid* coarse) {
    exchange(coarse, coarse->u);
    for (int z = 0; z < fine->high; ++z)
        for (int y = 0; y < fine->wide; ++y) {
            const int at_z = fine->z0 + z, at_y = fine->y0 + y;
            const int behind_z = at_z / 2 - coarse->z0, behind_y = at_y / 2 - coarse->y0;
            const int before_z = behind_z - (at_z % 2 == 0), before_y = behind_y - (at_y % 2 == 0);
            const double *const a = row_of(coarse, coarse->u, before_z, before_y),
                                *const b = row_of(coarse, coarse->u, before_z, behind_y),
                                *const c = row_of(coarse, coarse->u, behind_z, before_y),
                                *const d = row_of(coarse, coarse->u, behind_z, behind_y);
            for (int x = -1; x < coarse->n; ++x)
                line1[x] = 0.25 * (a[x] + b[x] + c[x] + d[x]);
            double* const to = row_of(fine, fine->u, z, y);
            for (int x = 0; x < coarse->n; ++x) {
                to[2 * x] += 0.5 * (line1[x - 1] + line1[x]);
                to[2 * x + 1] += line1[x];
            }
        }
}
/* The residual of all on every PE. */
static void collect(const struct grid* to, const struct grid* from) {
    static double *mine, *all;
    const size_t n = (size_t)from->n, rows = (size_t)(from->high * from->wide);
    if (!mine) {
        mine = symmetric(rows * n * sizeof *mine);
        all = symmetric(rows * n * (size_t)npes * sizeof *all);
    }
    for (int z = 0; z < from->high; ++z)
        for (int y = 0; y < from->wide; ++y)
            memcpy(mine + (size_t)(z * from->wide + y) * n, row_of(from, from->r, z, y),
                   n * sizeof *mine);
    shmem_barrier_all(); /* the last one's has been read */
    shmem_double_fcollect(SHMEM_TEAM_WORLD, all, mine, rows * n);
    for (int z = 0; z < to->n; ++z)
        for (int y = 0; y < to->n; ++y) {
            const int pe = z / from->high * pes_y + y / from->wide;
            const int row = z % from->high * from->wide + y % from->wide;
            memcpy(row_of(to, to->r, z, y), all + ((size_t)pe * rows + (size_t)row) * n,
                   n * sizeof *all);
        }
}

static void set_up(struct grid* g, int n, int alone) {
    g->n = n;
    g->alone = alone;
    g->high = alone ? n : n / pes_z;
    g->wide = alone ? n : n / pes_y;
    g->z0 = alone ? 0 : me / pes_y * g->high;
    g->y0 = alone ? 0 : me % pes_y * g->wide;
    const size_t bytes = points(g) * sizeof(double);
    g->u = alone ? malloc(bytes) : symmetric(bytes);
    g->r = alone ? malloc(bytes) : symmetric(bytes);
    memset(g->u, 0, bytes);
    memset(g->r, 0, bytes);
}
/* 1 where the ten largest of the random numbers are, -1 where the ten smallest are, 0 elsewhere. */
static void set_charges(const struct grid* g) {
    double largest[kCharges], smallest[kCharges];
    long at_largest[kCharges], at_smallest[kCharges];
    for (int k = 0; k < kCharges; ++k) {
        largest[k] = 0;
        smallest[k] = 1;
        at_largest[k] = at_smallest[k] = 0;
    }
    uint64_t seed = 314159265;
    const long all = (long)g->n * g->n * g->n;
    for (long i = 0; i < all; ++i) {
        const double x = nas_random(&seed);
        if (x > largest[0]) {
            int k = 0;
            for (; k + 1 < kCharges && x > largest[k + 1]; ++k) {
                largest[k] = largest[k + 1];
                at_largest[k] = at_largest[k + 1];
            }
            largest[k] = x;
            at_largest[k] = i;
        }
        if (x < smallest[0]) {
            int k = 0;
            for (; k + 1 < kCharges && x < smallest[k + 1]; ++k) {
                smallest[k] = smallest[k + 1];
                at_smallest[k] = at_smallest[k + 1];
            }
            smallest[k] = x;
            at_smallest[k] = i;
        }
    }
    for (int k = 0; k < 2 * kCharges; ++k) {
        const long at = k < kCharges ? at_largest[k] : at_smallest[k - kCharges];
        const int z = (int)(at / g->n / g->n) - g->z0, y = (int)(at / g->n % g->n) - g->y0;
        if (z >= 0 && z < g->high && y >= 0 && y < g->wide)
            row_of(g, right_side, z, y)[at % g->n] = k < kCharges ? 1 : -1;
    }
}
static double norm(const struct grid* g) {
    local[0] = 0;
    for (int z = 0; z < g->high; ++z)
        for (int y = 0; y < g->wide; ++y) {
            const double* const r = row_of(g, g->r, z, y);
            for (int x = 0; x < g->n; ++x)
                local[0] += r[x] * r[x];
        }
    shmem_double_sum_reduce(SHMEM_TEAM_WORLD, global, local, 1);
    return sqrt(global[0] / ((double)g->n * g->n * g->n));
}

int main(int argc, char** argv) {
    start();
    const int wide = nas_class(argc, argv) == 'W', n = wide ? 128 : 32;
    for (pes_z = 1; pes_z * pes_z < npes; pes_z *= 2) {
    }
    pes_y = npes / pes_z;
    if (pes_z * pes_y != npes || (npes & (npes - 1)) != 0 || pes_z > n / 4)
        return nas_refuse("nas_mg wants a power of two of PEs, of which n / 4 fit a side");
    /* From the finest to 2 x 2 x 2; one that is collected stands before those of each PE alone. */
    int levels = 0, first_alone = -1;
    for (int side = n; side >= 2; side /= 2) {
        const int shared = side >= pes_z;
        if (!shared && first_alone < 0) {
            first_alone = levels;
            set_up(&grids[levels++], side * 2, 1);
        }
        set_up(&grids[levels++], side, !shared);
    }
    line1 = (double*)malloc(2 * ((size_t)n + 2) * sizeof *line1) + 1;
    line2 = line1 + n + 2;
    struct grid* const top = grids;
    right_side = calloc(points(top), sizeof *right_side);
    set_charges(top);
    begin();
    residual(top, top->u, right_side, top->r);
    for (int cycle = 0; cycle < kCycles; ++cycle) {
        for (int k = 1; k < levels; ++k) {
            if (k == first_alone)
                collect(&grids[k], &grids[k - 1]);
            else
                restrict_to(&grids[k], &grids[k - 1]);
        }
        memset(grids[levels - 1].u, 0, points(&grids[levels - 1]) * sizeof(double));
        smooth(&grids[levels - 1]);
        for (int k = levels - 2; k >= 0; --k) {
            if (k == first_alone) continue; /* its work is done where it is shared */
            struct grid* const g = &grids[k];
            if (k != 0) memset(g->u, 0, points(g) * sizeof(double));
            interpolate(g, &grids[k + 1 == first_alone ? k + 2 : k + 1]);
            residual(g, g->u, k == 0 ? right_side : g->r, g->r);
            smooth(g);
        }
        residual(top, top->u, right_side, top->r);
    }
    const double left = norm(top);
    end();
    return finish("nas_mg",
                  nas_agrees(left, wide ? 0.6467329375339e-05 : 0.5307707005734e-04, 1e-8),
                  kCycles);
}
