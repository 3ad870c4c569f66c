/* Loaded before the library: PE START_END_PE stops (START_END_HOW=stop), is killed (kill) or aborts
 * (abort), or is slow (slow), within shmem_init, at the call of the system's with that number
 * (START_END_AT) that the library makes of those that are counted here: what it asks its process
 * manager, its mates, and for memory. With START_END_COUNT each PE says at the end how many there
 * were. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

static int counted = -1; /* -1: not within shmem_init */

static int is_chosen(void) {
    static int known;
    if (known == 0) {
        const char* const chosen = getenv("START_END_PE");
        const char* rank = getenv("PMIX_RANK");
        if (!rank) rank = getenv("PMI_RANK");
        if (!rank && getenv("ISTHMUS_STARTED") && strlen(getenv("ISTHMUS_STARTED")) > 3)
            rank = strtok(strdup(getenv("ISTHMUS_STARTED") + 3), " "); /* "PE 1 of 2" */
        known = chosen && rank && strcmp(chosen, rank) == 0 ? 1 : 2;
    }
    return known == 1;
}

static void count(void) {
    if (counted < 0) return;
    const int now = __atomic_add_fetch(&counted, 1, __ATOMIC_RELAXED);
    const char* const at = getenv("START_END_AT");
    const char* const how = getenv("START_END_HOW");
    if (!at || !how || now != atoi(at) || !is_chosen()) return;
    if (strcmp(how, "abort") == 0) abort();
    if (strcmp(how, "slow") == 0) {
        sleep(5);
        return;
    }
    if (strcmp(how, "manager") == 0) {
        kill(getppid(), SIGSTOP);
        return;
    }
    if (strcmp(how, "cut") == 0) {  // by who reads this
        fprintf(stderr, "here\n");
        usleep(500000);
        return;
    }
    kill(getpid(), strcmp(how, "stop") == 0 ? SIGSTOP : SIGKILL);
}

static void* real_of(const char* name) {
    void* const real = dlsym(RTLD_NEXT, name);
    if (!real) abort();
    return real;
}

ssize_t write(int file, const void* bytes, size_t size) {
    static __typeof__(&write) real;
    if (!real) *(void**)&real = real_of("write");
    count();
    return real(file, bytes, size);
}

ssize_t read(int file, void* bytes, size_t size) {
    static __typeof__(&read) real;
    if (!real) *(void**)&real = real_of("read");
    count();
    return real(file, bytes, size);
}

ssize_t send(int file, const void* bytes, size_t size, int flags) {
    static __typeof__(&send) real;
    if (!real) *(void**)&real = real_of("send");
    count();
    return real(file, bytes, size, flags);
}

ssize_t sendmsg(int file, const struct msghdr* message, int flags) {
    static __typeof__(&sendmsg) real;
    if (!real) *(void**)&real = real_of("sendmsg");
    count();
    return real(file, message, flags);
}

int listen(int file, int length) {
    static __typeof__(&listen) real;
    if (!real) *(void**)&real = real_of("listen");
    count();
    return real(file, length);
}

static void run(const char* name, int level, int* given) {
    is_chosen();
    counted = 0;
    if (given)
        ((int (*)(int, int*))real_of(name))(level, given);
    else
        ((void (*)(void))real_of(name))();
    const int all = counted;
    counted = -1;
    if (getenv("START_END_COUNT")) fprintf(stderr, "calls %d\n", all);
}

void shmem_init(void) {
    run("shmem_init", 0, NULL);
}

int shmem_init_thread(int level, int* given) {
    run("shmem_init_thread", level, given);
    return 0;
}
