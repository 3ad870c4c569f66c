/* Between shmem_init and shmem_finalize, for programs whose mistake lies there. */
#include "cases.h"

volatile int zero = 0;
volatile long sink;

int main(int argc, char** argv) {
#ifdef THREAD_LEVEL
    int provided;
    shmem_init_thread(THREAD_LEVEL, &provided);
#else
    shmem_init();
#endif
    for (const struct Case* one = cases; argc > 1 && one->name; ++one) {
        if (strcmp(one->name, argv[1]) != 0) continue;
        shmem_barrier_all();
        one->run(shmem_my_pe(), shmem_n_pes());
        shmem_barrier_all();
        shmem_finalize();
        return 0;
    }
    fprintf(stderr, "no such case\n");
    return 64;
}
