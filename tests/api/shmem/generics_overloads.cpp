// The C++ overloads; see generics.h. The header is included the way old C++ programs do it.
extern "C" {
#include <shmem.h>
}
#include "generics.h"

namespace {

// What the C++ face adds: typed routines that take pointers to volatile, as 1.3 declared them.
void volatile_arguments() {
    static volatile long flag;
    static volatile int number;
    static volatile long lock;
    shmem_barrier_all();
    shmem_long_p(const_cast<long*>(&flag), 3, next);
    shmem_p(&number, 4, next);
    shmem_long_wait_until(&flag, SHMEM_CMP_EQ, 3);
    shmem_long_wait(&flag, 0);
    shmem_wait(&flag, 0);
    shmem_wait_until(&flag, SHMEM_CMP_EQ, 3);
    shmem_int_wait_until(&number, SHMEM_CMP_EQ, 4);
    CHECK(shmem_int_test(&number, SHMEM_CMP_EQ, 4) == 1);
    shmem_set_lock(&lock);
    shmem_clear_lock(&lock);
    if (shmem_test_lock(&lock) == 0) shmem_clear_lock(&lock);
    shmem_barrier_all();
}

}  // namespace

int main() {
    shmem_init();
    me = shmem_my_pe();
    pes = shmem_n_pes();
    next = (me + 1) % pes;
    volatile_arguments();
    const int result = run();
    shmem_finalize();
    return result != 0 || failures != 0 ? 1 : 0;
}
