/* Operations in checked mode whose instructions are counted by callgrind, each in a function of its
 * own, by a PE alone (checked_counts.py). */
#include <shmem.h>
#include <stdlib.h>

#define PROBE __attribute__((noinline, noclone, used))

static long variable;
static uint64_t raised;

PROBE void probe_p(long* word) {
    shmem_long_p(word, 1, 0);
}
PROBE long probe_g(const long* word) {
    return shmem_long_g(word, 0);
}
PROBE void probe_atomic(long* word) {
    shmem_long_atomic_add(word, 1, 0);
}
PROBE void probe_variable(void) {
    shmem_long_p(&variable, 1, 0);
}
PROBE void probe_put64(long* dest, const long* source, size_t longs) {
    shmem_long_put(dest, source, longs, 0);
}
PROBE void probe_get64(long* dest, const long* source, size_t longs) {
    shmem_long_get(dest, source, longs, 0);
}

/* Whole loops, as programs have them: checked_counts.py compares them with themselves unchecked. */
enum { kRounds = 4096 };
#define LOOP(NAME, STEP, CALL)                                                           \
    PROBE long loop_##NAME(long* block, long* other, long* mine, size_t longs, int pe) { \
        long sum = 0;                                                                    \
        for (long i = 0; i < kRounds; i += STEP) {                                       \
            CALL;                                                                        \
        }                                                                                \
        return sum + (long)longs + (block == other) + (mine == other);                   \
    }
LOOP(p, 1, shmem_long_p(block + i, i, pe))
LOOP(g, 1, sum += shmem_long_g(block + i, pe))
LOOP(p_in_turn, 1, shmem_long_p(block + i, i, pe); shmem_long_p(other + i, i, pe))
LOOP(p_variable, 1, shmem_long_p(&variable, i, pe))
LOOP(char_p, 1, shmem_char_p((char*)block + i, 1, pe))
LOOP(double_g, 1, sum += shmem_double_g((double*)(void*)block + i, pe) != 0)
LOOP(add, 1, shmem_long_atomic_add(block + i, i, pe))
LOOP(add_fetch, 1, sum += shmem_long_atomic_fetch_add(block + i, i, pe))
LOOP(fetch, 1, sum += shmem_long_atomic_fetch(block + i, pe))
LOOP(set, 1, shmem_long_atomic_set(block + i, i, pe))
LOOP(swap, 1, sum += shmem_long_atomic_swap(block + i, i, pe))
LOOP(compare_swap, 1, sum += shmem_long_atomic_compare_swap(block + i, i, i, pe))
LOOP(fetch_or, 1, sum += (long)shmem_ulong_atomic_fetch_or((unsigned long*)block + i, 1, pe))
LOOP(put1, 1, shmem_long_put(block + i, mine + i, 1, pe))
LOOP(get1, 1, shmem_long_get(mine + i, block + i, 1, pe))
LOOP(put8, 8, shmem_long_put(block + i, mine + i, 8, pe))
LOOP(get8, 8, shmem_long_get(mine + i, block + i, 8, pe))
LOOP(put8_heap, 8, shmem_long_put(block + i, other + i, 8, pe))
LOOP(put3, 3, shmem_long_put(block + i, mine + i, 3, pe))
LOOP(put_nbi1, 1, shmem_long_put_nbi(block + i, mine + i, 1, pe))
LOOP(put_signal, 1, shmem_long_put_signal(block + i, mine + i, 1, &raised, 1, SHMEM_SIGNAL_ADD, pe))
LOOP(put_signal8, 8,
     shmem_long_put_signal(block + i, mine + i, 8, &raised, 1, SHMEM_SIGNAL_SET, pe))
LOOP(put_longs, 8, shmem_long_put(block + i, mine + i, longs, pe))
LOOP(get_longs, 8, shmem_long_get(mine + i, block + i, longs, pe))

static void run_loops(void) {
    long* const block = shmem_calloc(kRounds + 8, sizeof(long));
    long* const other = shmem_calloc(kRounds + 8, sizeof(long));
    long* const mine = calloc(kRounds + 8, sizeof(long));
    for (int i = 0; i < 2; ++i) {
#define RUN(NAME) loop_##NAME(block, other, mine, 8, 0)
        RUN(p);
        RUN(g);
        RUN(p_in_turn);
        RUN(p_variable);
        RUN(char_p);
        RUN(double_g);
        RUN(add);
        RUN(add_fetch);
        RUN(fetch);
        RUN(set);
        RUN(swap);
        RUN(compare_swap);
        RUN(fetch_or);
        RUN(put1);
        RUN(get1);
        RUN(put8);
        RUN(get8);
        RUN(put8_heap);
        RUN(put3);
        RUN(put_nbi1);
        RUN(put_signal);
        RUN(put_signal8);
        RUN(put_longs);
        RUN(get_longs);
    }
    free(mine);
}

int main(void) {
    shmem_init();
    run_loops();
    long* const block = shmem_calloc(64, sizeof(long));
    long* const mine = aligned_alloc(4096, 4096); /* one page */
    for (int i = 0; i < 64; ++i)
        mine[i] = i;
    for (int i = 0; i < 8; ++i) {
        probe_p(block + i);
        probe_g(block + i);
        probe_atomic(block + i);
        probe_variable();
        probe_put64(block, mine + i, 8);
        probe_get64(mine, block + i, 8);
    }
    free(mine);
    shmem_finalize();
    return 0;
}
