#include <shmem.h>
#include <stdio.h>

static long token = -1;

int main(void) {
    shmem_init();
    int me = shmem_my_pe();
    int pes = shmem_n_pes();
    shmem_long_p(&token, me, (me + 1) % pes);
    shmem_barrier_all();
    int right = token == (me + pes - 1) % pes;
    if (me == 0) printf("%s\n", right ? "round" : "broken");
    shmem_finalize();
    return !right;
}
