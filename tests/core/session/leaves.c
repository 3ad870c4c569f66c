/* PE 1 leaves by a way that a handler of a signal may take, perhaps within malloc: behind that
 * nothing may allocate; or, as a process manager's own library does, it waits there for ever.
 * "WAY late": behind shmem_finalize, while the others still write; PMIx may allocate there.
 * "returns": PE 1 returns 5 behind shmem_finalize, or all do ("all").
 * "wide": the status is more than the system keeps of it, which is 0.
 * "closed": all files are closed in the session, those of the process manager among them. */
#define _GNU_SOURCE
#include <shmem.h>
#include <signal.h>
#include <stdio.h>
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

static int is(int argc, char** argv, int which, const char* word) {
    return argc > which && strcmp(argv[which], word) == 0;
}

int main(int argc, char** argv) {
    at_quick_exit(told_before);
    shmem_init();
    shmem_barrier_all();
    const int me = shmem_my_pe();
    if (is(argc, argv, 1, "closed")) {
        printf("PE %d is here\n", me);
        closefrom(3);
        shmem_finalize();
        return 0;
    }
    if (is(argc, argv, 1, "returns")) {
        shmem_finalize();
        return me == 1 || is(argc, argv, 2, "all") ? 5 : 0;
    }
    if (is(argc, argv, 2, "late")) {
        const int status = is(argc, argv, 3, "0") ? 0 : 5;
        shmem_finalize();
        if (me == 1) {
            leaving = getenv("PMI_FD") != NULL;
            if (is(argc, argv, 1, "quick_exit")) quick_exit(status);
            _exit(status);
        }
        usleep(400000); /* so long a process manager would have to kill this PE */
        printf("PE %d has written\n", me);
        return 0;
    }
    if (me == 1) {
        if (is(argc, argv, 1, "wide")) exit(256);
        leaving = is(argc, argv, 1, "locked") ? 2 : 1;
        if (is(argc, argv, 1, "quick_exit")) quick_exit(5);
        _exit(5);
    }
    for (;;)
        shmem_barrier_all();
}
