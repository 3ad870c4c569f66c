/* A job of both interfaces: between the beginnings of the two the PE that STOPS_MANAGER names stops
 * the process that has started it. The one that STOPS_IN_END names is stopped at the end of
 * shmem_finalize, when it asks its process manager for the second barrier (PMI-1): the road is
 * closed by then. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <isthmus.h>
#include <shmem.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int stops_in_end;

ssize_t write(int file, const void* bytes, size_t size) {
    static const char kBarrier[] = "cmd=barrier_in";
    static __typeof__(&write) real;
    if (!real) *(void**)&real = dlsym(RTLD_NEXT, "write");
    if (stops_in_end > 0 && size >= sizeof kBarrier &&
        memcmp(bytes, kBarrier, sizeof kBarrier - 1) == 0 && --stops_in_end == 0)
        raise(SIGSTOP);
    return real(file, bytes, size);
}

static int is_named(const char* variable, int me) {
    const char* const who = getenv(variable);
    return who && atoi(who) == me;
}

int main(void) {
    shmem_init();
    const int me = shmem_my_pe();
    shmem_barrier_all();
    if (is_named("STOPS_MANAGER", me)) kill(getppid(), SIGSTOP);
    isthmus_init();
    shmem_barrier_all();
    isthmus_finalize();
    stops_in_end = is_named("STOPS_IN_END", me) ? 2 : 0;
    shmem_finalize();
    return 0;
}
