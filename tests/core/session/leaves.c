/* PE 1 leaves by a way that a handler of a signal may take, perhaps within malloc: behind that
 * nothing may allocate; or, as a process manager's own library does, it waits there for ever. */
#include <shmem.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void* __libc_malloc(size_t size);

static volatile sig_atomic_t leaving;

/* In front of the C library's, also for what the library asks for. */
void* malloc(size_t size) {
    static const char told[] = "allocates\n";
    while (leaving == 2)
        pause();
    if (leaving && write(STDERR_FILENO, told, sizeof told - 1) < 0) abort();
    return __libc_malloc(size);
}

static void told_before(void) {
    if (write(STDERR_FILENO, "handler\n", 8) < 0) abort();
}

int main(int argc, char** argv) {
    at_quick_exit(told_before);
    shmem_init();
    shmem_barrier_all();
    if (shmem_my_pe() == 1) {
        leaving = argc > 1 && strcmp(argv[1], "locked") == 0 ? 2 : 1;
        if (argc > 1 && strcmp(argv[1], "quick_exit") == 0) quick_exit(5);
        _exit(5);
    }
    for (;;)
        shmem_barrier_all();
}
