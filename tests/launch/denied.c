/* Runs a command that the kernel denies a system call: denied NAME COMMAND..., or denied
 * NAME-memory COMMAND..., for which it has no memory. What is denied fails as a container's seccomp
 * profile, or a limit, would have it. */
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

/* As RLIMIT_NPROC does. */
static struct sock_filter threads[] = {NUMBER_OF_CALL, DENY(SYS_clone3, EAGAIN),
                                       DENY(SYS_clone, EAGAIN), ALLOW};
static struct sock_filter one[] = {NUMBER_OF_CALL, DENY(0, EPERM), ALLOW};

static const struct {
    const char* name;
    unsigned number;
} calls[] = {{"memfd_create", SYS_memfd_create},
             {"ftruncate", SYS_ftruncate},
             {"signalfd", SYS_signalfd4},
             {"accept4", SYS_accept4},
             {"clone3", SYS_clone3},
             {"connect", SYS_connect},
#ifdef SYS_epoll_wait
             {"epoll_wait", SYS_epoll_wait},
#endif
             {"fcntl", SYS_fcntl},
             {"wait4", SYS_wait4},
             {"rt_sigprocmask", SYS_rt_sigprocmask},
             {"rt_sigtimedwait", SYS_rt_sigtimedwait},
#ifdef SYS_poll
             {"poll", SYS_poll},
#endif
             {"getpeername", SYS_getpeername},
             {"sendmsg", SYS_sendmsg},
             {"sendto", SYS_sendto},
             {"recvfrom", SYS_recvfrom},
             {"socket", SYS_socket},
             {"socketpair", SYS_socketpair},
             {"bind", SYS_bind},
             {"listen", SYS_listen},
             {"pwrite64", SYS_pwrite64},
             {"pread64", SYS_pread64},
             {"recvmsg", SYS_recvmsg},
             {"pipe2", SYS_pipe2},
             {"sendmmsg", SYS_sendmmsg},
             {"recvmmsg", SYS_recvmmsg},
             {"getsockopt", SYS_getsockopt},
             {"getrandom", SYS_getrandom},
             {"getpid", SYS_getpid},
             {"getppid", SYS_getppid},
             {"gettid", SYS_gettid},
             {"sysinfo", SYS_sysinfo},
             {"getuid", SYS_getuid},
             {"geteuid", SYS_geteuid},
             {"getegid", SYS_getegid}};

static int find_filter(const char* name, struct sock_fprog* filter) {
    if (strcmp(name, "threads") == 0) {
        *filter = (struct sock_fprog){sizeof threads / sizeof *threads, threads};
        return 1;
    }
    for (size_t i = 0; i < sizeof calls / sizeof *calls; ++i) {
        const size_t length = strlen(calls[i].name);
        const int wants_memory = strcmp(name + strnlen(name, length), "-memory") == 0;
        if (strncmp(name, calls[i].name, length) != 0 || (name[length] != 0 && !wants_memory))
            continue;
        one[1].k = calls[i].number;
        if (wants_memory) one[2].k = SECCOMP_RET_ERRNO | ENOMEM;
        *filter = (struct sock_fprog){sizeof one / sizeof *one, one};
        return 1;
    }
    return 0;
}

int main(int argc, char** argv) {
    struct sock_fprog filter;
    if (argc > 2 && find_filter(argv[1], &filter)) {
        if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
            prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0)
            return 77;
        execvp(argv[2], argv + 2);
    }
    perror("denied");
    return 77;
}
