/* A put to a PE that there is not, and one past the heap, by the shortest way: the message says so,
 * though nothing on that way compares. And blocks that begin in the heap or in static data, and end
 * behind it. out_of_range PE | past | heap | data | signal | nbi */
#include <shmem.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static char in_data[64];
static char long_source[8 << 20];
static uint64_t raised;

/* Twice as much as the heap, or the static data, holds in all. */
static void block(const char* what, char* in_heap) {
    const size_t bytes = sizeof long_source;
    if (strcmp(what, "no_pe") == 0) shmem_putmem(in_heap, long_source, 4096, shmem_n_pes());
    if (strcmp(what, "heap") == 0) shmem_putmem(in_heap, long_source, bytes, 1);
    if (strcmp(what, "data") == 0) shmem_putmem(long_source + bytes - 64, long_source, bytes, 1);
    if (strcmp(what, "signal") == 0)
        shmem_putmem_signal(long_source + bytes - 64, in_data, bytes / 2, &raised, 1,
                            SHMEM_SIGNAL_SET, 1);
    if (strcmp(what, "nbi") == 0) shmem_putmem_nbi(long_source + bytes - 64, long_source, bytes, 1);
}

int main(int argc, char** argv) {
    shmem_init();
    char* block_of_heap = shmem_malloc(64);
    const int past = argc > 1 && strcmp(argv[1], "past") == 0;
    void (*volatile put)(int*, int, int) = shmem_int_p;
    shmem_barrier_all();
    const char* const what = argc > 1 ? argv[1] : "0";
    if (shmem_my_pe() == 0 && what[0] >= 'a' && !past)
        block(what, block_of_heap);
    else if (shmem_my_pe() == 0)
        put((int*)(past ? block_of_heap + ((ptrdiff_t)1 << 40) : block_of_heap), 1,
            past ? 1 : atoi(argv[1]));
    shmem_barrier_all();
    shmem_finalize();
    return 0;
}
