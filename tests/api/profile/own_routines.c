/* A program with wrappers of its own, which come before what --stats loads. */
#include <shmem.h>

static long word;

void shmem_init(void) {
    pshmem_init();
}
void shmem_long_p(long* dest, long value, int pe) {
    pshmem_long_p(dest, value, pe);
}
void shmem_sync_all(void) {
    pshmem_sync_all();
}
void shmem_barrier_all(void) {
    pshmem_barrier_all();
}
void shmem_finalize(void) {
    pshmem_finalize();
}

int main(void) {
    shmem_init();
    shmem_long_p(&word, 1, 0);
    shmem_sync_all();
    shmem_barrier_all();
    shmem_finalize();
    return 0;
}
