/* For tool.c: each PE calls a barrier 3 times, puts 2 words and a block, and gets a word. */
#include <shmem.h>

static long word, block[4];

int main(void) {
    shmem_init();
    const int next = (shmem_my_pe() + 1) % shmem_n_pes();
    const long source[4] = {1, 2, 3, 4};
    shmem_long_p(&word, 1, next);
    shmem_barrier_all();
    shmem_long_p(&word, 2, next);
    shmem_putmem(block, source, sizeof source, next);
    shmem_barrier_all();
    const int wrong = shmem_long_g(&word, next) != 2 || block[3] != 4;
    shmem_barrier_all();
    shmem_finalize();
    return wrong;
}
