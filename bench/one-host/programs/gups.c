/* Random 8-byte atomic updates by two PEs: through the library, and the same loop with the
 * processor's atomics on plain shared memory.
 *
 *     gups=NAME through=shmem|plain mups=...       one line a batch, millions a second in all
 *
 * Time is processor time: both PEs must be on a core for a rate, and others may want theirs. */
#include "common.h"

enum { kWords = 1 << 20 }; /* a PE: 8 MiB */

static int me, other;
static uint64_t* table;    /* symmetric */
static uint64_t* plain[2]; /* the same, without the library */
static double started;
static double* all_rates;

static inline uint64_t next_random(uint64_t state) {
    state ^= state << 13;
    state ^= state >> 7;
    return state ^ state << 17;
}

/* half: the whole table, so half of the updates are remote; else all are remote. */
#define LOOPS(NAME, SHMEM, PLAIN)                                          \
    static void NAME##_half_shmem(int updates, uint64_t* state) {          \
        uint64_t* const all = table;                                       \
        uint64_t r = *state;                                               \
        for (int i = 0; i < updates; ++i) {                                \
            r = next_random(r);                                            \
            SHMEM(all + (r & (kWords - 1)), r, (int)(r >> 63));            \
        }                                                                  \
        *state = r;                                                        \
    }                                                                      \
    static void NAME##_half_plain(int updates, uint64_t* state) {          \
        uint64_t* const all[2] = {plain[0], plain[1]};                     \
        uint64_t r = *state;                                               \
        for (int i = 0; i < updates; ++i) {                                \
            r = next_random(r);                                            \
            PLAIN(all[r >> 63] + (r & (kWords - 1)), r, __ATOMIC_RELAXED); \
        }                                                                  \
        *state = r;                                                        \
    }                                                                      \
    static void NAME##_remote_shmem(int updates, uint64_t* state) {        \
        uint64_t* const all = table;                                       \
        const int pe = other;                                              \
        uint64_t r = *state;                                               \
        for (int i = 0; i < updates; ++i) {                                \
            r = next_random(r);                                            \
            SHMEM(all + (r & (kWords - 1)), r, pe);                        \
        }                                                                  \
        *state = r;                                                        \
    }                                                                      \
    static void NAME##_remote_plain(int updates, uint64_t* state) {        \
        uint64_t* const all = plain[other];                                \
        uint64_t r = *state;                                               \
        for (int i = 0; i < updates; ++i) {                                \
            r = next_random(r);                                            \
            PLAIN(all + (r & (kWords - 1)), r, __ATOMIC_RELAXED);          \
        }                                                                  \
        *state = r;                                                        \
    }
static inline void xor_word(uint64_t* dest, uint64_t value, int pe) {
    shmem_ulong_atomic_xor((unsigned long*)dest, value, pe);
}
static inline void add_word(uint64_t* dest, uint64_t value, int pe) {
    shmem_long_atomic_add((long*)dest, (long)value, pe);
}
LOOPS(xor, xor_word, __atomic_fetch_xor)
LOOPS(add, add_word, __atomic_fetch_add)

int main(int argc, char** argv) {
    shmem_init();
    me = shmem_my_pe();
    other = 1 - me;
    require(shmem_n_pes() == 2, "this program runs on two PEs");
    pin_to_core(me);
    const int batches = argument(argc, argv, "--batches", 40);
    const int updates = argument(argc, argv, "--updates", 40000);
    table = (uint64_t*)shmem_malloc(kWords * sizeof *table);
    all_rates = (double*)shmem_malloc(2 * sizeof *all_rates);
    require(table && all_rates, "no room for the table");
    plain[0] = (uint64_t*)plain_memory(2 * kWords * sizeof *table);
    plain[1] = plain[0] + kWords;
    memset(table, 1, kWords * sizeof *table);
    memset(plain[me], 1, kWords * sizeof *table);
    const struct {
        const char *name, *through;
        void (*run)(int updates, uint64_t* state);
    } rows[] = {
        {"xor_half", "shmem", xor_half_shmem},     {"xor_half", "plain", xor_half_plain},
        {"xor_remote", "shmem", xor_remote_shmem}, {"xor_remote", "plain", xor_remote_plain},
        {"add_half", "shmem", add_half_shmem},     {"add_half", "plain", add_half_plain},
        {"add_remote", "shmem", add_remote_shmem}, {"add_remote", "plain", add_remote_plain},
    };
    uint64_t state = 88172645463325252ull + (uint64_t)me * 7919;
    for (int batch = -1; batch < batches; ++batch) {
        for (unsigned i = 0; i < sizeof rows / sizeof *rows; ++i) {
            shmem_barrier_all();
            started = cpu_ns();
            rows[i].run(updates, &state);
            shmem_quiet();
            shmem_double_p(all_rates + me, updates / (cpu_ns() - started) * 1e3, 0);
            shmem_barrier_all();
            if (me == 0 && batch >= 0)
                printf("gups=%s through=%s mups=%.3f\n", rows[i].name, rows[i].through,
                       all_rates[0] + all_rates[1]);
        }
    }
    shmem_finalize();
    return 0;
}
