/* A library of a user's, between the program and ours: it sees a barrier and puts, says so at the
   end, and calls what is behind it. */
#include <shmem.h>
#include <stdio.h>

static int barriers, words, blocks;

void shmem_barrier_all(void) {
    ++barriers;
    pshmem_barrier_all();
}
void shmem_long_p(long* dest, long value, int pe) {
    ++words;
    pshmem_long_p(dest, value, pe);
}
void shmem_putmem(void* dest, const void* source, size_t nelems, int pe) {
    ++blocks;
    pshmem_putmem(dest, source, nelems, pe);
}
void shmem_finalize(void) {
    if (shmem_my_pe() == 0)
        printf("tool: %d barriers, %d words, %d blocks\n", barriers, words, blocks);
    fflush(stdout);
    pshmem_finalize();
}
