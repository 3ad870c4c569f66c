/* Variables of shared libraries that are loaded with the program are symmetric: near, far, late and
 * checked, for every kind of operation. The program's arguments, its limit of the stack and the
 * stacks of its threads are as without such libraries. */
#include "library_data.h"

#include <pthread.h>
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

static void check_stacks(const char* expected) {
    struct rlimit limit;
    getrlimit(RLIMIT_STACK, &limit);
    pthread_attr_t attributes;
    size_t size = 0;
    CHECK(pthread_getattr_default_np(&attributes) == 0 &&
          pthread_attr_getstacksize(&attributes, &size) == 0);
    CHECK(limit.rlim_cur == strtoull(expected, NULL, 10) * 1024);
    CHECK(size == limit.rlim_cur);
    CHECK(getenv("ISTHMUS_STACK_LIMIT") == NULL);
}

static void check_fork(long* variable) {
    *variable = 5;
    const pid_t child = fork();
    if (child == 0) {
        const int right = *variable == 5;
        *variable = 6;
        _exit(right ? 3 : 4);
    }
    int status = 0;
    CHECK(waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 3);
    CHECK(*variable == 5);
}

int main(int argc, char** argv) {
    CHECK(argc == 3 && strcmp(argv[2], "two words") == 0);
    check_stacks(argv[1]);
    shmem_init();
    const int me = shmem_my_pe();
    const int pes = shmem_n_pes();
    const int right = (me + 1) % pes;
    const int left = (me + pes - 1) % pes;
    long* const hidden = calling_hidden();
    CHECK(calling_wide()[100000] == 'c');
    CHECK(shmem_addr_accessible(hidden, right));
    /* Puts by the program and by the library, gets, long ones. */
    shmem_long_p(&hidden[0], 100 + me, right);
    calling_put(200 + me, right);
    shmem_long_p(&plain_values()[1], 300 + me, right);
    shmem_putmem(calling_wide() + 199000, "abc", 4, right);
    CHECK(shmem_long_g(calling_shown() + 2, right) == 9);
    shmem_barrier_all();
    CHECK(hidden[0] == 100 + left && hidden[3] == 200 + left && hidden[4] == 200 + left);
    CHECK(plain_values()[0] == 1 && plain_values()[1] == 300 + left && plain_values()[2] == 3);
    CHECK(strcmp(calling_wide() + 199000, "abc") == 0);
    /* A lock, a signal, a wait, collectives. */
    for (int i = 0; i < 20; ++i) {
        shmem_set_lock(calling_lock());
        const long value = shmem_long_g(&hidden[10], 0);
        shmem_long_p(&hidden[10], value + 1, 0);
        shmem_quiet();
        shmem_clear_lock(calling_lock());
    }
    shmem_barrier_all();
    CHECK(shmem_long_g(&hidden[10], 0) == 20 * pes);
    hidden[20] = me;
    CHECK(shmem_long_sum_reduce(SHMEM_TEAM_WORLD, &hidden[21], &hidden[20], 1) == 0);
    CHECK(hidden[21] == pes * (pes - 1) / 2);
    uint64_t* const signal = (uint64_t*)&hidden[30];
    shmem_putmem_signal(&hidden[31], &hidden[20], sizeof(long), signal, 1, SHMEM_SIGNAL_SET, right);
    shmem_signal_wait_until(signal, SHMEM_CMP_EQ, 1);
    CHECK(hidden[31] == left);
    if (shmem_ptr(hidden, right)) CHECK(*(long*)shmem_ptr(&hidden[31], right) == me);
    shmem_barrier_all();
    check_fork(&hidden[40]);
    shmem_finalize();
    return 0;
}
