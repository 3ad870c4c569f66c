/* Runs a command that the kernel denies a system call: denied NAME COMMAND...
 * What is denied fails as a container's seccomp profile, or a limit, would have it. */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define DENY(NUMBER, ERROR)                              \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (NUMBER), 0, 1), \
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (ERROR))
#define NUMBER_OF_CALL BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr))
#define ALLOW          BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

static struct sock_filter memory[] = {NUMBER_OF_CALL, DENY(SYS_memfd_create, EPERM), ALLOW};
static struct sock_filter sizes[] = {NUMBER_OF_CALL, DENY(SYS_ftruncate, EPERM), ALLOW};
static struct sock_filter signals[] = {NUMBER_OF_CALL, DENY(SYS_signalfd4, EPERM), ALLOW};
/* As RLIMIT_NPROC does. */
static struct sock_filter threads[] = {NUMBER_OF_CALL, DENY(SYS_clone3, EAGAIN),
                                       DENY(SYS_clone, EAGAIN), ALLOW};

static const struct {
    const char* name;
    struct sock_fprog program;
} filters[] = {{"memfd_create", {sizeof memory / sizeof *memory, memory}},
               {"ftruncate", {sizeof sizes / sizeof *sizes, sizes}},
               {"signalfd", {sizeof signals / sizeof *signals, signals}},
               {"threads", {sizeof threads / sizeof *threads, threads}}};

int main(int argc, char** argv) {
    for (size_t i = 0; argc > 2 && i < sizeof filters / sizeof *filters; ++i) {
        if (strcmp(argv[1], filters[i].name) != 0) continue;
        if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
            prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filters[i].program) != 0)
            return 77;
        execvp(argv[2], argv + 2);
    }
    perror("denied");
    return 77;
}
