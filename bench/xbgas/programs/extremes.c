/* Minimum and maximum of a word at the last PE, which OpenSHMEM has not and xbrtime has:
 * --operation max or min, --count N. For the machine only. */
#include "common.h"

#include <xbrtime.h>

int main(int argc, char** argv) {
    start();
    const int count = argument(argc, argv, "--count", 100), pe = npes - 1;
    int least = 0;
    for (int i = 1; i + 1 < argc; ++i)
        if (strcmp(argv[i], "--operation") == 0) least = strcmp(argv[i + 1], "min") == 0;
    long* const there = symmetric(sizeof *there);
    *there = 0;
    long before = 0;
    shmem_barrier_all();
    began = now_ns();
    if (me == 0) {
        benchmark_begin();
        if (least)
            for (long k = 1; k <= count; ++k)
                before += xbrtime_long_atomic_min(there, -k, pe);
        else
            for (long k = 1; k <= count; ++k)
                before += xbrtime_long_atomic_max(there, k, pe);
        benchmark_end();
    }
    nanoseconds = now_ns() - began;
    shmem_barrier_all();
    const long sign = least ? -1 : 1;
    int right = me != pe || *there == sign * count;
    if (me == 0) right &= before == sign * count * (count - 1) / 2;
    return finish(least ? "min" : "max", right, count);
}
