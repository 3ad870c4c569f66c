/* fork() in a job: the child gets a private copy of the symmetric memory, the parent keeps its own;
 * what the C library starts (system, popen, posix_spawn) works. */
#include <shmem.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

#define CHECK(condition)                                                       \
    do {                                                                       \
        if (!(condition)) {                                                    \
            fprintf(stderr, "PE %d: line %d: %s\n", me, __LINE__, #condition); \
            _exit(1);                                                          \
        }                                                                      \
    } while (0)

static int me;
static int variable = 5;
static char untouched[1 << 20];

static int status_of(pid_t child) {
    int status = -1;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

/* Whether this process sees the page of this PE's that others may write. */
static int shares_window(void) {
    char line[512];
    char page[32];
    int found = 0;
    FILE* const maps = fopen("/proc/self/maps", "r");
    snprintf(page, sizeof page, "s %08x ", 0x20000000U + (unsigned)me * 0x1000U);
    while (maps && fgets(line, sizeof line, maps))
        found |= strstr(line, page) != NULL;
    if (maps) fclose(maps);
    return found;
}

static void writes_stay_apart(int* block, size_t length, int right) {
    int to_child[2];
    int to_parent[2];
    char signal = 'x';
    CHECK(pipe(to_child) == 0 && pipe(to_parent) == 0);
    variable = 5;
    block[0] = 50;
    block[length - 1] = 51;
    const pid_t child = fork();
    if (child == 0) {
        CHECK(variable == 5 && block[0] == 50 && block[length - 1] == 51 && untouched[4096] == 0);
        CHECK(!shares_window());
        variable = 6;
        block[0] = 60;
        untouched[4096] = 61;
        CHECK(write(to_parent[1], &signal, 1) == 1);
        CHECK(read(to_child[0], &signal, 1) == 1); /* the parent and a peer have written since */
        CHECK(variable == 6 && block[0] == 60 && block[1] == 0);
        _exit(23);
    }
    CHECK(read(to_parent[0], &signal, 1) == 1);
    CHECK(variable == 5 && block[0] == 50 && untouched[4096] == 0);
    variable = 7;
    block[0] = 70;
    shmem_barrier_all();
    shmem_int_p(&block[1], 71, right);
    shmem_int_p(&variable, 8, right);
    shmem_barrier_all();
    CHECK(block[1] == 71 && variable == 8);
    CHECK(write(to_child[1], &signal, 1) == 1);
    CHECK(status_of(child) == 23);
    CHECK(variable == 8 && block[0] == 70);
    for (int i = 0; i < 2; ++i) {
        close(to_child[i]);
        close(to_parent[i]);
    }
    block[1] = 0;
    shmem_barrier_all();
}

static void a_child_may_exit(void) { /* through the handlers of exit, which must not wait for PEs */
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) exit(24);
    CHECK(status_of(child) == 24);
    const pid_t well = fork();
    if (well == 0) exit(0);
    CHECK(status_of(well) == 0);
}

static void a_grandchild_is_apart_too(int* block) {
    block[2] = 1;
    const pid_t child = fork();
    if (child == 0) {
        block[2] = 2;
        const pid_t grandchild = fork();
        if (grandchild == 0) {
            CHECK(block[2] == 2);
            block[2] = 3;
            _exit(25);
        }
        CHECK(status_of(grandchild) == 25);
        CHECK(block[2] == 2 || block[2] == 3); /* children of a child share nothing with a PE */
        _exit(26);
    }
    CHECK(status_of(child) == 26);
    CHECK(block[2] == 1);
}

static void programs_can_be_started(void) {
    CHECK(system("exit 3") == 3 << 8);
    char line[32] = "";
    FILE* pipe_end = popen("echo hello; echo $ISTHMUS_BOOTSTRAP", "r");
    CHECK(pipe_end != NULL);
    CHECK(fgets(line, sizeof line, pipe_end) != NULL && strcmp(line, "hello\n") == 0);
    CHECK(fgets(line, sizeof line, pipe_end) != NULL && strcmp(line, "\n") == 0);
    CHECK(pclose(pipe_end) == 0);
    pid_t spawned;
    char* arguments[] = {"sh", "-c", "exit 4", NULL};
    CHECK(posix_spawn(&spawned, "/bin/sh", NULL, NULL, arguments, environ) == 0);
    CHECK(status_of(spawned) == 4);
    const pid_t quick = vfork();
    if (quick == 0) {
        execl("/bin/sh", "sh", "-c", "exit 5", (char*)NULL);
        _exit(127);
    }
    CHECK(status_of(quick) == 5);
}

int main(void) {
    shmem_init();
    me = shmem_my_pe();
    const size_t length = 1 << 18;
    int* const block = shmem_calloc(length, sizeof *block);
    const int right = (me + 1) % shmem_n_pes();
    for (int round = 0; round < 3; ++round)
        writes_stay_apart(block, length, right);
    a_child_may_exit();
    a_grandchild_is_apart_too(block);
    programs_can_be_started();
    shmem_barrier_all();
    shmem_finalize();
    return 0;
}
