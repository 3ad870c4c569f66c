/* Atomics by the names from before 1.4, and cache routines from before 1.3. */
#include <mpp/shmem.h>
#include <stdio.h>

int race = -1, winner = -1;
long tickets, ring;
long long big = 1;
float ratio;
double mean;

int main(void) {
    int me, npes, old, ok = 1;
    start_pes(1);
    me = _my_pe();
    npes = _num_pes();
    shmem_set_cache_inv();
    old = shmem_int_cswap(&race, -1, me, 0);
    if (old == -1) shmem_int_p(&winner, me, 0);
    shmem_long_fadd(&tickets, 2, 0);
    shmem_long_finc(&tickets, 0);
    shmem_long_inc(&tickets, 0);
    shmem_long_add(&tickets, -1, 0);
    shmem_longlong_swap(&big, 77LL, me);
    shmem_float_swap(&ratio, 0.5f, me);
    shmem_double_set(&mean, 2.25, me);
    shmem_barrier_all();
    shmem_udcflush();
    if (me == 0) {
        ok &= race == winner && race >= 0 && race < npes;
        ok &= shmem_long_fetch(&tickets, 0) == 3 * npes;
    }
    ok &= shmem_longlong_fetch(&big, me) == 77 && ratio == 0.5f &&
          shmem_double_fetch(&mean, me) == 2.25;
    ring = shmem_long_swap(&ring, me, (me + 1) % npes);
    shmem_clear_cache_inv();
    printf("%d %s\n", me, ok ? "ok" : "WRONG");
    return 0;
}
