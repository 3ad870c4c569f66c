/* 1.3: many transfers in flight, completed by one quiet; large and small, both ways. */
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
    shmem_init();
    int me = shmem_my_pe(), npes = shmem_n_pes(), bad = 0;
    const size_t big = 1 << 20;
    char *a = shmem_malloc(big), *b = shmem_malloc(big), *local = malloc(big);
    memset(a, me + 1, big);
    shmem_barrier_all();
    for (int pe = 0; pe < npes; pe++)
        shmem_getmem_nbi(local + pe * (big / 16), a + pe * 100, big / 16, pe);
    shmem_quiet();
    for (int pe = 0; pe < npes; pe++)
        bad += local[pe * (big / 16)] != pe + 1 || local[(pe + 1) * (big / 16) - 1] != pe + 1;
    for (int i = 0; i < 256; i++)
        shmem_put8_nbi(b + i * 4096 + me, a, 1, (me + i) % npes);
    shmem_put64_nbi(b + 8192 + 64, a, 100, me);
    shmem_quiet();
    shmem_barrier_all();
    for (int i = 0; i < 256; i++) {
        int from = ((me - i) % npes + npes) % npes;
        bad += b[i * 4096 + from] != from + 1;
    }
    printf("%s\n", bad ? "WRONG" : "in flight ok");
    free(local);
    shmem_free(b);
    shmem_free(a);
    shmem_finalize();
    return 0;
}
