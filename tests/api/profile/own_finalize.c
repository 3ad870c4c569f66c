/* A program with a library's shmem_finalize of its own, which hides the profiling library's. */
#include <shmem.h>

static long word;

void shmem_finalize(void) {
    shmem_barrier_all();
    pshmem_finalize();
}

int main(void) {
    shmem_init();
    shmem_long_p(&word, 1, 0);
    shmem_finalize();
    return 0;
}
