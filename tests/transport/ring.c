/* For the tests of faults: every PE gets from the next one until something ends the job. Writes its
 * process number to RING_MARK followed by its PE when it is under way. */
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static long word;

int main(void) {
    shmem_init();
    const int me = shmem_my_pe();
    const int next = (me + 1) % shmem_n_pes();
    shmem_barrier_all();
    for (long round = 0;; ++round) {
        word = shmem_long_g(&word, next);
        if (round == 10 && getenv("RING_MARK")) {
            char name[4096];
            snprintf(name, sizeof name, "%s%d.new", getenv("RING_MARK"), me);
            char place[4096];
            snprintf(place, sizeof place, "%s%d", getenv("RING_MARK"), me);
            FILE* file = fopen(name, "w");
            fprintf(file, "%d", (int)getpid());
            fclose(file);
            rename(name, place);
        }
        const struct timespec pause = {0, 5000000};
        nanosleep(&pause, NULL);
    }
}
