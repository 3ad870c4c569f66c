/* The type-generic names of C11: one name for all types, chosen by the compiler.
 *
 * New here: shmem_p, shmem_put, shmem_atomic_add and so on, without a type in the name. The first
 * argument may be a context. */
#include <shmem.h>
#include <stdio.h>

static double temperature = 0;
static long visits = 0;
static float samples[4];

int main(void) {
    shmem_init();
    const int me = shmem_my_pe();
    const int pes = shmem_n_pes();
    const int next = (me + 1) % pes;

    shmem_p(&temperature, 20.5 + me, next); /* double */
    shmem_atomic_add(&visits, (long)me, 0); /* long */
    const float mine[4] = {me + 0.1f, me + 0.2f, me + 0.3f, me + 0.4f};
    shmem_put(SHMEM_CTX_DEFAULT, samples, mine, 4, next); /* float, and a context */
    shmem_barrier_all();

    const int before = (me + pes - 1) % pes;
    int wrong = temperature != 20.5 + before || samples[3] != before + 0.4f;
    if (me == 0) {
        wrong |= shmem_g(&visits, 0) != pes * (pes - 1L) / 2;
        printf("PE 0 has %.1f and %.1f from PE %d; the PEs add up to %ld\n", temperature,
               samples[0], before, shmem_atomic_fetch(&visits, 0));
    }
    shmem_finalize();
    return wrong;
}
