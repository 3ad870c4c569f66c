/* Time of collectives from 8 bytes to 8 MB. The active-set forms, which every OpenSHMEM has. An
 * iteration is the collective and a barrier of all PEs, so that it is finished everywhere.
 *
 *     collective=NAME bytes= us=       one line a batch; bytes: of one block */
#include "common.h"

enum { kMost = 8 << 20, kWarm = 2 };

static int me, pes;
static uint64_t *source, *dest;
static long *broadcast_sync, *collect_sync, *alltoall_sync, *reduce_sync;
static long* reduce_work;
static long iterations_everywhere;

/* In the heap, like all that is communicated: peers reach static variables by messages only. */
static long* sync_array(size_t words) {
    long* const array = (long*)shmem_malloc(words * sizeof *array);
    require(array != NULL, "no room in the heap");
    for (size_t i = 0; i < words; ++i)
        array[i] = SHMEM_SYNC_VALUE;
    return array;
}

static void run_broadcast(size_t words) {
    shmem_broadcast64(dest, source, words, 0, 0, 0, pes, broadcast_sync);
}
static void run_reduce(size_t words) {
    shmem_long_sum_to_all((long*)dest, (long*)source, (int)words, 0, 0, pes, reduce_work,
                          reduce_sync);
}
static void run_fcollect(size_t words) {
    shmem_fcollect64(dest, source, words, 0, 0, pes, collect_sync);
}
static void run_alltoall(size_t words) {
    shmem_alltoall64(dest, source, words, 0, 0, pes, alltoall_sync);
}

int main(int argc, char** argv) {
    shmem_init();
    me = shmem_my_pe();
    pes = shmem_n_pes();
    pin_to_core(me);
    const int batches = argument(argc, argv, "--batches", 5);
    const int step = argument(argc, argv, "--step", 3); /* doublings between sizes */
    const double batch_ns = argument(argc, argv, "--batch-us", 3000) * 1e3;
    const size_t room = (size_t)kMost * (size_t)pes; /* a block for each PE */
    source = (uint64_t*)shmem_align(4096, room);
    dest = (uint64_t*)shmem_align(4096, room);
    reduce_work = (long*)shmem_malloc(kMost / 2 + 8 * SHMEM_REDUCE_MIN_WRKDATA_SIZE);
    require(source && dest && reduce_work, "no room in the heap");
    for (size_t i = 0; i < room / 8; ++i)
        source[i] = i + (size_t)me;
    memset(dest, 0, room);
    broadcast_sync = sync_array(SHMEM_BCAST_SYNC_SIZE);
    collect_sync = sync_array(SHMEM_COLLECT_SYNC_SIZE);
    alltoall_sync = sync_array(SHMEM_ALLTOALL_SYNC_SIZE);
    reduce_sync = sync_array(SHMEM_REDUCE_SYNC_SIZE);
    shmem_barrier_all();
    const struct {
        const char* name;
        void (*run)(size_t words);
    } rows[] = {{"broadcast", run_broadcast},
                {"reduction", run_reduce},
                {"fcollect", run_fcollect},
                {"alltoall", run_alltoall}};
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; ++i) {
        for (int doubling = 3; doubling <= 23; ++doubling) {
            if ((doubling - 3) % step != 0 && doubling != 23) continue;
            const size_t words = ((size_t)1 << doubling) / 8;
            for (int k = 0; k < kWarm; ++k) {
                rows[i].run(words);
                shmem_barrier_all();
            }
            double start = now_ns();
            for (int k = 0; k < 3; ++k) {
                rows[i].run(words);
                shmem_barrier_all();
            }
            if (me == 0) {
                const double each = (now_ns() - start) / 3;
                const long fit = (long)(batch_ns / (each + 1));
                iterations_everywhere = fit < 1 ? 1 : fit > 2000 ? 2000 : fit;
                for (int pe = 1; pe < pes; ++pe)
                    shmem_long_p(&iterations_everywhere, iterations_everywhere, pe);
            }
            shmem_barrier_all();
            const long iterations = iterations_everywhere;
            for (int batch = 0; batch < batches; ++batch) {
                shmem_barrier_all();
                start = now_ns();
                for (long k = 0; k < iterations; ++k) {
                    rows[i].run(words);
                    shmem_barrier_all();
                }
                if (me == 0)
                    printf("collective=%s bytes=%d us=%.4f\n", rows[i].name, 1 << doubling,
                           (now_ns() - start) / iterations / 1e3);
            }
        }
    }
    shmem_finalize();
    return 0;
}
