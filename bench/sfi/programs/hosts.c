/* Collectives of the PEs of several hosts: one line each, op=NAME bytes=N us=MEDIAN low= high= by
 * PE 0. A batch of calls and a barrier at its end, so that a root cannot run away with it. With
 * the argument `barrier` only that. */
#define _GNU_SOURCE
#include <shmem.h>

#include "times.h"

enum { kLongest = 1 << 20 };

static char *source, *dest;
static size_t bytes;

static void run_barrier(void) {
    shmem_barrier_all();
}
static void run_broadcast(void) {
    shmem_broadcastmem(SHMEM_TEAM_WORLD, dest, source, bytes, 0);
}
static void run_reduction(void) {
    shmem_double_sum_reduce(SHMEM_TEAM_WORLD, (double*)dest, (const double*)source, bytes / 8);
}
static void run_fcollect(void) {
    shmem_fcollectmem(SHMEM_TEAM_WORLD, dest, source, bytes);
}
static void run_alltoall(void) {
    shmem_alltoallmem(SHMEM_TEAM_WORLD, dest, source, bytes);
}

static void measure(const char* name, void (*run)(void), int calls) {
    enum { kRounds = 15 };
    double samples[kRounds];
    for (int batch = -2; batch < kRounds; ++batch) {
        const double begin = now_ns();
        for (int i = 0; i < calls; ++i)
            run();
        shmem_barrier_all();
        if (batch >= 0) samples[batch] = (now_ns() - begin) / 1e3 / calls;
    }
    if (shmem_my_pe() != 0) return;
    qsort(samples, kRounds, sizeof *samples, by_value);
    printf("op=%s bytes=%zu us=%.3f low=%.3f high=%.3f\n", name, bytes, samples[kRounds / 2],
           samples[0], samples[kRounds * 9 / 10]);
}

int main(int argc, char** argv) {
    shmem_init();
    const size_t room = (size_t)kLongest * (size_t)shmem_n_pes();
    source = shmem_calloc(1, room);
    dest = shmem_calloc(1, room);
    /* Enough of them that the scheduler has settled where four PEs run on two processors. */
    measure("barrier", run_barrier, 2000);
    const struct {
        const char* name;
        void (*run)(void);
    } rows[] = {{"broadcast", run_broadcast},
                {"reduction", run_reduction},
                {"fcollect", run_fcollect},
                {"alltoall", run_alltoall}};
    const struct {
        size_t bytes;
        int calls;
    } lengths[] = {{8, 50}, {4096, 30}, {kLongest, 3}};
    if (argc < 2 || strcmp(argv[1], "barrier") != 0) {
        for (unsigned i = 0; i < sizeof rows / sizeof *rows; ++i) {
            for (unsigned k = 0; k < sizeof lengths / sizeof *lengths; ++k) {
                bytes = lengths[k].bytes;
                measure(rows[i].name, rows[i].run, lengths[k].calls);
            }
        }
    }
    shmem_finalize();
    return 0;
}
