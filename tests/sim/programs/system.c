// What a process asks about itself and the system. Nothing is printed that depends on the user, the
// host or its limits, and nothing is tried that only some users may.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <sys/times.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void tell(const char* what, long result) {
    printf("%s: %ld%s%s\n", what, result, result < 0 ? " " : "", result < 0 ? strerror(errno) : "");
}
static volatile int sent;
static void take(int number, siginfo_t* info, void* context) {
    sent = info->si_value.sival_int + (number == SIGUSR1) * 100;
    (void)context;
}
static void* named(void* inherited) {
    char name[16];
    pthread_getname_np(pthread_self(), name, sizeof name);
    printf("%d", strcmp(name, inherited));
    pthread_setname_np(pthread_self(), "another");
    pthread_getname_np(pthread_self(), name, sizeof name);
    printf(" %s\n", name);
    return NULL;
}

int main(void) {
    setvbuf(stdout, NULL, _IONBF, 0);
    /* The processor. */
    unsigned processor = 99, node = 99;
    printf("%d %d %d\n", getcpu(&processor, &node), processor != 99, node != 99);
    printf("%d\n", sched_getcpu() >= 0);
    cpu_set_t set;
    printf("%d %d\n", sched_getaffinity(0, sizeof set, &set), CPU_COUNT(&set) > 0);
    printf("%d\n", sched_setaffinity(0, sizeof set, &set));
    CPU_ZERO(&set);
    tell("no processor", sched_setaffinity(0, sizeof set, &set));
    struct sched_param param = {5};
    printf("%d %d", sched_getscheduler(0), sched_getparam(0, &param));
    printf(" %d\n", param.sched_priority);
    printf("%d %d\n", sched_get_priority_max(SCHED_FIFO), sched_get_priority_min(SCHED_RR));
    printf("%d\n", sched_get_priority_max(SCHED_OTHER));
    tell("no policy", sched_get_priority_max(77));
    tell("same", sched_setscheduler(0, SCHED_OTHER, &param));
    param.sched_priority = 3;
    tell("priority", sched_setscheduler(0, SCHED_OTHER, &param));
    tell("no process", sched_getscheduler(-1));
    errno = 0;
    errno = 0; /* -1 may be a priority */
    printf("%d\n", abs(getpriority(PRIO_PROCESS, 0)) <= 20 && errno == 0);
    tell("nicest", setpriority(PRIO_PROCESS, 0, 19));
    tell("priority", getpriority(PRIO_PROCESS, 0));
    tell("kind", getpriority(7, 0));

    /* Limits. */
    struct rlimit limit, before;
    printf("%d %d\n", getrlimit(RLIMIT_NOFILE, &before), before.rlim_cur <= before.rlim_max);
    limit = before;
    limit.rlim_cur = 40;
    tell("setrlimit", setrlimit(RLIMIT_NOFILE, &limit));
    getrlimit(RLIMIT_NOFILE, &limit);
    printf("%d %ld\n", (int)limit.rlim_cur, sysconf(_SC_OPEN_MAX));
    int last = 0, fd;
    while ((fd = dup(1)) >= 0)
        last = fd;
    printf("%d %s\n", last, strerror(errno));
    tell("open", open("/dev/null", O_RDONLY));
    int ends[2];
    tell("pipe", pipe(ends));
    close(39);
    tell("half a pipe", pipe(ends));
    tell("free again", dup2(1, 39));
    tell("dup2", dup2(1, 40));
    tell("F_DUPFD", fcntl(1, F_DUPFD, 40));
    setrlimit(RLIMIT_NOFILE, &before);
    tell("dup2", dup2(1, 40));
    closefrom(3);
    limit.rlim_max = 10;
    limit.rlim_cur = 11;
    tell("more than most", setrlimit(RLIMIT_NOFILE, &limit));
    tell("no limit", getrlimit(77, &limit));
    printf("%d %d\n", prlimit(getpid(), RLIMIT_CORE, NULL, &limit),
           limit.rlim_cur <= limit.rlim_max);

    /* Who it is. */
    printf("%d %d\n", getpgid(0) == getpgrp(), getsid(0) == getsid(getpid()));
    uid_t real, effective, saved;
    printf("%d", getresuid(&real, &effective, &saved));
    printf(" %d %d\n", real == getuid(), effective == geteuid());
    gid_t group, group_now, group_saved;
    printf("%d", getresgid(&group, &group_now, &group_saved));
    printf(" %d %d\n", group == getgid(), group_now == getegid());
    printf("%d %d\n", setuid(getuid()), setgid(getgid()));
    printf("%d %d\n", setreuid(-1, -1), setresgid(-1, getegid(), -1));
    printf("%d\n", getgroups(0, NULL) >= 0);
    tell("no child", wait(NULL));
    tell("no child", waitpid(-1, NULL, WNOHANG));
    siginfo_t info;
    tell("no child", waitid(P_ALL, 0, &info, WEXITED));
    tell("no event", waitid(P_ALL, 0, &info, WNOHANG));

    /* Names. */
    char name[16] = "";
    pthread_setname_np(pthread_self(), "a thread");
    pthread_getname_np(pthread_self(), name, sizeof name);
    printf("%s\n", name);
    pthread_t thread;
    pthread_create(&thread, NULL, named, name);
    pthread_join(thread, NULL);
    prctl(PR_SET_NAME, "longer than fifteen letters");
    prctl(PR_GET_NAME, name);
    printf("%s\n", name);
    struct utsname system;
    printf("%d %s %s\n", uname(&system), system.sysname, system.machine);

    /* What it used, and what there is. */
    struct rusage usage;
    printf("%d %d\n", getrusage(RUSAGE_SELF, &usage), getrusage(RUSAGE_THREAD, &usage));
    tell("whose", getrusage(77, &usage));
    getrusage(RUSAGE_CHILDREN, &usage);
    printf("%ld %ld\n", (long)usage.ru_utime.tv_sec, (long)usage.ru_utime.tv_usec);
    struct tms spent;
    printf("%d %ld\n", times(&spent) != (clock_t)-1, (long)spent.tms_cutime);
    struct sysinfo all;
    printf("%d %d %d\n", sysinfo(&all), all.totalram != 0, all.procs != 0 && all.mem_unit != 0);
    printf("%d\n", (int)(sysconf(_SC_PAGESIZE)));

    /* Its clocks cannot be set so. */
    struct timespec time = {0, 0};
    tell("monotonic", clock_settime(CLOCK_MONOTONIC, &time));
    tell("no clock", clock_settime(77, &time));
    time.tv_nsec = -1;
    tell("no time", clock_settime(CLOCK_REALTIME, &time));
    tell("no address", syscall(SYS_clock_settime, CLOCK_REALTIME, 8));

    /* Barriers, and a signal with a value to a thread. */
    tell("registered", syscall(SYS_membarrier, 16, 0, 0));
    tell("barrier", syscall(SYS_membarrier, 8, 0, 0));
    tell("no barrier", syscall(SYS_membarrier, 1 << 30, 0, 0));
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = take;
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGUSR1, &action, NULL);
    const union sigval value = {.sival_int = 42};
    printf("%d", pthread_sigqueue(pthread_self(), SIGUSR1, value));
    printf(" %d\n", sent);
    return 0;
}
