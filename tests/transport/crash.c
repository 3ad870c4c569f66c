/* A fault in libfabric's own code. */
#include <rdma/fabric.h>
#include <shmem.h>

int main(void) {
    shmem_init();
    if (shmem_my_pe() == 1) fi_freeinfo((struct fi_info*)16);
    shmem_barrier_all();
    shmem_finalize();
    return 0;
}
