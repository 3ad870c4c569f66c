/* A pipeline: PE 0 makes blocks, each PE on the way works on them and hands them on, the last one
 * checks them. Two slots a PE, so that a block can arrive while the previous one is worked on.
 *
 * New here: put with signal. One call carries the data and, after it, the word that announces it;
 * a second signal, in the other direction, says that a slot is free again. */
#include <shmem.h>
#include <stdint.h>
#include <stdio.h>

enum { BLOCKS = 50, LENGTH = 1000, SLOTS = 2 };

static long slot[SLOTS][LENGTH];
static uint64_t filled = 0; /* blocks that have arrived here */
static uint64_t freed = 0;  /* blocks that the next PE has done with */

/* Hands block number `b` (counted from 0) to the next PE, once it has room. */
static void hand_on(const long* data, uint64_t b, int next) {
    if (b >= SLOTS) shmem_signal_wait_until(&freed, SHMEM_CMP_GE, b - SLOTS + 1);
    shmem_fence(); /* this block behind the one before: two puts with signal have no order */
    shmem_long_put_signal(slot[b % SLOTS], data, LENGTH, &filled, b + 1, SHMEM_SIGNAL_SET, next);
}

int main(void) {
    shmem_init();
    const int me = shmem_my_pe();
    const int pes = shmem_n_pes();
    const int last = pes - 1;
    static long block[LENGTH];
    long good = 0;

    for (uint64_t b = 0; b < BLOCKS; ++b) {
        if (me == 0) {
            for (int i = 0; i < LENGTH; ++i)
                block[i] = (long)b * LENGTH + i;
        } else {
            shmem_signal_wait_until(&filled, SHMEM_CMP_GE, b + 1);
            for (int i = 0; i < LENGTH; ++i)
                block[i] = slot[b % SLOTS][i] + 1; /* the work */
            shmem_fence(); /* likewise: a count that comes late must not undo a later one */
            shmem_signal_set(&freed, b + 1, me - 1);
        }
        if (me < last) {
            hand_on(block, b, me + 1);
        } else {
            int right = 1;
            for (int i = 0; i < LENGTH; ++i)
                right &= block[i] == (long)b * LENGTH + i + last;
            good += right;
        }
    }
    if (me == last) printf("%ld of %d blocks came through %d PEs unharmed\n", good, BLOCKS, pes);
    const int wrong = me == last && good != BLOCKS;
    shmem_finalize();
    return wrong;
}
