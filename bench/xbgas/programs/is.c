/* NAS IS in small: keys, the sum of four uniform numbers each, are sorted by buckets, one for each
 * PE; with --nbi 1 the blocks go by put_nbi. Validated: ranges of the PEs in order, no key lost or
 * changed. */
#include "common.h"

/* Sums of it are the same only for the same keys. */
static long mark(int key) {
    return (long)random_at(11, (uint64_t)key);
}

int main(int argc, char** argv) {
    start();
    const int keys = argument(argc, argv, "--count", 512), most = 1 << 11,
              overlapping = argument(argc, argv, "--nbi", 0);
    const int room = 4 * keys * npes; /* more than a bucket can get is refused below */
    int* const bucket = symmetric((size_t)room * sizeof *bucket);
    long* const counts = symmetric((size_t)npes * sizeof *counts);     /* mine for each PE */
    long* const arriving = symmetric((size_t)npes * sizeof *arriving); /* from each PE for me */
    int* const key = malloc((size_t)keys * sizeof *key);
    int* const sorted = malloc((size_t)keys * sizeof *sorted);
    int* const histogram = calloc((size_t)most, sizeof *histogram);
    long* const place = malloc((size_t)npes * sizeof *place);
    static long sum[2], total[2];
    for (int i = 0; i < keys; ++i) {
        const uint64_t r = random_at((uint64_t)me, (uint64_t)i);
        key[i] = (int)(((r & 0x1ff) + (r >> 16 & 0x1ff) + (r >> 32 & 0x1ff) + (r >> 48 & 0x1ff)));
        sum[0] += mark(key[i]);
    }
    begin();
    memset(counts, 0, (size_t)npes * sizeof *counts);
    for (int i = 0; i < keys; ++i)
        ++counts[(long)key[i] * npes / most];
    shmem_long_alltoall(SHMEM_TEAM_WORLD, arriving, counts, 1);
    /* Where the block of each PE begins at its target: behind those of the PEs before me. */
    static long* offsets;
    if (!offsets) offsets = symmetric(2 * (size_t)npes * sizeof *offsets);
    long at = 0;
    for (int p = 0; p < npes; ++p) {
        offsets[p] = at;
        at += arriving[p];
    }
    const long received = at;
    shmem_barrier_all();
    shmem_long_alltoall(SHMEM_TEAM_WORLD, offsets + npes, offsets, 1);
    long first = 0;
    for (int p = 0; p < npes; ++p) {
        place[p] = first;
        first += counts[p];
    }
    for (int i = 0; i < keys; ++i)
        sorted[place[(long)key[i] * npes / most]++] = key[i];
    for (int k = 0; k < npes; ++k) {
        const int p = (me + k) % npes;
        if (counts[p] == 0) continue;
        int* const to = bucket + offsets[npes + p];
        const int* const from = sorted + place[p] - counts[p];
        if (overlapping)
            shmem_int_put_nbi(to, from, (size_t)counts[p], p);
        else
            shmem_int_put(to, from, (size_t)counts[p], p);
    }
    shmem_barrier_all();
    /* Rank by counting. */
    for (long i = 0; i < received; ++i)
        ++histogram[bucket[i]];
    long out = 0;
    for (int value = 0; value < most; ++value)
        for (int n = histogram[value]; n > 0; --n)
            bucket[out++] = value;
    end();
    int right = received <= room;
    for (long i = 0; i < received; ++i) {
        right &= (long)bucket[i] * npes / most == me && (i == 0 || bucket[i - 1] <= bucket[i]);
        sum[1] += mark(bucket[i]);
    }
    shmem_long_sum_reduce(SHMEM_TEAM_WORLD, total, sum, 2);
    right &= total[0] == total[1];
    return finish("is", right, (double)keys * npes);
}
