/* A job that does a little of everything, to be disturbed at any time: about a second from its
 * beginning to its end, as many rounds as the argument says. With another one ("twice") its life
 * has two sessions, and both interfaces begin in each of them. */
#include <isthmus.h>
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>

static long sum, mine, counter;

static void compute(void) {
    volatile double value = 1;
    for (int i = 0; i < 2000000; ++i)
        value = value * 1.0000001;
}

static int live(int first, int last, int me, int pes) {
    const int next = (me + 1) % pes;
    for (int round = first; round <= last; ++round) {
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
    return 0;
}

int main(int argc, char** argv) {
    const int rounds = argc > 1 ? atoi(argv[1]) : 10;
    const int half = argc > 2 ? rounds / 2 : 0;
    shmem_init();
    const int me = shmem_my_pe();
    const int pes = shmem_n_pes();
    if (argc > 2) {
        isthmus_init();
        const int wrong = live(1, half, me, pes);
        if (wrong) return wrong;
        isthmus_finalize();
        shmem_finalize();
        shmem_init();
        isthmus_init();
    }
    const int wrong = live(half + 1, rounds, me, pes);
    if (wrong) return wrong;
    const int bad = me == 0 && counter != (long)rounds * pes;
    if (argc > 2) isthmus_finalize();
    shmem_finalize();
    if (bad) fprintf(stderr, "PE 0 counted %ld\n", counter);
    return bad;
}
