/* NAS IS, classes S (2^16 keys below 2^11) and W (2^20 below 2^16): keys are ranked ten times, two
 * of them changed each time. As in the benchmark for message passing: the sizes of 512 buckets are
 * added up, each PE takes neighbouring buckets with about its share of the keys, gets them from
 * all, and ranks them by counting. Validated: the published ranks of five keys each time, and at
 * the end the order of all. */
#include "nas.h"

enum { kBuckets = 512, kRounds = 10, kTests = 5 };

struct published {
    int keys_log2, largest_log2;
    long index[kTests], rank[kTests];
    int lower; /* so many of the tests gain rank each time, the others lose it */
};
static const struct published kS = {
    16, 11, {48427, 17148, 23627, 62548, 4431}, {0, 18, 346, 64917, 65463}, 3};
static const struct published kW = {
    20, 16, {357773, 934767, 875723, 898999, 404505}, {1249, 11698, 1039987, 1043896, 1048018}, 2};

static long sizes[kBuckets], all_sizes[kBuckets];
static long test_key[kTests], test_keys[kTests], last_key;

int main(int argc, char** argv) {
    start();
    const struct published* const p = nas_class(argc, argv) == 'W' ? &kW : &kS;
    const long all = 1L << p->keys_log2, largest = 1L << p->largest_log2;
    if (all % npes != 0 || all / npes < 2 * kRounds + 1)
        return nas_refuse("nas_is wants a power of two of PEs, up to 2048");
    const long mine = all / npes, room = 4 * mine + largest;
    const int shift = p->largest_log2 - 9;
    int* const key = malloc((size_t)mine * sizeof *key);
    int* const sorted = malloc((size_t)mine * sizeof *sorted);
    int* const bucket = symmetric((size_t)room * sizeof *bucket);
    /* For each PE: what I send it, what arrives from it, where that begins, where mine begins
     * there. */
    long* const counts = symmetric(4 * (size_t)npes * sizeof *counts);
    long *const arriving = counts + npes, *const begins = arriving + npes,
                *const offsets = begins + npes;
    long* const histogram = malloc((size_t)largest * sizeof *histogram);
    int* const owner = malloc(kBuckets * sizeof *owner);
    uint64_t seed = nas_skip(314159265, 4 * (uint64_t)(mine * me));
    for (long i = 0; i < mine; ++i) {
        double x = nas_random(&seed);
        for (int k = 1; k < 4; ++k)
            x += nas_random(&seed);
        key[i] = (int)((double)(largest / 4) * x);
    }
    int right = 1;
    long received = 0, lowest = 0, highest = 0; /* my keys, and between which values */
    begin();
    for (int round = 1; round <= kRounds; ++round) {
        if (me == 0) {
            key[round] = round;
            key[round + kRounds] = (int)largest - round;
        }
        for (int t = 0; t < kTests; ++t)
            test_key[t] = p->index[t] / mine == me ? key[p->index[t] % mine] : 0;
        memset(sizes, 0, sizeof sizes);
        for (long i = 0; i < mine; ++i)
            ++sizes[key[i] >> shift];
        shmem_long_sum_reduce(SHMEM_TEAM_WORLD, all_sizes, sizes, kBuckets);
        shmem_long_sum_reduce(SHMEM_TEAM_WORLD, test_keys, test_key, kTests);
        long sum = 0, below = 0, place[kBuckets];
        lowest = 0;
        memset(counts, 0, (size_t)npes * sizeof *counts);
        for (int b = 0, pe = 0; b < kBuckets; ++b) {
            /* The next PE begins where the ones before have their share. */
            while (pe + 1 < npes && sum >= (pe + 1) * mine)
                ++pe;
            owner[b] = pe;
            if (pe < me) {
                below += all_sizes[b];
                lowest = (long)(b + 1) << shift;
            }
            place[b] = b == 0 ? 0 : place[b - 1] + sizes[b - 1];
            counts[pe] += sizes[b];
            sum += all_sizes[b];
        }
        for (long i = 0; i < mine; ++i)
            sorted[place[key[i] >> shift]++] = key[i];
        shmem_long_alltoall(SHMEM_TEAM_WORLD, arriving, counts, 1);
        received = 0;
        for (int pe = 0; pe < npes; ++pe) {
            begins[pe] = received;
            received += arriving[pe];
        }
        if (received > room) shmem_global_exit(4);
        shmem_barrier_all(); /* the others' counts of me have been read */
        shmem_long_alltoall(SHMEM_TEAM_WORLD, offsets, begins, 1);
        long from = 0;
        for (int pe = 0; pe < npes; ++pe) {
            if (counts[pe] != 0)
                shmem_int_put_nbi(bucket + offsets[pe], sorted + from, (size_t)counts[pe], pe);
            from += counts[pe];
        }
        shmem_barrier_all();
        /* Afterwards: how many keys of mine are less than or equal to each. */
        highest = largest;
        for (int b = kBuckets - 1; b >= 0 && owner[b] > me; --b)
            highest = (long)b << shift;
        if (highest > lowest)
            memset(histogram + lowest, 0, (size_t)(highest - lowest) * sizeof *histogram);
        for (long i = 0; i < received; ++i)
            ++histogram[bucket[i]];
        for (long value = lowest + 1; value < highest; ++value)
            histogram[value] += histogram[value - 1];
        for (int t = 0; t < kTests; ++t) {
            const long value = test_keys[t];
            if (owner[value >> shift] != me) continue;
            const long rank = below + (value > lowest ? histogram[value - 1] : 0),
                       change = p == &kS ? round : (t < 2 ? round - 2 : round);
            right &= rank == p->rank[t] + (t < p->lower ? change : -change);
        }
    }
    end();
    /* The last ranks put all keys in order. */
    int* const ordered = malloc((size_t)(received + 1) * sizeof *ordered);
    for (long i = 0; i < received; ++i)
        right &= bucket[i] >= lowest && bucket[i] < highest;
    for (long i = right ? received - 1 : -1; i >= 0; --i)
        ordered[--histogram[bucket[i]]] = bucket[i];
    for (long i = 1; right && i < received; ++i)
        right &= ordered[i - 1] <= ordered[i];
    last_key = right && received > 0 ? ordered[received - 1] : -1;
    shmem_barrier_all();
    for (int pe = me - 1; right && received > 0 && pe >= 0; --pe) {
        const long before = shmem_long_g(&last_key, pe);
        if (before < 0) continue;
        right &= before <= ordered[0];
        break;
    }
    static long number[1], numbers[1];
    number[0] = received;
    shmem_long_sum_reduce(SHMEM_TEAM_WORLD, numbers, number, 1);
    right &= numbers[0] == all;
    return finish("nas_is", right, (double)all * kRounds);
}
