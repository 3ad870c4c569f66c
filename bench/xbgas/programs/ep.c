/* NAS EP in small: pairs of uniform numbers become Gaussian ones (Marsaglia), counted by ring.
 * Almost no communication. Validated: the counts add up to the pairs accepted, and PE 0 computes
 * the last PE's part again. */
#include "common.h"

#include <math.h>

enum { kRings = 10 };
static long rings[kRings + 1], all_rings[kRings + 1];
static double sums[2], all_sums[2];

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
    long counted = 0;
    for (int i = 0; i < kRings; ++i)
        counted += all_rings[i];
    int right = counted == all_rings[kRings] && counted <= (long)pairs * npes && counted > 0;
    if (me == 0) {
        long again[kRings + 1] = {0}, there[kRings + 1];
        double sum[2] = {0, 0}, sum_there[2];
        part(npes - 1, pairs, again, sum);
        shmem_long_get(there, rings, kRings + 1, npes - 1);
        shmem_double_get(sum_there, sums, 2, npes - 1);
        right &= memcmp(again, there, sizeof again) == 0 && sum[0] == sum_there[0];
    }
    return finish("ep", right, (double)pairs * npes);
}
