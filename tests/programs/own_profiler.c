/* A program that brings its own profiling layer: it defines shmem_ routines over pshmem_ ones. */
#define ISTHMUS_NO_INLINE
#include <pshmem.h>
#include <shmem.h>
#include <stdio.h>

static int puts_seen, barriers_seen;

void shmem_int_put(int* dest, const int* source, size_t nelems, int pe) {
    puts_seen++;
    pshmem_int_put(dest, source, nelems, pe);
}

void shmem_barrier_all(void) {
    barriers_seen++;
    pshmem_barrier_all();
}

static int box;

int main(void) {
    shmem_init();
    int me = shmem_my_pe();
    shmem_pcontrol(1);
    shmem_int_put(&box, &me, 1, (me + 1) % shmem_n_pes());
    shmem_barrier_all();
    shmem_pcontrol(0);
    printf("%s\n",
           puts_seen == 1 && barriers_seen == 1 && box == (me + shmem_n_pes() - 1) % shmem_n_pes()
               ? "profiled ok"
               : "WRONG");
    shmem_finalize();
    return 0;
}
