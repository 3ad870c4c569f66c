/* A counter and a linked log behind one lock; nothing is atomic but the lock. */
#include <shmem.h>
#include <stdio.h>

static long L = 0;
static int slots[4096];
static int used;

int main(void) {
    shmem_init();
    int me = shmem_my_pe(), n = shmem_n_pes();
    for (int i = 0; i < 100; i++) {
        shmem_set_lock(&L);
        int at = shmem_int_g(&used, 0);
        shmem_int_p(&slots[at], me + 1, 0);
        shmem_int_p(&used, at + 1, 0);
        shmem_clear_lock(&L);
    }
    int tries = 0;
    while (shmem_test_lock(&L))
        tries++;
    shmem_clear_lock(&L);
    shmem_barrier_all();
    if (me == 0) {
        int count[64] = {0}, bad = used != 100 * n;
        for (int i = 0; i < used; i++)
            count[slots[i]]++;
        for (int pe = 0; pe < n; pe++)
            bad += count[pe + 1] != 100;
        printf("%d entries: %s\n", used, bad ? "WRONG" : "ok");
    }
    shmem_finalize();
    return 0;
}
