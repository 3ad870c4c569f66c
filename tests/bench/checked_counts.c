/* Operations in checked mode whose instructions are counted by callgrind, each in a function of its
 * own, by a PE alone (checked_counts.py). */
#include <shmem.h>
#include <stdlib.h>

#define PROBE __attribute__((noinline, noclone, used))

static long variable;

PROBE void probe_p(long* word) {
    shmem_long_p(word, 1, 0);
}
PROBE long probe_g(const long* word) {
    return shmem_long_g(word, 0);
}
PROBE void probe_atomic(long* word) {
    shmem_long_atomic_add(word, 1, 0);
}
PROBE void probe_variable(void) {
    shmem_long_p(&variable, 1, 0);
}
PROBE void probe_put64(long* dest, const long* source, size_t longs) {
    shmem_long_put(dest, source, longs, 0);
}
PROBE void probe_get64(long* dest, const long* source, size_t longs) {
    shmem_long_get(dest, source, longs, 0);
}

int main(void) {
    shmem_init();
    long* const block = shmem_calloc(64, sizeof(long));
    long* const mine = aligned_alloc(4096, 4096); /* one page */
    for (int i = 0; i < 64; ++i)
        mine[i] = i;
    for (int i = 0; i < 8; ++i) {
        probe_p(block + i);
        probe_g(block + i);
        probe_atomic(block + i);
        probe_variable();
        probe_put64(block, mine + i, 8);
        probe_get64(mine, block + i, 8);
    }
    free(mine);
    shmem_finalize();
    return 0;
}
