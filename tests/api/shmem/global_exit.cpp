// shmem_global_exit: one PE ends the job, whatever the others do, and its status is the job's.
#include <unistd.h>

#include "harness.hpp"

int main() {
    shmem_init();
    const int me = shmem_my_pe();
    const int pes = shmem_n_pes();
    EXPECT_NAMED("shmem_global_exit", true);
    test::finish("global_exit", me, pes);
    shmem_barrier_all();  // the others have written theirs
    if (me == pes - 1) {
        shmem_global_exit(7);
    }
    for (;;)
        pause();
}
