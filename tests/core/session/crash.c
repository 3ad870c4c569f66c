/* PE 1 writes to no address, two calls deep; with "sent" it sends itself the signal instead. */
#include <shmem.h>
#include <signal.h>
#include <string.h>

__attribute__((noinline)) void inner(volatile int* where) {
    *where = 1; /* line 7 */
    *where += 1;
}
__attribute__((noinline)) void outer(int pe) {
    inner(pe == 1 ? (volatile int*)0x10 : &pe);
    __asm__ volatile("" ::: "memory");
}

int main(int argc, char** argv) {
    shmem_init();
    shmem_barrier_all();
    if (argc > 1 && strcmp(argv[1], "sent") == 0 && shmem_my_pe() == 1) raise(SIGSEGV);
    if (argc == 1) outer(shmem_my_pe());
    shmem_barrier_all();
    shmem_finalize();
    return 0;
}
