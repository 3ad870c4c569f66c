/* Operations in checked mode whose instructions are counted by callgrind, each in a function of its
 * own, by a PE alone (checked_counts.py). */
#include <shmem.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define PROBE __attribute__((noinline, noclone, used))

static long variable;
static uint64_t raised;
static long lock;
static long variables[64];
static long row_source[4096];
static char* far_apart; /* pages of 4 MiB and more from one to the next */

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

/* Without checks: each is the inlined sequence and a return (include/isthmus/shmem_inline.h). */
PROBE void plain_p(int* dest, int value, int pe) {
    shmem_int_p(dest, value, pe);
}
PROBE int plain_g(const int* source, int pe) {
    return shmem_int_g(source, pe);
}
PROBE int plain_fetch_add(int* dest, int value, int pe) {
    return shmem_int_atomic_fetch_add(dest, value, pe);
}

/* Whole loops, as programs have them: checked_counts.py compares them with themselves unchecked. */
enum { kRounds = 4096 };
#define LOOP(NAME, STEP, CALL)                                                           \
    PROBE long loop_##NAME(long* block, long* other, long* mine, size_t longs, int pe) { \
        long sum = 0;                                                                    \
        for (long i = 0; i < kRounds; i += STEP) {                                       \
            CALL;                                                                        \
        }                                                                                \
        return sum + (long)longs + pe + (block == other) + (mine == other);              \
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
/* Lengths that the compiler does not know: none, one and nine. */
LOOP(put_none, 1, shmem_long_put(block + i, mine + i, longs - 8, pe))
LOOP(put_one, 1, shmem_long_put(block + i, mine + i, longs >> 3, pe))
LOOP(put_one_heap, 1, shmem_long_put(block + i, other + i, longs >> 3, pe))
LOOP(get_one, 1, shmem_long_get(mine + i, block + i, longs >> 3, pe))
LOOP(put_nbi_one, 1, shmem_long_put_nbi(block + i, mine + i, longs >> 3, pe))
LOOP(get_nbi_one, 1, shmem_long_get_nbi(mine + i, block + i, longs >> 3, pe))
LOOP(put_nine, 1, shmem_long_put(block + i % 4000, mine + i % 4000, longs + 1, pe))
LOOP(get1_heap, 1, shmem_long_get(other + i, block + i, 1, pe))
LOOP(put1_heap, 1, shmem_long_put(block + i, other + i, 1, pe))
LOOP(put1_variable, 1, shmem_long_put(&variable, mine + i, 1, pe))
LOOP(put1_heap_static, 1, shmem_long_put(variables + i % 64, other + i, 1, pe))
LOOP(get1_heap_static, 1, shmem_long_get(other + i, variables + i % 64, 1, pe))
LOOP(put1_apart, 1, shmem_long_put(block, (long*)(void*)(far_apart + (i % 16 << 22)), 1, pe))
LOOP(put1_sweep, 1, shmem_long_put(block, (long*)(void*)(far_apart + (i << 12)), 1, pe))
LOOP(put16, 16, shmem_long_put(block + i, mine + i, 16, pe))
LOOP(put_sixteen, 16, shmem_long_put(block + i, mine + i, 2 * longs, pe))
LOOP(get16, 16, shmem_long_get(mine + i, block + i, 16, pe))
LOOP(put16_heap, 16, shmem_long_put(block + i, other + i, 16, pe))
LOOP(put_row, 512, shmem_long_put(block, row_source, 1536, pe))
LOOP(put_row_mine, 512, shmem_long_put(block, mine + i / 2, 1536, pe))
LOOP(get_row_stack, 512, long row[1536]; shmem_long_get(row, block + i / 2, 1536, pe);
     sum += row[7])
LOOP(put_long_row, 4096, shmem_long_put(block, row_source, 4096, pe);
     shmem_long_put(block, mine, 4096, pe))
LOOP(put2, 1, shmem_putmem(block + i, mine + i, 16, pe))
LOOP(put_half, 1, shmem_putmem((char*)block + i, (char*)mine + i, 4, pe))
LOOP(p_three, 1, shmem_long_p(block + i, i, pe); shmem_long_p(other + i, i, pe);
     shmem_long_p(&variable, i, pe))
LOOP(quiet, 1, shmem_long_p(block + i, i, pe); shmem_quiet())
LOOP(fence, 1, shmem_long_p(block + i, i, pe); shmem_fence(); shmem_long_p(other + i, i, pe))
LOOP(inc, 1, shmem_int_atomic_inc((int*)block + i, pe))
LOOP(xor, 1, shmem_ulong_atomic_xor((unsigned long*)block + i, 3, pe))
LOOP(malloc, 16, shmem_free(shmem_malloc(64)))
LOOP(malloc_4k, 16, shmem_free(shmem_malloc(4096)))
LOOP(malloc_64k, 256, shmem_free(shmem_malloc(65536)))
LOOP(malloc_128k, 256, shmem_free(shmem_malloc(131072)))
/* Each page is written. */
LOOP(malloc_1m, 512, volatile char* const fresh = shmem_malloc(1 << 20);
     for (long page = 0; page < 256; ++page) fresh[page << 12] = 1; shmem_free((char*)fresh))
LOOP(calloc_64k, 256, shmem_free(shmem_calloc(1, 65536)))
LOOP(align_page, 256, shmem_free(shmem_align(4096, 64)))
LOOP(iput, 8, shmem_long_iput(block + i, mine + i, 1, 2, 4, pe))
LOOP(iget, 8, shmem_long_iget(mine + i, block + i, 2, 1, 4, pe))
LOOP(ibput, 8, shmem_long_ibput(block + i, mine + i, 4, 4, 2, 2, pe))
LOOP(ibget, 8, shmem_long_ibget(mine + i, block + i, 4, 4, 2, 2, pe))
LOOP(test, 1, sum += shmem_long_test(block + i, SHMEM_CMP_GE, 0))
LOOP(test_any, 4, sum += (long)shmem_long_test_any(block + i, 4, NULL, SHMEM_CMP_GE, 0))
LOOP(wait, 1, shmem_long_wait_until(block + i, SHMEM_CMP_GE, 0))
LOOP(wait_all, 4, shmem_long_wait_until_all(block + i, 4, NULL, SHMEM_CMP_GE, 0))
LOOP(wait_any, 4, sum += (long)shmem_long_wait_until_any(block + i, 4, NULL, SHMEM_CMP_GE, 0))
LOOP(signal_add, 1, shmem_signal_add((uint64_t*)(void*)block + i, 0, pe))
LOOP(signal_fetch, 1, sum += (long)shmem_signal_fetch((uint64_t*)(void*)block + i))
LOOP(fetch_nbi, 1, shmem_long_atomic_fetch_nbi(mine + i, block + i, pe))
LOOP(lock, 1, shmem_set_lock(&lock); shmem_clear_lock(&lock))
/* Collectives of a team of one. */
LOOP(barrier, 1, shmem_barrier_all())
LOOP(sync, 1, shmem_team_sync(SHMEM_TEAM_WORLD))
LOOP(sum, 1, shmem_long_sum_reduce(SHMEM_TEAM_WORLD, block + i, other + i, 1))
LOOP(broadcast, 1, shmem_long_broadcast(SHMEM_TEAM_WORLD, block + i, other + i, 1, 0))
LOOP(alltoall, 1, shmem_long_alltoall(SHMEM_TEAM_WORLD, block + i, other + i, 1))
LOOP(fcollect, 1, shmem_long_fcollect(SHMEM_TEAM_WORLD, block + i, other + i, 1))
LOOP(collect, 1, shmem_long_collect(SHMEM_TEAM_WORLD, block + i, other + i, 1))

/* Collectives of a team of two and more. */
static long work[SHMEM_REDUCE_MIN_WRKDATA_SIZE];
static long in_turn[4][SHMEM_SYNC_SIZE];
enum { kPairRounds = 256 };
#define PAIR(NAME, CALL)                                        \
    PROBE void pair_##NAME(long* block, long* other, int pes) { \
        for (int i = 0; i < kPairRounds; ++i) {                 \
            long* const sync = in_turn[i % 4];                  \
            (void)block, (void)other, (void)pes, (void)sync;    \
            CALL;                                               \
        }                                                       \
    }
PAIR(barrier, shmem_barrier_all())
PAIR(sync, shmem_team_sync(SHMEM_TEAM_WORLD))
PAIR(broadcast, shmem_long_broadcast(SHMEM_TEAM_WORLD, block, other, 1, 0))
PAIR(collect, shmem_long_collect(SHMEM_TEAM_WORLD, block, other, 1))
PAIR(fcollect, shmem_long_fcollect(SHMEM_TEAM_WORLD, block, other, 1))
PAIR(alltoall, shmem_long_alltoall(SHMEM_TEAM_WORLD, block, other, 1))
PAIR(alltoalls, shmem_long_alltoalls(SHMEM_TEAM_WORLD, block, other, 2, 2, 1))
PAIR(sum, shmem_long_sum_reduce(SHMEM_TEAM_WORLD, block, other, 1))
PAIR(inscan, shmem_long_sum_inscan(SHMEM_TEAM_WORLD, block, other, 1))
PAIR(broadcast_4k, shmem_long_broadcast(SHMEM_TEAM_WORLD, block, other, 512, 0))
PAIR(collect_4k, shmem_long_collect(SHMEM_TEAM_WORLD, block, other, 512))
PAIR(set_barrier, shmem_barrier(0, 0, pes, sync))
PAIR(set_broadcast, shmem_broadcast64(block, other, 1, 0, 0, 0, pes, sync))
PAIR(set_collect, shmem_collect64(block, other, 1, 0, 0, pes, sync))
PAIR(set_fcollect, shmem_fcollect64(block, other, 1, 0, 0, pes, sync))
PAIR(set_alltoall, shmem_alltoall64(block, other, 1, 0, 0, pes, sync))
PAIR(set_sum, shmem_long_sum_to_all(block, other, 1, 0, 0, pes, work, sync))

static void run_pairs(void) {
    long* const block = shmem_calloc(4096, sizeof(long));
    long* const other = shmem_calloc(4096, sizeof(long));
    for (int i = 0; i < 4 * SHMEM_SYNC_SIZE; ++i)
        in_turn[i % 4][i / 4] = SHMEM_SYNC_VALUE;
    shmem_barrier_all();
    for (int i = 0; i < 2; ++i) {
        const int pes = shmem_n_pes();
#define RUN_PAIR(NAME) pair_##NAME(block, other, pes)
        RUN_PAIR(barrier);
        RUN_PAIR(sync);
        RUN_PAIR(broadcast);
        RUN_PAIR(collect);
        RUN_PAIR(fcollect);
        RUN_PAIR(alltoall);
        RUN_PAIR(alltoalls);
        RUN_PAIR(sum);
        RUN_PAIR(inscan);
        RUN_PAIR(broadcast_4k);
        RUN_PAIR(collect_4k);
        RUN_PAIR(set_barrier);
        RUN_PAIR(set_broadcast);
        RUN_PAIR(set_collect);
        RUN_PAIR(set_fcollect);
        RUN_PAIR(set_alltoall);
        RUN_PAIR(set_sum);
    }
}

static void run_loops(void) {
    long* const block = shmem_calloc(kRounds + 8, sizeof(long));
    long* const other = shmem_calloc(kRounds + 8, sizeof(long));
    long* const mine = calloc(kRounds + 8, sizeof(long));
    far_apart = mmap(NULL, (size_t)kRounds << 14, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
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
        RUN(put_none);
        RUN(put_one);
        RUN(put_one_heap);
        RUN(get_one);
        RUN(put_nbi_one);
        RUN(get_nbi_one);
        RUN(put_nine);
        RUN(get1_heap);
        RUN(put1_heap);
        RUN(put1_variable);
        RUN(put1_heap_static);
        RUN(get1_heap_static);
        RUN(put1_apart);
        RUN(put1_sweep);
        RUN(put16);
        RUN(put_sixteen);
        RUN(get16);
        RUN(put16_heap);
        RUN(put_row);
        RUN(put_row_mine);
        RUN(get_row_stack);
        RUN(put_long_row);
        RUN(put2);
        RUN(put_half);
        RUN(p_three);
        RUN(quiet);
        RUN(fence);
        RUN(inc);
        RUN(xor);
        RUN(malloc);
        RUN(malloc_4k);
        RUN(malloc_64k);
        RUN(malloc_128k);
        RUN(calloc_64k);
        RUN(align_page);
        memset(block, 0, kRounds * sizeof(long));
        RUN(iput);
        RUN(iget);
        RUN(ibput);
        RUN(ibget);
        memset(block, 0, kRounds * sizeof(long));
        RUN(test);
        RUN(test_any);
        RUN(wait);
        RUN(wait_all);
        RUN(wait_any);
        RUN(signal_add);
        RUN(signal_fetch);
        RUN(fetch_nbi);
        RUN(lock);
        RUN(barrier);
        RUN(sync);
        RUN(sum);
        RUN(broadcast);
        RUN(alltoall);
        RUN(fcollect);
        RUN(collect);
    }
    /* Last: the others' blocks have never been written. */
    for (int i = 0; i < 2; ++i)
        RUN(malloc_1m);
    munmap(far_apart, (size_t)kRounds << 14);
    free(mine);
}

int main(void) {
    shmem_init();
    if (shmem_n_pes() > 1) {
        run_pairs();
        shmem_finalize();
        return 0;
    }
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
        plain_p((int*)block, i, 0);
        plain_g((int*)block, 0);
        plain_fetch_add((int*)block, i, 0);
        probe_put64(block, mine + i, 8);
        probe_get64(mine, block + i, 8);
    }
    free(mine);
    shmem_finalize();
    return 0;
}
