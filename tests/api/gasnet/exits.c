/* gasnet_exit: exits MODE. Its code is the job's, whoever calls it and wherever, and what the nodes
 * have printed is written, whatever they are at. */
#include <signal.h>
#include <time.h>
#include <unistd.h>
#include "check.h"

static void leave(gasnet_token_t token, gasnet_handlerarg_t code) {
    (void)token;
    gasnet_exit(code);
}

static void take(gasnet_token_t token, gasnet_handlerarg_t word) {
    (void)token;
    (void)word;
}

static void quit(int signal) {
    static const char text[] = "node was told\n";
    (void)signal;
    (void)!write(STDOUT_FILENO, text, sizeof text - 1);
    gasnet_exit(3);
}

static void leave_by_signal(int signal) {
    (void)signal;
    gasnet_exit(5);
}

static void exit_by_signal(int signal) {
    (void)signal;
    exit(5);
}

enum { kBytes = 65536 };
static char data[kBytes];

static void send_later(int is_sent, int signal_to_come) {
    if (is_sent) {
        const struct itimerspec once = {{0, 0}, {0, 200000000 + getpid() % 1000 * 50000}};
        struct sigevent event;
        timer_t timer;
        memset(&event, 0, sizeof event);
        event.sigev_notify = SIGEV_SIGNAL;
        event.sigev_signo = signal_to_come;
        timer_create(CLOCK_MONOTONIC, &event, &timer);
        timer_settime(timer, 0, &once, NULL);
    }
}

/* A signal that comes amid the calls of puts and gets, wherever that is. */
static void be_busy(int is_last, int signal_to_come) {
    const gasnet_node_t next = (gasnet_mynode() + 1) % gasnet_nodes();
    char* const at = segments[next].addr;
    send_later(is_last, signal_to_come);
    for (;;) {
        gasnet_put(next, at, data, kBytes);
        gasnet_get(data, next, at, 8);
        gasnet_AMPoll();
    }
}

/* Computes, and takes no signal: the end comes by other threads of the library. */
static void be_deaf(void) {
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, NULL);
    for (;;)
        pause();
}

int main(int argc, char** argv) {
    gasnet_handlerentry_t table[] = {{130, (isthmus_gasnet_handler)leave},
                                     {131, (isthmus_gasnet_handler)take}};
    const char* const how = argv[argc - 1];
    const int me = (int)gasnet_mynode();
    if (strcmp(how, "before") == 0) {
        gasnet_init(&argc, &argv);
        gasnet_exit(5);
    }
    if (strcmp(how, "segsize") == 0) {
        gasnet_init(&argc, &argv);
        const uintptr_t most = gasnet_getMaxLocalSegmentSize();
        const uintptr_t most_of_all = gasnet_getMaxGlobalSegmentSize();
        gasnet_attach(NULL, 0, GASNET_PAGESIZE, 0);
        printf("at most %lu, of all %lu\n", (unsigned long)most, (unsigned long)most_of_all);
        gasnet_exit(0);
    }
    /* Who exits waits for the others here, as there is no segment to meet by. */
    if (strcmp(how, "unattached") == 0) {
        gasnet_init(&argc, &argv);
        if (gasnet_mynode() + 1 < gasnet_nodes()) sleep(3);
        return 0;
    }
    if (strcmp(how, "told_early") == 0) signal(SIGQUIT, quit);
    start(argc, argv, table, 2, 1 << 17);
    if (strcmp(how, "told") == 0) signal(SIGQUIT, quit);
    const int is_last = gasnet_mynode() == gasnet_nodes() - 1;
    printf("node %d was here\n", me);
    if (strncmp(how, "counted", 7) == 0) {
        for (int i = 0; i < 3; ++i)
            gasnet_AMRequestShort1((gasnet_node_t)me, 131, i);
        if (strcmp(how, "counted") == 0) gasnet_exit(0);
        gasnet_barrier(0, GASNET_BARRIERFLAG_ANONYMOUS);
        if (is_last && strcmp(how, "counted_main") == 0) return 0;
        if (is_last) gasnet_exit(0);
        while (strcmp(how, "counted_polls") == 0)
            gasnet_AMPoll();
        if (strcmp(how, "counted_deaf") == 0) be_deaf();
    }
    if (strcmp(how, "all") == 0) gasnet_exit(0);
    if (strcmp(how, "all_wrong") == 0) gasnet_exit(7);
    if (strcmp(how, "one") == 0 && is_last) gasnet_exit(9);
    if (strcmp(how, "one_good") == 0 && is_last) gasnet_exit(0);
    if (strcmp(how, "handler") == 0 && is_last) gasnet_AMRequestShort1(0, 130, 11);
    if (strncmp(how, "told", 4) == 0 && is_last) gasnet_exit(0);
    if (strcmp(how, "asked_amid") == 0) {
        signal(SIGQUIT, leave_by_signal);
        be_busy(is_last, SIGTERM);
    }
    if (strcmp(how, "exits_amid") == 0) {
        signal(SIGUSR1, exit_by_signal);
        be_busy(is_last, SIGUSR1);
    }
    if (strcmp(how, "leaves_amid") == 0) {
        signal(SIGUSR1, leave_by_signal);
        be_busy(is_last, SIGUSR1);
    }
    if (strcmp(how, "first_leaves_amid_puts") == 0) {
        const gasnet_node_t next = (gasnet_mynode() + 1) % gasnet_nodes();
        signal(SIGUSR1, leave_by_signal);
        send_later(me == 0, SIGUSR1);
        for (;;)
            gasnet_put_nbi_bulk(next, segments[next].addr, data, kBytes);
    }
    if (strcmp(how, "first_computes") == 0) {
        if (is_last) gasnet_exit(9);
        if (me == 0)
            for (volatile long turns = 0;; turns++)
                ;
    }
    if (strcmp(how, "first_stopped") == 0) {
        if (is_last) gasnet_exit(9);
        if (me == 0) raise(SIGSTOP);
    }
    if (strcmp(how, "main") == 0) return 0;
    if (strcmp(how, "main_wrong") == 0) return 5;
    if (strcmp(how, "main_one_wrong") == 0) return is_last ? 7 : 0;
    if (strcmp(how, "main_stuck") == 0 && is_last) return 8;
    if (strcmp(how, "main_one_good") == 0 && is_last) return 0;
    if (strcmp(how, "exit_good") == 0 && me == 0) exit(0);
    if (strcmp(how, "all_but_one_wait") == 0) {
        gasnet_barrier(0, GASNET_BARRIERFLAG_ANONYMOUS);
        if (is_last) gasnet_exit(0);
        if (me % 2 == 0) gasnet_barrier(0, GASNET_BARRIERFLAG_ANONYMOUS);
        GASNET_BLOCKUNTIL(0);
    }
    /* The others never come to an end by themselves. */
    if (me % 2 == 0)
        GASNET_BLOCKUNTIL(0);
    else
        for (;;)
            sleep(1);
}
