/* 1.4: everybody sends a number to everybody; they are added in the order they come. */
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>

int main(void) {
    shmem_init();
    int me = shmem_my_pe(), n = shmem_n_pes();
    int *flags = shmem_calloc(n, sizeof(int)), *status = calloc(n, sizeof(int));
    long* data = shmem_malloc(n * sizeof(long));
    size_t* indices = malloc(n * sizeof(size_t));
    shmem_barrier_all();
    for (int i = 0; i < n; i++) {
        int pe = (me + i) % n;
        shmem_long_p(&data[me], me * me, pe);
        shmem_fence();
        shmem_int_atomic_set(&flags[me], 1, pe);
    }
    long sum = 0;
    int left = n;
    while (left > n / 2) {
        size_t at = shmem_wait_until_any(flags, n, status, SHMEM_CMP_NE, 0);
        sum += data[at];
        status[at] = 1;
        left--;
    }
    while (left > 0) {
        size_t found = shmem_int_test_some(flags, n, indices, status, SHMEM_CMP_EQ, 1);
        for (size_t i = 0; i < found; i++, left--) {
            sum += data[indices[i]];
            status[indices[i]] = 1;
        }
    }
    shmem_wait_until_all(flags, n, NULL, SHMEM_CMP_EQ, 1);
    printf("PE %d: %s\n", me, sum == (long)(n - 1) * n * (2 * n - 1) / 6 ? "ok" : "WRONG");
    shmem_free(flags);
    shmem_free(data);
    free(status);
    free(indices);
    shmem_finalize();
    return 0;
}
