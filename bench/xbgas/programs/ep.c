/* NAS EP in small: pairs of uniform numbers become Gaussian ones (Marsaglia), counted by ring.
 * Almost no communication. Validated: PE 0 computes all parts again; every PE has their sums. */
#include "common.h"

#include <math.h>

enum { kRings = 10 };
static long rings[kRings + 1], all_rings[kRings + 1];
static double sums[2], all_sums[2];
static long expected_rings[kRings + 1];
static double expected_sums[2];

static double uniform(uint64_t r) {
    return (double)(r >> 11) * 0x1p-52 - 1.0;
}
static void part(int pe, int pairs, long* count, double* sum) {
    for (int k = 0; k < pairs; ++k) {
        const double x = uniform(random_at((uint64_t)pe, 2 * (uint64_t)k));
        const double y = uniform(random_at((uint64_t)pe, 2 * (uint64_t)k + 1));
        const double t = x * x + y * y;
        if (t > 1.0 || t == 0.0) continue;
        const double f = sqrt(-2.0 * log(t) / t);
        const double larger = fmax(fabs(x * f), fabs(y * f));
        ++count[(int)larger < kRings ? (int)larger : kRings - 1];
        ++count[kRings];
        sum[0] += x * f;
        sum[1] += y * f;
    }
}

int main(int argc, char** argv) {
    start();
    const int pairs = argument(argc, argv, "--count", 256);
    begin();
    part(me, pairs, rings, sums);
    shmem_long_sum_reduce(SHMEM_TEAM_WORLD, all_rings, rings, kRings + 1);
    shmem_double_sum_reduce(SHMEM_TEAM_WORLD, all_sums, sums, 2);
    end();
    for (int p = 0; me == 0 && p < npes; ++p)
        part(p, pairs, expected_rings, expected_sums);
    shmem_barrier_all();
    long counts[kRings + 1];
    double both[2];
    shmem_getmem(counts, expected_rings, sizeof counts, 0);
    shmem_getmem(both, expected_sums, sizeof both, 0);
    int right = memcmp(counts, all_rings, sizeof counts) == 0 && counts[kRings] > 0;
    for (int i = 0; i < 2; ++i) /* another order of adding */
        right &= fabs(both[i] - all_sums[i]) <= 1e-12 * (double)counts[kRings];
    return finish("ep", right, (double)pairs * npes);
}
