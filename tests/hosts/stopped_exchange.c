/* Loaded before the library: PE STOPS_PE stops itself in the last exchange of shmem_init, that of
 * where the roads are. Its own part is with the process manager then, and it is about to ask for
 * the others'. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static int has_road;

int listen(int file, int length) {
    int (*real)(int, int) = NULL;
    *(void**)&real = dlsym(RTLD_NEXT, "listen");
    struct sockaddr_storage at;
    socklen_t room = sizeof at;
    if (getsockname(file, (struct sockaddr*)&at, &room) == 0 && at.ss_family == AF_INET)
        has_road = 1;
    return real(file, length);
}

ssize_t write(int file, const void* bytes, size_t count) {
    ssize_t (*real)(int, const void*, size_t) = NULL;
    *(void**)&real = dlsym(RTLD_NEXT, "write");
    static const char kGet[] = "cmd=get ";
    const char* const stops = getenv("STOPS_PE");
    const char* const rank = getenv("PMI_RANK");
    if (has_road && stops && rank && strcmp(stops, rank) == 0 && count > strlen(kGet) &&
        memcmp(bytes, kGet, strlen(kGet)) == 0)
        raise(SIGSTOP);
    return real(file, bytes, count);
}
