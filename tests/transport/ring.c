/* For the tests of faults: every PE gets from the next one until something ends the job; or does
 * what argv[1] says. Writes its process number to RING_MARK followed by its PE when it is under
 * way. */
#include <shmem.h>
#include <string.h>
#include <time.h>

#include "mark.h"

static long word;

int main(int argc, char** argv) {
    const char* const what = argc > 1 ? argv[1] : "get";
    shmem_init();
    const int me = shmem_my_pe();
    const int next = (me + 1) % shmem_n_pes();
    shmem_barrier_all();
    for (long round = 0;; ++round) {
        if (strcmp(what, "quiet") == 0) {
            shmem_long_p(&word, round, next);
            shmem_quiet();
        } else if (strcmp(what, "atomic") == 0) {
            shmem_long_atomic_fetch_add(&word, 1, next);
        } else if (strcmp(what, "barrier") == 0) {
            shmem_barrier_all();
        } else {
            word = shmem_long_g(&word, next);
        }
        if (round == 10) mark_under_way(me);
        const struct timespec pause = {0, 5000000};
        nanosleep(&pause, NULL);
    }
}
