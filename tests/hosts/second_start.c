/* A job that begins twice; the PE that START_FAULT_PE names does not come to the second time. */
#include <shmem.h>
#include <signal.h>
#include <stdlib.h>

int main(void) {
    const char* const where = getenv("START_FAULT_PE");
    shmem_init();
    const int me = shmem_my_pe();
    shmem_finalize();
    if (where && me == atoi(where)) raise(SIGSTOP);
    shmem_init();
    shmem_finalize();
    return 0;
}
