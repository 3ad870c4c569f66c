/* Calls before init, after finalize and in a forked child; and a program that does nothing wrong,
 * for what is wrong around it. */
#include <sys/wait.h>
#include <unistd.h>

#include "cases.h"

static long word;
volatile long sink;

static void in_child(void (*call)(void)) {
    int status = 0;
    shmem_init();
    fflush(NULL);
    if (shmem_my_pe() == 0) {
        const pid_t child = fork();
        if (child == 0) {
            call();
            _exit(0);
        }
        waitpid(child, &status, 0);
        printf("child ended with %d\n", WIFEXITED(status) ? WEXITSTATUS(status) : -1);
        fflush(NULL);
    }
    shmem_barrier_all();
    shmem_finalize();
}
static void put(void) {
    shmem_long_p(&word, 1, 0);
}
static void barrier(void) {
    shmem_barrier_all();
}
static void ask(void) {
    sink = shmem_my_pe();
}
static void allocate(void) {
    sink = shmem_malloc(8) != NULL;
}
static void team(void) {
    sink = shmem_team_my_pe(SHMEM_TEAM_WORLD);
}
static void finalize(void) {
    shmem_finalize();
}
static void wait_until(void) {
    shmem_long_wait_until(&word, SHMEM_CMP_EQ, 1);
}
static void fine(void) {}

int main(int argc, char** argv) {
    static const struct {
        const char* name;
        void (*call)(void);
    } calls[] = {{"put", put},
                 {"barrier", barrier},
                 {"ask", ask},
                 {"allocate", allocate},
                 {"team", team},
                 {"finalize", finalize},
                 {"wait_until", wait_until},
                 {"fine", fine}};
    if (argc < 3) return 64;
    for (size_t i = 0; i < sizeof calls / sizeof *calls; ++i) {
        if (strcmp(calls[i].name, argv[2]) != 0) continue;
        if (strcmp(argv[1], "fork") == 0) {
            in_child(calls[i].call);
            return 0;
        }
        if (strcmp(argv[1], "before") == 0) calls[i].call();
        shmem_init();
        if (strcmp(argv[1], "during") == 0) calls[i].call();
        shmem_finalize();
        if (strcmp(argv[1], "after") == 0) calls[i].call();
        return 0;
    }
    return 64;
}
