/* What the two programs of times print, and how they measure: batches of calls, the time of each
 * batch divided by its calls. One line each: op=NAME us=MEDIAN low=LEAST high=NINTH-DECILE. */
#ifndef ISTHMUS_BENCH_SFI_TIMES_H
#define ISTHMUS_BENCH_SFI_TIMES_H

#include "../../programs.h"

enum { kBatches = 60 };

static inline int by_value(const void* a, const void* b) {
    const double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

static inline void print_times(const char* name, double* samples, int count) {
    qsort(samples, (size_t)count, sizeof *samples, by_value);
    printf("op=%s us=%.4f low=%.4f high=%.4f\n", name, samples[count / 2], samples[0],
           samples[count * 9 / 10]);
}

/* BODY uses `i`, the number of the call in its batch; AFTER closes the batch. */
#define TIMED(NAME, CALLS, BODY, AFTER)                                          \
    do {                                                                         \
        static double samples[kBatches];                                         \
        for (int batch = -3; batch < kBatches; ++batch) {                        \
            const double begin = now_ns();                                       \
            for (int i = 0; i < (CALLS); ++i) {                                  \
                BODY;                                                            \
            }                                                                    \
            AFTER;                                                               \
            if (batch >= 0) samples[batch] = (now_ns() - begin) / 1e3 / (CALLS); \
        }                                                                        \
        print_times(NAME, samples, kBatches);                                    \
    } while (0)

#endif
