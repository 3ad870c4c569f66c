/* A little of everything, and the answer is known: for programs compiled with sanitizers and for
 * runs under valgrind, where the window has to find other places. */
#include <shmem.h>
#include <stdio.h>

enum { kRounds = 5, kWords = 1000 };

static long token;
static long words[kWords];

int main(void) {
    shmem_init();
    const int me = shmem_my_pe();
    const int pes = shmem_n_pes();
    const int right = (me + 1) % pes;
    const int left = (me + pes - 1) % pes;
    long* const block = shmem_calloc(kWords, sizeof *block);
    for (long round = 1; round <= kRounds; ++round) {
        if (me == 0) shmem_long_p(&token, round, right);
        shmem_long_wait_until(&token, SHMEM_CMP_EQ, round);
        if (me != 0) shmem_long_p(&token, round, right);
        shmem_barrier_all();
    }
    for (int i = 0; i < kWords; ++i)
        words[i] = me * kWords + i;
    shmem_barrier_all();
    shmem_long_put(block, words, kWords, right);
    shmem_barrier_all();
    int wrong = token != kRounds;
    for (int i = 0; i < kWords; ++i)
        wrong |= block[i] != left * kWords + i;
    wrong |= shmem_long_g(&words[7], left) != left * kWords + 7;
    shmem_long_sum_reduce(SHMEM_TEAM_WORLD, block, words, kWords);
    for (int i = 0; i < kWords; ++i)
        wrong |= block[i] != (long)pes * i + (long)kWords * pes * (pes - 1) / 2;
    shmem_barrier_all();
    token = 0;
    shmem_barrier_all();
    for (int i = 0; i < 100; ++i)
        shmem_long_atomic_inc(&token, i % pes);
    shmem_barrier_all();
    long sum = 0;
    for (int pe = 0; pe < pes; ++pe)
        sum += shmem_long_atomic_fetch(&token, pe);
    wrong |= sum != 100L * pes;
    shmem_barrier_all();
    shmem_free(block);
    if (wrong) fprintf(stderr, "PE %d: wrong\n", me);
    shmem_finalize();
    return wrong;
}
