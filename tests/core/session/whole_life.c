/* A job that does a little of everything, to be disturbed at any time: about a second from its
 * beginning to its end, as many rounds as the argument says. */
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>

static long sum, mine, counter;

static void compute(void) {
    volatile double value = 1;
    for (int i = 0; i < 2000000; ++i)
        value = value * 1.0000001;
}

int main(int argc, char** argv) {
    const int rounds = argc > 1 ? atoi(argv[1]) : 10;
    shmem_init();
    const int me = shmem_my_pe();
    const int pes = shmem_n_pes();
    const int next = (me + 1) % pes;
    for (int round = 1; round <= rounds; ++round) {
        long* const block = (long*)shmem_malloc(1 << 20);
        if (!block) return 2;
        block[0] = 0;
        shmem_barrier_all();
        shmem_long_p(block, round, next);
        compute();
        shmem_long_wait_until(block, SHMEM_CMP_EQ, round);
        shmem_long_atomic_add(&counter, 1, 0);
        mine = me;
        shmem_barrier_all();
        shmem_long_sum_reduce(SHMEM_TEAM_WORLD, &sum, &mine, 1);
        if (sum != (long)pes * (pes - 1) / 2) return 3;
        shmem_free(block);
    }
    shmem_barrier_all();
    const int bad = me == 0 && counter != (long)rounds * pes;
    shmem_finalize();
    if (bad) fprintf(stderr, "PE 0 counted %ld\n", counter);
    return bad;
}
