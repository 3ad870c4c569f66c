/* Time of collectives from 8 bytes to 8 MB. The active-set forms, which every OpenSHMEM has. The
 * time of one is from the moment the last PE has begun to the moment the last has returned. Between
 * two of them all PEs meet in plain shared memory, outside the library under test and outside the
 * time.
 *
 *     collective=NAME bytes= us=       one line a batch; bytes: of one block */
#include "common.h"

enum { kMost = 8 << 20, kWarm = 2 };

/* In plain memory: who has come to a meeting, the meetings so far, and when each PE began and
 * returned. */
enum { kMostIterations = 2000, kMostPes = 64 };
static struct {
    uint64_t arrived, pad[7], meetings, pad_too[7];
    double began[kMostPes][kMostIterations], returned[kMostPes][kMostIterations];
} * shared;

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

/* PEs that share a core give it to each other. */
static void meet(void) {
    const uint64_t before = __atomic_load_n(&shared->meetings, __ATOMIC_ACQUIRE);
    if (__atomic_add_fetch(&shared->arrived, 1, __ATOMIC_ACQ_REL) == (uint64_t)pes) {
        __atomic_store_n(&shared->arrived, 0, __ATOMIC_RELAXED);
        __atomic_store_n(&shared->meetings, before + 1, __ATOMIC_RELEASE);
        return;
    }
    for (unsigned spins = 1; __atomic_load_n(&shared->meetings, __ATOMIC_ACQUIRE) == before;
         ++spins)
        if (spins % 256 == 0) sched_yield();
}

static int by_size(const void* a, const void* b) {
    const double left = *(const double*)a, right = *(const double*)b;
    return (left > right) - (left < right);
}

/* Nanoseconds of the median iteration; right at PE 0. */
static double batch_of(void (*run)(size_t), size_t words, long iterations) {
    static double times[kMostIterations];
    for (long k = 0; k < iterations; ++k) {
        meet();
        shared->began[me][k] = now_ns();
        run(words);
        shared->returned[me][k] = now_ns();
    }
    meet();
    for (long k = 0; me == 0 && k < iterations; ++k) {
        double began = 0, returned = 0;
        for (int pe = 0; pe < pes; ++pe) {
            if (shared->began[pe][k] > began) began = shared->began[pe][k];
            if (shared->returned[pe][k] > returned) returned = shared->returned[pe][k];
        }
        times[k] = returned - began;
    }
    if (me == 0) qsort(times, (size_t)iterations, sizeof *times, by_size);
    meet(); /* nobody writes the next batch's before */
    return times[iterations / 2];
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
    require(pes <= kMostPes, "too many PEs");
    shared = (void*)plain_memory(sizeof *shared);
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
            batch_of(rows[i].run, words, kWarm);
            const double each = batch_of(rows[i].run, words, 3);
            if (me == 0) {
                const long fit = (long)(batch_ns / (each + 1));
                iterations_everywhere = fit < 1 ? 1 : fit > kMostIterations ? kMostIterations : fit;
                for (int pe = 1; pe < pes; ++pe)
                    shmem_long_p(&iterations_everywhere, iterations_everywhere, pe);
            }
            shmem_barrier_all();
            for (int batch = 0; batch < batches; ++batch) {
                const double spent = batch_of(rows[i].run, words, iterations_everywhere);
                if (me == 0)
                    printf("collective=%s bytes=%d us=%.4f\n", rows[i].name, 1 << doubling,
                           spent / 1e3);
            }
            shmem_barrier_all(); /* everybody has read how many iterations */
        }
    }
    shmem_finalize();
    return 0;
}
