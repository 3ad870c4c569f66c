/* Transfers to and from PEs of other hosts that are left under way until quiet: of any length, more
 * of them than the transport keeps at once, from several threads, behind a fence; and that they are
 * left under way, by the time that many take beside as many that are waited for (argv[1] `timed`).
 */
#include <pthread.h>
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { kSlots = 24, kSlotBytes = 1 << 18, kRounds = 12, kMany = 1000, kThreads = 3 };

#define NEED(CONDITION)                                                                   \
    do {                                                                                  \
        if (!(CONDITION)) {                                                               \
            fprintf(stderr, "PE %d, line %d: %s\n", shmem_my_pe(), __LINE__, #CONDITION); \
            shmem_global_exit(1);                                                         \
        }                                                                                 \
    } while (0)

static unsigned next(unsigned* state) {
    return *state = *state * 1664525u + 1013904223u;
}

static void fill(unsigned char* bytes, size_t size, unsigned seed) {
    for (size_t i = 0; i < size; ++i)
        bytes[i] = (unsigned char)(next(&seed) >> 24);
}

/* Lengths on both sides of what is injected, copied aside and left under way. */
static size_t length(unsigned* state) {
    static const size_t around[] = {1, 8, 64, 2047, 2048, 2049, 16384, 16385, 65536, kSlotBytes};
    const size_t most = around[next(state) % (sizeof around / sizeof *around)];
    return next(state) % 2 ? most : 1 + next(state) % most;
}

static void random_transfers(unsigned char* slots, unsigned char* source) {
    const int me = shmem_my_pe(), to = (me + 1) % shmem_n_pes();
    unsigned state = 17u + (unsigned)me;
    for (int round = 0; round < kRounds; ++round) {
        size_t sizes[kSlots];
        for (int slot = 0; slot < kSlots; ++slot) {
            unsigned char* const from = source + (size_t)slot * kSlotBytes;
            sizes[slot] = length(&state);
            fill(from, sizes[slot], (unsigned)(round * 100 + slot));
            shmem_putmem_nbi(slots + (size_t)slot * kSlotBytes, from, sizes[slot], to);
        }
        shmem_quiet();
        memset(source, 0, (size_t)kSlots * kSlotBytes);
        for (int slot = 0; slot < kSlots; ++slot)
            shmem_getmem_nbi(source + (size_t)slot * kSlotBytes, slots + (size_t)slot * kSlotBytes,
                             sizes[slot], to);
        shmem_quiet();
        unsigned char* const expected = malloc(kSlotBytes);
        for (int slot = 0; slot < kSlots; ++slot) {
            fill(expected, sizes[slot], (unsigned)(round * 100 + slot));
            NEED(memcmp(source + (size_t)slot * kSlotBytes, expected, sizes[slot]) == 0);
        }
        free(expected);
    }
    shmem_barrier_all();
}

/* The flag comes behind what was put before the fence, however long that is. */
static void ordered(long* flag, unsigned char* slots, unsigned char* source) {
    const int me = shmem_my_pe(), to = (me + 1) % shmem_n_pes();
    for (long round = 1; round <= kRounds; ++round) {
        memset(source, (int)round, kSlotBytes);
        shmem_putmem_nbi(slots, source, kSlotBytes, to);
        shmem_fence();
        shmem_long_p(flag, round, to);
        shmem_long_wait_until(flag, SHMEM_CMP_GE, round);
        NEED(slots[0] == round && slots[kSlotBytes - 1] == round);
        shmem_barrier_all(); /* completes the put: source may change */
    }
}

static long* numbers;
static void* many(void* argument) {
    long* const mine = argument;
    const int to = (shmem_my_pe() + 1) % shmem_n_pes();
    for (int i = 0; i < kMany; ++i)
        shmem_long_get_nbi(mine + i, numbers + i, 1, to);
    shmem_quiet();
    for (int i = 0; i < kMany; ++i)
        NEED(mine[i] == 1000 * to + i);
    return NULL;
}

static void threads(void) {
    pthread_t handles[kThreads];
    long* const fetched = calloc(kThreads * kMany, sizeof *fetched);
    for (int i = 0; i < kMany; ++i)
        numbers[i] = 1000 * shmem_my_pe() + i;
    shmem_barrier_all();
    for (int thread = 0; thread < kThreads; ++thread)
        NEED(pthread_create(&handles[thread], NULL, many, fetched + thread * kMany) == 0);
    for (int thread = 0; thread < kThreads; ++thread)
        pthread_join(handles[thread], NULL);
    free(fetched);
    shmem_barrier_all();
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Each that is waited for takes a round trip. */
static void overlap(void) {
    const int me = shmem_my_pe();
    static long fetched[kMany];
    double best[2] = {1e9, 1e9};
    for (int turn = 0; turn < 5 && me == 0; ++turn) {
        double began = now();
        for (int i = 0; i < kMany; ++i)
            shmem_long_get(fetched + i, numbers + i, 1, 1);
        const double waited = now() - began;
        began = now();
        for (int i = 0; i < kMany; ++i)
            shmem_long_get_nbi(fetched + i, numbers + i, 1, 1);
        shmem_quiet();
        const double left = now() - began;
        best[0] = waited < best[0] ? waited : best[0];
        best[1] = left < best[1] ? left : best[1];
    }
    if (me == 0) {
        printf("%d gets: %.0f us waited for, %.0f us left under way\n", kMany, 1e6 * best[0],
               1e6 * best[1]);
        NEED(best[1] < best[0] / 2);
    }
    shmem_barrier_all();
}

int main(int argc, char** argv) {
    int provided = 0;
    shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided);
    unsigned char* const slots = shmem_malloc((size_t)kSlots * kSlotBytes);
    unsigned char* const source = malloc((size_t)kSlots * kSlotBytes);
    long* const flag = shmem_calloc(1, sizeof *flag);
    numbers = shmem_calloc(kMany, sizeof *numbers);
    shmem_barrier_all();
    random_transfers(slots, source);
    ordered(flag, slots, source);
    threads();
    if (argc > 1 && strcmp(argv[1], "timed") == 0) overlap();
    shmem_finalize();
    free(source);
    return 0;
}
