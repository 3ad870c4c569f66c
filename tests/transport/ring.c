/* For the tests of faults: every PE gets from the next one until something ends the job. Writes its
 * process number to RING_MARK followed by its PE when it is under way. */
#include <shmem.h>
#include <time.h>

#include "mark.h"

static long word;

int main(void) {
    shmem_init();
    const int me = shmem_my_pe();
    const int next = (me + 1) % shmem_n_pes();
    shmem_barrier_all();
    for (long round = 0;; ++round) {
        word = shmem_long_g(&word, next);
        if (round == 10) mark_under_way(me);
        const struct timespec pause = {0, 5000000};
        nanosleep(&pause, NULL);
    }
}
