// Pipes: broken ones, full ones, large transfers between threads.
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

static volatile sig_atomic_t broken;
static void handler(int number, siginfo_t* info, void* context) {
    (void)context;
    broken += number == SIGPIPE && info->si_code == SI_USER && info->si_pid == getpid();
}

static void nobody_reads(void) {
    int ends[2];
    pipe(ends);
    close(ends[0]);
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = handler;
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGPIPE, &action, NULL);
    printf("%ld", (long)write(ends[1], "abc", 3));
    printf(" %d %d\n", errno == EPIPE, broken);
    struct iovec parts[2] = {{"abc", 3}, {"def", 3}};
    printf("%ld", (long)writev(ends[1], parts, 2));
    printf(" %d %d\n", errno == EPIPE, broken);
    signal(SIGPIPE, SIG_IGN);
    printf("%ld", (long)write(ends[1], "abc", 3));
    printf(" %d %d\n", errno == EPIPE, broken);
    /* Blocked, it stays pending for the thread. */
    sigaction(SIGPIPE, &action, NULL);
    sigset_t set, pending;
    sigemptyset(&set);
    sigaddset(&set, SIGPIPE);
    sigprocmask(SIG_BLOCK, &set, NULL);
    printf("%ld", (long)write(ends[1], "abc", 3));
    sigpending(&pending);
    printf(" %d %d", broken, sigismember(&pending, SIGPIPE));
    sigprocmask(SIG_UNBLOCK, &set, NULL);
    printf(" %d\n", broken);
    close(ends[1]);
}

int main(void) {
    setvbuf(stdout, NULL, _IONBF, 0);
    nobody_reads();
    return 0;
}
