// Preloaded: PE 1 stops before it says its second "barrier_in" to a manager that speaks PMI-1, when
// all have come to shmem_init and do not know each other yet. With PAUSES it goes on after a
// moment. With HAS_CHILD it has one that is stopped for so many seconds before shmem_init,
// and does nothing else. With LOOKER_STOPS, and that many seconds, it is the PE that looks first at
// the processes of its host, as soon as it has the name of that; 0: for ever. It does nothing else.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
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
    usleep((useconds_t)(1e6 * atof(getenv("HAS_CHILD"))));
    kill(child, SIGCONT);
    waitpid(child, NULL, 0);
}

ssize_t write(int file, const void* bytes, size_t count) {
    static ssize_t (*real)(int, const void*, size_t);
    static int barriers;
    if (!real) real = (ssize_t(*)(int, const void*, size_t))dlsym(RTLD_NEXT, "write");
    if (!getenv("HAS_CHILD") && !getenv("LOOKER_STOPS") && is_second() && count > 14 &&
        memcmp(bytes, "cmd=barrier_in", 14) == 0 && ++barriers == 2) {
        if (getenv("PAUSES"))
            usleep(300000);
        else
            raise(SIGSTOP);
    }
    return real(file, bytes, count);
}

// Who goes on after a stop is woken by its child.
static void stop(int milliseconds) {
    const pid_t parent = getpid();
    if (milliseconds > 0 && fork() == 0) {
        usleep(1000 * (useconds_t)milliseconds);
        kill(parent, SIGCONT);
        _exit(0);
    }
    kill(parent, SIGSTOP);
}

int listen(int file, int count) {
    static int (*real)(int, int);
    if (!real) real = (int (*)(int, int))dlsym(RTLD_NEXT, "listen");
    const int result = real(file, count);
    static const char looks[] = "isthmus-looks-";
    struct sockaddr_un name = {0};
    socklen_t bytes = sizeof name;
    const char* const seconds = getenv("LOOKER_STOPS");
    if (seconds && result == 0 && getsockname(file, (struct sockaddr*)&name, &bytes) == 0 &&
        memcmp(name.sun_path + 1, looks, sizeof looks - 1) == 0 &&
        memcmp((char*)&name + bytes - 2, "-0", 2) == 0)
        stop((int)(1000 * atof(seconds)));
    return result;
}
