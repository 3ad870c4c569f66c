/* Bucket sort: keys go to the PE that owns their range, room is claimed by fetch-add. */
#include <shmem.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define KEYS  4000
#define RANGE (1 << 20)

static long long received;
static long total_in, total_out, sum_in, sum_out;
static long pWrk[SHMEM_REDUCE_MIN_WRKDATA_SIZE];
static long pSync[4][SHMEM_REDUCE_SYNC_SIZE];

static int compare(const void* a, const void* b) {
    const int32_t x = *(const int32_t*)a, y = *(const int32_t*)b;
    return (x > y) - (x < y);
}

int main(void) {
    shmem_init();
    const int me = shmem_my_pe(), npes = shmem_n_pes();
    for (int s = 0; s < 4; s++)
        for (int i = 0; i < SHMEM_REDUCE_SYNC_SIZE; i++)
            pSync[s][i] = SHMEM_SYNC_VALUE;
    int32_t* bucket = shmem_malloc(sizeof(int32_t) * KEYS * (size_t)npes);
    int32_t* last = shmem_align(64, sizeof(int32_t));
    srand(17 + me);
    int32_t* keys = malloc(sizeof(int32_t) * KEYS);
    static long key_sum;
    for (int i = 0; i < KEYS; i++) {
        keys[i] = rand() % RANGE;
        key_sum += keys[i];
    }
    qsort(keys, KEYS, sizeof *keys, compare);
    shmem_barrier_all();
    const long width = (RANGE + npes - 1) / npes;
    for (int i = 0; i < KEYS;) {
        const int to = keys[i] / width;
        int j = i;
        while (j < KEYS && keys[j] / width == to)
            j++;
        const long long at = shmem_longlong_fadd(&received, j - i, to);
        shmem_int32_put(bucket + at, keys + i, j - i, to);
        i = j;
    }
    shmem_barrier_all();
    qsort(bucket, received, sizeof *bucket, compare);
    *last = received ? bucket[received - 1] : -1;
    static long counted, bucket_sum;
    counted = received;
    for (int i = 0; i < received; i++)
        bucket_sum += bucket[i];
    shmem_barrier_all();
    int ordered = 1;
    if (me > 0 && received) ordered = shmem_int32_g(last, me - 1) <= bucket[0];
    total_in = KEYS;
    shmem_long_sum_to_all(&total_out, &counted, 1, 0, 0, npes, pWrk, pSync[0]);
    shmem_barrier_all();
    shmem_long_sum_to_all(&sum_in, &key_sum, 1, 0, 0, npes, pWrk, pSync[1]);
    shmem_barrier_all();
    shmem_long_sum_to_all(&sum_out, &bucket_sum, 1, 0, 0, npes, pWrk, pSync[2]);
    printf("PE %d: %lld keys %s\n", me, received,
           ordered && total_out == (long)KEYS * npes && sum_in == sum_out ? "ok" : "WRONG");
    shmem_free(last);
    shmem_free(bucket);
    free(keys);
    shmem_finalize();
    return 0;
}
