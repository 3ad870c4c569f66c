/* The smallest program: what starting costs. */
#include <shmem.h>
#include <stdio.h>

int main(void) {
    shmem_init();
    printf("hello=%d pes=%d\n", shmem_my_pe(), shmem_n_pes());
    shmem_finalize();
    return 0;
}
