// Preloaded: PE 1 stops before it says its second "barrier_in" to a manager that speaks PMI-1, when
// all have come to shmem_init and do not know each other yet. With PAUSES it goes on after a
// moment. With HAS_CHILD it has one that is stopped for a second and a half before shmem_init, and
// does nothing else.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int is_second(void) {
    const char* rank = getenv("PMIX_RANK") ? getenv("PMIX_RANK") : getenv("PMI_RANK");
    return rank && strcmp(rank, "1") == 0;
}

__attribute__((constructor)) static void have_child(void) {
    if (!getenv("HAS_CHILD") || !is_second()) return;
    const pid_t child = fork();
    if (child == 0) {
        raise(SIGSTOP);
        _exit(0);
    }
    usleep(1500000);
    kill(child, SIGCONT);
    waitpid(child, NULL, 0);
}

ssize_t write(int file, const void* bytes, size_t count) {
    static ssize_t (*real)(int, const void*, size_t);
    static int barriers;
    if (!real) real = (ssize_t(*)(int, const void*, size_t))dlsym(RTLD_NEXT, "write");
    if (!getenv("HAS_CHILD") && is_second() && count > 14 &&
        memcmp(bytes, "cmd=barrier_in", 14) == 0 && ++barriers == 2) {
        if (getenv("PAUSES"))
            usleep(300000);
        else
            raise(SIGSTOP);
    }
    return real(file, bytes, count);
}
