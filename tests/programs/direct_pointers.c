/* Loads and stores through shmem_ptr where it gives a pointer, puts where it does not. */
#include <shmem.h>
#include <stdio.h>

static int inbox[64];

int main(void) {
    shmem_init();
    int me = shmem_my_pe(), npes = shmem_n_pes(), direct = 0, bad = 0;
    int* heap = shmem_malloc(64 * sizeof(int));
    for (int pe = 0; pe < npes; pe++) {
        int *p = shmem_ptr(inbox, pe), *q = shmem_ptr(heap, pe);
        if (p && q) {
            p[me] = me + 1;
            q[me] = -me;
            direct++;
        } else {
            shmem_int_p(&inbox[me], me + 1, pe);
            shmem_int_p(&heap[me], -me, pe);
        }
    }
    shmem_barrier_all();
    for (int pe = 0; pe < npes; pe++)
        bad += inbox[pe] != pe + 1 || heap[pe] != -pe;
    printf("%d of %d direct: %s\n", direct, npes, bad ? "WRONG" : "ok");
    shmem_free(heap);
    shmem_finalize();
    return 0;
}
