/* NAS CG in small: conjugate gradients on a sparse symmetric matrix whose rows are spread over the
 * PEs. Elements of the vector that a row needs from elsewhere are fetched one by one, as they are
 * scattered. Validated: the residual is what the recurrence says, computed afresh. */
#include "common.h"

#include <math.h>

enum { kOffsets = 3 };

static int mine, all;
static double *p, *x, *r, *q;
static double local[1], global[1];

static double dot(const double* a, const double* b) {
    local[0] = 0;
    for (int i = 0; i < mine; ++i)
        local[0] += a[i] * b[i];
    shmem_double_sum_reduce(SHMEM_TEAM_WORLD, global, local, 1);
    return global[0];
}
/* q = A v: diagonal, and -1 at some distances to both sides, around the ring. */
static void multiply(double* result, const double* v) {
    static const int distance[kOffsets] = {1, 7, 29};
    shmem_barrier_all();
    for (int i = 0; i < mine; ++i) {
        double value = (2.0 * kOffsets + 2) * v[i];
        for (int k = 0; k < kOffsets; ++k)
            for (int sign = -1; sign <= 1; sign += 2) {
                const int row = (me * mine + i + sign * distance[k] + all) % all;
                const int pe = row / mine;
                value -= pe == me ? v[row % mine] : shmem_double_g(&v[row % mine], pe);
            }
        result[i] = value;
    }
    shmem_barrier_all();
}

int main(int argc, char** argv) {
    start();
    mine = argument(argc, argv, "--count", 32);
    if (mine * npes <= 58) mine = 64; /* the distances must not meet around the ring */
    all = mine * npes;
    const int iterations = argument(argc, argv, "--iterations", 6);
    p = symmetric((size_t)mine * sizeof *p);
    x = symmetric((size_t)mine * sizeof *x);
    r = malloc((size_t)mine * sizeof *r);
    q = malloc((size_t)mine * sizeof *q);
    for (int i = 0; i < mine; ++i) {
        x[i] = 0;
        p[i] = r[i] = (double)(random_at(9, (uint64_t)(me * mine + i)) >> 40) * 0x1p-24;
    }
    double first = 0, rho = 0;
    begin();
    first = rho = dot(r, r);
    for (int it = 0; it < iterations; ++it) {
        multiply(q, p);
        const double alpha = rho / dot(p, q);
        for (int i = 0; i < mine; ++i) {
            x[i] += alpha * p[i];
            r[i] -= alpha * q[i];
        }
        const double next = dot(r, r), beta = next / rho;
        rho = next;
        for (int i = 0; i < mine; ++i)
            p[i] = r[i] + beta * p[i];
    }
    end();
    multiply(q, x);
    for (int i = 0; i < mine; ++i)
        q[i] = (double)(random_at(9, (uint64_t)(me * mine + i)) >> 40) * 0x1p-24 - q[i];
    const double residual = dot(q, q);
    const int right = residual < 1e-3 * first && fabs(residual - rho) <= 1e-9 * first;
    return finish("cg", right, (double)iterations);
}
