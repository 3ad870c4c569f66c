/* A program as they were written before 1.2: the old names are counted too. */
#include <shmem.h>

static long word;

int main(void) {
    start_pes(0);
    start_pes(0);
    long* block = shmalloc(64);
    if (_my_pe() + 1 < _num_pes()) shmem_long_inc(&word, _my_pe() + 1);
    shmem_barrier_all();
    shfree(block);
    return 0;
}
