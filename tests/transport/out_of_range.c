/* A put to a PE that there is not, and one past the heap, by the shortest way: the message says so,
 * though nothing on that way compares. out_of_range PE | out_of_range past */
#include <shmem.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char** argv) {
    shmem_init();
    char* block = shmem_malloc(64);
    const int past = argc > 1 && strcmp(argv[1], "past") == 0;
    void (*volatile put)(int*, int, int) = shmem_int_p;
    shmem_barrier_all();
    if (shmem_my_pe() == 0)
        put((int*)(past ? block + ((ptrdiff_t)1 << 40) : block), 1, past ? 1 : atoi(argv[1]));
    shmem_barrier_all();
    shmem_finalize();
    return 0;
}
