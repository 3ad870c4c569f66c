/* NAS CG in small: conjugate gradients on a sparse symmetric matrix whose rows are spread over the
 * PEs. Elements of the vector that a row needs from elsewhere are fetched one by one, as they are
 * scattered. Validated: the residual is what the recurrence says, computed afresh, and every PE has
 * its part of the solution that PE 0 finds alone. */
#include "common.h"

#include <math.h>

enum { kOffsets = 3 };
static const int distance[kOffsets] = {1, 7, 29};

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
/* With --nbi 1 what a product needs of the others is got by get_nbi, with one quiet, and used then;
 * without, each word by a get of its own. */
static double* got;
static int* until; /* which of them belong to a row: those before */
static int overlapping;
/* q = A v: diagonal, and -1 at some distances to both sides, around the ring. */
static void multiply(double* result, const double* v) {
    shmem_barrier_all();
    double* next = got;
    for (int i = 0; i < mine; ++i) {
        double value = (2.0 * kOffsets + 2) * v[i];
        for (int k = 0; k < kOffsets; ++k)
            for (int sign = -1; sign <= 1; sign += 2) {
                const int row = (me * mine + i + sign * distance[k] + all) % all;
                const int pe = row / mine;
                if (pe == me)
                    value -= v[row % mine];
                else if (overlapping)
                    shmem_double_get_nbi(next++, &v[row % mine], 1, pe);
                else
                    value -= shmem_double_g(&v[row % mine], pe);
            }
        result[i] = value;
        if (overlapping) until[i] = (int)(next - got);
    }
    if (overlapping) {
        shmem_quiet();
        for (int i = 0, k = 0; i < mine; ++i)
            for (; k < until[i]; ++k)
                result[i] -= got[k];
    }
    shmem_barrier_all();
}

static double right_side(int row) {
    return (double)(random_at(9, (uint64_t)row) >> 40) * 0x1p-24;
}
static double dot_alone(const double* a, const double* b) {
    double sum = 0;
    for (int i = 0; i < all; ++i)
        sum += a[i] * b[i];
    return sum;
}
/* The whole of it, without any communication. */
static void solve_alone(double* solution, int iterations) {
    double* const direction = malloc((size_t)all * sizeof(double));
    double* const rest = malloc((size_t)all * sizeof(double));
    double* const product = malloc((size_t)all * sizeof(double));
    for (int i = 0; i < all; ++i) {
        solution[i] = 0;
        direction[i] = rest[i] = right_side(i);
    }
    double length = dot_alone(rest, rest);
    for (int it = 0; it < iterations; ++it) {
        for (int i = 0; i < all; ++i) {
            product[i] = (2.0 * kOffsets + 2) * direction[i];
            for (int k = 0; k < kOffsets; ++k)
                product[i] -=
                    direction[(i + distance[k]) % all] + direction[(i - distance[k] + all) % all];
        }
        const double step = length / dot_alone(direction, product);
        for (int i = 0; i < all; ++i) {
            solution[i] += step * direction[i];
            rest[i] -= step * product[i];
        }
        const double next = dot_alone(rest, rest);
        for (int i = 0; i < all; ++i)
            direction[i] = rest[i] + next / length * direction[i];
        length = next;
    }
    free(direction);
    free(rest);
    free(product);
}
/* PE 0 looks at the parts of all. */
static int is_solution(int iterations) {
    double* const solution = malloc((size_t)all * sizeof(double));
    double* const part = malloc((size_t)mine * sizeof(double));
    solve_alone(solution, iterations);
    int right = 1;
    for (int pe = 0; pe < npes; ++pe) {
        shmem_getmem(part, x, (size_t)mine * sizeof(double), pe);
        for (int i = 0; i < mine; ++i)
            right &= fabs(part[i] - solution[pe * mine + i]) <= 1e-9;
    }
    free(solution);
    free(part);
    return right;
}

int main(int argc, char** argv) {
    start();
    mine = argument(argc, argv, "--count", 32);
    if (mine * npes <= 58) mine = 64; /* the distances must not meet around the ring */
    all = mine * npes;
    const int iterations = argument(argc, argv, "--iterations", 6);
    overlapping = argument(argc, argv, "--nbi", 0);
    got = malloc((size_t)mine * 2 * kOffsets * sizeof *got);
    until = malloc((size_t)mine * sizeof *until);
    p = symmetric((size_t)mine * sizeof *p);
    x = symmetric((size_t)mine * sizeof *x);
    r = malloc((size_t)mine * sizeof *r);
    q = malloc((size_t)mine * sizeof *q);
    for (int i = 0; i < mine; ++i) {
        x[i] = 0;
        p[i] = r[i] = right_side(me * mine + i);
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
        q[i] = right_side(me * mine + i) - q[i];
    const double residual = dot(q, q);
    int right = residual < 1e-3 * first && fabs(residual - rho) <= 1e-9 * first;
    if (me == 0) right &= is_solution(iterations);
    return finish("cg", right, (double)iterations);
}
