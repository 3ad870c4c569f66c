/* NAS CG, classes S (1400 rows, 7 random elements each before the outer products) and W (7000 rows,
 * 8): the inverse power method, 15 times 25 iterations of conjugate gradients. Rows are spread over
 * the PEs; a product collects the whole vector first, of which a row's elements need random places.
 * Validated: the published zeta. */
#include "nas.h"

enum { kOuter = 15, kInner = 25, kMostElements = 16 };

static int all, each, first, mine; /* rows; of a PE, the last ones fewer; from which, and mine */
static int *row_begin, *column;
static double* element;
static double *whole, *part; /* the vector of a product: all of it, and my rows' */
static double local[2], global[2];

static void sum_up(int numbers) {
    shmem_double_sum_reduce(SHMEM_TEAM_WORLD, global, local, (size_t)numbers);
}
static double dot(const double* a, const double* b) {
    local[0] = 0;
    for (int i = 0; i < mine; ++i)
        local[0] += a[i] * b[i];
    sum_up(1);
    return global[0];
}
static void multiply(double* result, const double* v) {
    memcpy(part, v, (size_t)mine * sizeof *part);
    shmem_barrier_all(); /* the last product has been made of the others' parts */
    shmem_double_fcollect(SHMEM_TEAM_WORLD, whole, part, (size_t)each);
    for (int i = 0; i < mine; ++i) {
        double sum = 0;
        for (int k = row_begin[i]; k < row_begin[i + 1]; ++k)
            sum += element[k] * whole[column[k]];
        result[i] = sum;
    }
}

/* My rows of the matrix: the sum of outer products of sparse random vectors, one for each row, with
 * weights that fall from 1 to 0.1, and 0.1 less the shift on the diagonal. */
static void make_matrix(int random_elements, double shift) {
    int power = 1;
    while (power < all)
        power *= 2;
    double* const dense = calloc((size_t)mine * (size_t)all + 1, sizeof *dense);
    uint64_t seed = nas_skip(314159265, 1);
    const double ratio = pow(0.1, 1.0 / all);
    double size = 1;
    for (int outer = 0; outer < all; ++outer, size *= ratio) {
        double value[kMostElements + 1];
        int at[kMostElements + 1], n = 0;
        while (n < random_elements) {
            const double number = nas_random(&seed);
            const int place = (int)(power * nas_random(&seed));
            int is_new = place < all;
            for (int k = 0; k < n; ++k)
                is_new &= at[k] != place;
            if (!is_new) continue;
            value[n] = number;
            at[n++] = place;
        }
        int diagonal = 0;
        while (diagonal < n && at[diagonal] != outer)
            ++diagonal;
        at[diagonal] = outer;
        value[diagonal] = 0.5;
        if (diagonal == n) ++n;
        for (int i = 0; i < n; ++i) {
            const int row = at[i] - first;
            if (row < 0 || row >= mine) continue;
            for (int j = 0; j < n; ++j)
                dense[(size_t)row * (size_t)all + (size_t)at[j]] += value[i] * (size * value[j]);
        }
    }
    int elements = 0;
    for (int row = 0; row < mine; ++row) {
        double* const of = dense + (size_t)row * (size_t)all;
        of[first + row] += 0.1 - shift;
        for (int j = 0; j < all; ++j)
            elements += of[j] != 0;
    }
    row_begin = malloc(((size_t)mine + 1) * sizeof *row_begin);
    column = malloc((size_t)(elements + 1) * sizeof *column);
    element = malloc((size_t)(elements + 1) * sizeof *element);
    int next = 0;
    for (int row = 0; row < mine; ++row) {
        row_begin[row] = next;
        for (int j = 0; j < all; ++j) {
            const double value = dense[(size_t)row * (size_t)all + (size_t)j];
            if (value == 0) continue;
            column[next] = j;
            element[next++] = value;
        }
    }
    row_begin[mine] = next;
    free(dense);
}

int main(int argc, char** argv) {
    start();
    const int wide = nas_class(argc, argv) == 'W';
    const double shift = wide ? 12 : 10, published = wide ? 10.362595087124 : 8.5971775078648;
    all = wide ? 7000 : 1400;
    each = (all + npes - 1) / npes;
    first = me * each < all ? me * each : all;
    mine = all - first < each ? all - first : each;
    make_matrix(wide ? 8 : 7, shift);
    whole = symmetric((size_t)(each * npes) * sizeof *whole);
    part = symmetric((size_t)each * sizeof *part);
    double* const vectors = calloc(5 * (size_t)each, sizeof *vectors);
    double *const x = vectors, *const z = x + each, *const p = z + each, *const q = p + each,
                  *const r = q + each;
    for (int i = 0; i < mine; ++i)
        x[i] = 1;
    double zeta = 0;
    begin();
    for (int outer = 0; outer < kOuter; ++outer) {
        for (int i = 0; i < mine; ++i) {
            z[i] = 0;
            p[i] = r[i] = x[i];
        }
        double rho = dot(r, r);
        for (int inner = 0; inner < kInner; ++inner) {
            multiply(q, p);
            const double alpha = rho / dot(p, q);
            for (int i = 0; i < mine; ++i) {
                z[i] += alpha * p[i];
                r[i] -= alpha * q[i];
            }
            const double next = dot(r, r), beta = next / rho;
            rho = next;
            for (int i = 0; i < mine; ++i)
                p[i] = r[i] + beta * p[i];
        }
        local[0] = local[1] = 0;
        for (int i = 0; i < mine; ++i) {
            local[0] += x[i] * z[i];
            local[1] += z[i] * z[i];
        }
        sum_up(2);
        zeta = shift + 1 / global[0];
        const double scale = 1 / sqrt(global[1]);
        for (int i = 0; i < mine; ++i)
            x[i] = scale * z[i];
    }
    end();
    return finish("nas_cg", nas_agrees(zeta, published, 1e-10), (double)kOuter * kInner);
}
