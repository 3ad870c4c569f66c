/* A job of both interfaces: between the beginnings of the two the PE that STOPS_MANAGER names stops
 * the process that has started it. */
#include <isthmus.h>
#include <shmem.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

int main(void) {
    const char* const who = getenv("STOPS_MANAGER");
    shmem_init();
    shmem_barrier_all();
    if (who && shmem_my_pe() == atoi(who)) kill(getppid(), SIGSTOP);
    isthmus_init();
    shmem_barrier_all();
    isthmus_finalize();
    shmem_finalize();
    return 0;
}
