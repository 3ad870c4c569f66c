/* What the NAS parallel benchmarks of a published class share: the class, and their random numbers,
 * x(k+1) = 5^13 x(k) mod 2^46. Each verifies what it computed against the published values. */
#ifndef ISTHMUS_BENCH_XBGAS_NAS_H
#define ISTHMUS_BENCH_XBGAS_NAS_H

#include "common.h"

#include <math.h>

#define NAS_MULTIPLIER UINT64_C(1220703125)

/* Advances a seed and gives its number, between 0 and 1. */
static inline double nas_random(uint64_t* seed) {
    *seed = *seed * NAS_MULTIPLIER & ((UINT64_C(1) << 46) - 1);
    return (double)*seed * 0x1p-46;
}
/* The seed after so many numbers. */
static inline uint64_t nas_skip(uint64_t seed, uint64_t numbers) {
    for (uint64_t factor = NAS_MULTIPLIER; numbers != 0; numbers >>= 1, factor *= factor)
        if (numbers & 1) seed *= factor;
    return seed & ((UINT64_C(1) << 46) - 1);
}

static inline char nas_class(int argc, char** argv) {
    for (int i = 1; i + 1 < argc; ++i)
        if (strcmp(argv[i], "--class") == 0) return argv[i + 1][0];
    return 'S';
}
/* Refuses, on all PEs. Returns the exit code. */
static inline int nas_refuse(const char* why) {
    if (me == 0) fprintf(stderr, "bench: %s\n", why);
    shmem_finalize();
    return 2;
}
static inline int nas_agrees(double value, double published, double tolerance) {
    return fabs(value - published) <= tolerance * fabs(published);
}

#endif
