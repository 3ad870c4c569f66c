/* One PE finds an error and ends the job while the others wait in a barrier. */
#include <shmem.h>
#include <stdio.h>

int main(void) {
    shmem_init();
    if (shmem_my_pe() == shmem_n_pes() / 2) {
        printf("giving up");
        shmem_global_exit(42);
    }
    shmem_barrier_all();
    printf("WRONG: got past the barrier\n");
    shmem_finalize();
    return 0;
}
