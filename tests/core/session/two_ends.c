/* PE 0 ends the job in one way and PE 1 in another, so many milliseconds later: FIRST SECOND
 * MILLISECONDS. The first end is the job's. Others compute, or wait. */
#include <shmem.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void end_by(const char* way) {
    if (strncmp(way, "end", 3) == 0) shmem_global_exit(atoi(way + 3));
    if (strncmp(way, "exit", 4) == 0) exit(atoi(way + 4));
    if (strcmp(way, "abort") == 0) abort();
    if (strcmp(way, "kill") == 0) raise(SIGKILL);
    volatile int* volatile nowhere = (volatile int*)8;
    *nowhere = 1;
}

int main(int argc, char** argv) {
    if (argc != 4) return 2;
    shmem_init();
    const int me = shmem_my_pe();
    shmem_barrier_all();
    if (me == 0) end_by(argv[1]);
    if (me == 1) {
        usleep((useconds_t)(1000 * atoi(argv[3])));
        end_by(argv[2]);
    }
    if (me == 2) pause();
    shmem_barrier_all();
    shmem_finalize();
    return 0;
}
