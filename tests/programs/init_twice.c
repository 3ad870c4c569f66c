/* A library that initialises for itself, inside a program that has done so; then all over again. */
#include <shmem.h>
#include <stdio.h>

static int sum_over_all(int value) {
    static int source, result;
    shmem_init();
    source = value;
    shmem_int_sum_reduce(SHMEM_TEAM_WORLD, &result, &source, 1);
    shmem_finalize();
    return result;
}

int main(void) {
    int ok = 1;
    for (int again = 0; again < 2; again++) {
        shmem_init();
        const int me = shmem_my_pe(), npes = shmem_n_pes();
        long* block = shmem_malloc(1000);
        ok &= sum_over_all(me) == npes * (npes - 1) / 2;
        shmem_barrier_all();
        shmem_long_p(block, me, (me + 1) % npes);
        shmem_barrier_all();
        ok &= *block == (me + npes - 1) % npes;
        static long from, to;
        from = again + 7, to = 0;
        shmem_barrier_all();
        shmem_long_broadcast(SHMEM_TEAM_WORLD, &to, &from, 1, npes - 1);
        ok &= to == again + 7;
        shmem_free(block);
        shmem_finalize();
    }
    puts(ok ? "twice ok" : "WRONG");
    return 0;
}
