/* A histogram whose bins lie at all PEs: every PE draws numbers and counts each in its bin.
 *
 * New here: atomics. Many PEs add to the same word at once and no addition is lost; the PE that
 * owns the word takes no part. */
#include <shmem.h>
#include <stdint.h>
#include <stdio.h>

enum { BINS_PER_PE = 8, DRAWS = 100000 };

static long bins[BINS_PER_PE];

/* A small generator (xorshift), begun differently at each PE. */
static uint64_t draw(uint64_t* state) {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

int main(void) {
    shmem_init();
    const int me = shmem_my_pe();
    const int pes = shmem_n_pes();
    const uint64_t all_bins = (uint64_t)pes * BINS_PER_PE;

    uint64_t state = 88172645463325252u + (uint64_t)me * 1000003;
    for (int i = 0; i < DRAWS; ++i) {
        const uint64_t bin = draw(&state) % all_bins;
        shmem_long_atomic_inc(&bins[bin % BINS_PER_PE], (int)(bin / BINS_PER_PE));
    }
    shmem_barrier_all(); /* completes the updates of all PEs */

    int wrong = 0;
    if (me == 0) {
        long total = 0, least = DRAWS * (long)pes, most = 0;
        for (uint64_t bin = 0; bin < all_bins; ++bin) {
            const long count = shmem_long_g(&bins[bin % BINS_PER_PE], (int)(bin / BINS_PER_PE));
            total += count;
            least = count < least ? count : least;
            most = count > most ? count : most;
        }
        wrong = total != DRAWS * (long)pes;
        printf("%ld numbers in %d bins, between %ld and %ld each\n", total, (int)all_bins, least,
               most);
    }
    shmem_finalize();
    return wrong;
}
