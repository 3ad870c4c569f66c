/* NAS EP, classes S (2^24 pairs) and W (2^25): pairs of uniform numbers become Gaussian ones, whose
 * sums and numbers by ring are added up over the PEs. Validated: the published sums, and as many in
 * the rings as were accepted. */
#include "nas.h"

enum { kRings = 10 };
static long rings[kRings + 1], all_rings[kRings + 1]; /* the last: all that were accepted */
static double sums[2], all_sums[2];

int main(int argc, char** argv) {
    start();
    const int wide = nas_class(argc, argv) == 'W';
    const uint64_t all = UINT64_C(1) << (wide ? 25 : 24),
                   first = all * (uint64_t)me / (uint64_t)npes,
                   last = all * ((uint64_t)me + 1) / (uint64_t)npes;
    begin();
    uint64_t seed = nas_skip(271828183, 2 * first);
    for (uint64_t k = first; k < last; ++k) {
        const double x = 2 * nas_random(&seed) - 1, y = 2 * nas_random(&seed) - 1,
                     t = x * x + y * y;
        if (t > 1) continue;
        const double f = sqrt(-2 * log(t) / t), gx = x * f, gy = y * f;
        const double larger = fabs(gx) > fabs(gy) ? fabs(gx) : fabs(gy);
        ++rings[(int)larger];
        ++rings[kRings];
        sums[0] += gx;
        sums[1] += gy;
    }
    shmem_long_sum_reduce(SHMEM_TEAM_WORLD, all_rings, rings, kRings + 1);
    shmem_double_sum_reduce(SHMEM_TEAM_WORLD, all_sums, sums, 2);
    end();
    long accepted = 0;
    for (int ring = 0; ring < kRings; ++ring)
        accepted += all_rings[ring];
    const int right =
        accepted == all_rings[kRings] &&
        nas_agrees(all_sums[0], wide ? -2.863319731645753e3 : -3.247834652034740e3, 1e-8) &&
        nas_agrees(all_sums[1], wide ? -6.320053679109499e3 : -6.958407078382297e3, 1e-8);
    return finish("nas_ep", right, (double)all);
}
