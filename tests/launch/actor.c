/* A PE that does what the test tells it: actor ACTION [PE [NUMBER]]. */
#define _GNU_SOURCE
#include <shmem.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile sig_atomic_t got;
static void on_signal(int signal) {
    got = signal;
}

static int last;
static void end(int signal) {
    (void)signal;
    if (last == 0) _exit(0);
    kill(getpid(), last);
}

static void say_ready(int me) {
    printf("ready %d %d\n", me, (int)getpid());
    fflush(stdout);
}

static int is(const char* word, const char* action) {
    return strcmp(word, action) == 0;
}

int main(int argc, char** argv) {
    const char* action = argc > 1 ? argv[1] : "hello";
    int who = argc > 2 ? atoi(argv[2]) : 0;
    int number = argc > 3 ? atoi(argv[3]) : 0;

    if (is(action, "exit-before-init")) {
        const char* bootstrap = getenv("TEST_PE");
        if (bootstrap && atoi(bootstrap) == who) return number;
    }
    if (is(action, "exec-before-init")) {
        const char* bootstrap = getenv("TEST_PE");
        if (bootstrap && atoi(bootstrap) == who) execlp("sleep", "sleep", "60", NULL);
    }
    if (is(action, "close-before-init")) {
        const char* bootstrap = getenv("TEST_PE");
        if (bootstrap && atoi(bootstrap) == who) closefrom(3);
    }
    if (is(action, "end-in-init")) { /* by a signal, or with status 0; nobody else comes */
        const char* bootstrap = getenv("TEST_PE");
        if (!bootstrap || atoi(bootstrap) != who) pause();
        last = number;
        (void)sigaction(SIGALRM, &(struct sigaction){.sa_handler = end}, NULL);
        (void)setitimer(ITIMER_REAL, &(struct itimerval){.it_value = {0, 200000}}, NULL);
    }
    shmem_init();
    int me = shmem_my_pe();
    int pes = shmem_n_pes();
    static long counter;

    if (is(action, "hello") || is(action, "close-before-init")) {
        printf("hello from %d of %d\n", me, pes);
    } else if (is(action, "barriers")) {
        for (int i = 0; i < who; ++i)
            shmem_barrier_all();
        shmem_long_atomic_inc(&counter, 0);
        shmem_barrier_all();
        if (me == 0) printf("counter %ld\n", counter);
    } else if (is(action, "signal")) { /* dies of it; the others wait for ever */
        shmem_barrier_all();
        if (me == who) kill(getpid(), number);
        shmem_barrier_all();
    } else if (is(action, "signal-at-once")) { /* before anybody has had to do with it */
        if (me == who) kill(getpid(), number);
        shmem_barrier_all();
    } else if (is(action, "exit")) {
        shmem_barrier_all();
        if (me == who) exit(number);
        shmem_barrier_all();
    } else if (is(action, "quick-exit")) { /* without any clean-up */
        shmem_barrier_all();
        if (me == who) _exit(number);
        shmem_barrier_all();
    } else if (is(action, "exec")) { /* becomes another program, which stays */
        shmem_barrier_all();
        if (me == who) execlp("sleep", "sleep", "60", NULL);
        shmem_barrier_all();
    } else if (is(action, "close-all")) { /* as daemons do, and lets the others wait */
        shmem_barrier_all();
        if (me == who) closefrom(3);
        if (me == who) sleep((unsigned)number);
        shmem_barrier_all();
    } else if (is(action, "global-exit")) {
        shmem_barrier_all();
        if (me == who) {
            printf("last words\n");
            shmem_global_exit(number);
        }
        shmem_barrier_all();
    } else if (is(action, "return")) { /* after finalize */
        shmem_finalize();
        usleep(me == who ? 0 : 100000);
        printf("finished %d\n", me);
        return me == who ? number : 0;
    } else if (is(action, "exec-after")) { /* becomes another program, which ends so */
        char end[32];
        snprintf(end, sizeof end, "exit %d", number);
        shmem_finalize();
        if (me == who) execlp("sh", "sh", "-c", end, NULL);
    } else if (is(action, "again")) { /* one PE does not come to the second session */
        shmem_finalize();
        if (me == who) return number;
        shmem_init();
        usleep(number ? 0 : (useconds_t)me * 100000);
        return 0;                    /* which finalizes */
    } else if (is(action, "away")) { /* one stays away from the second session, or becomes another
                                        program */
        shmem_finalize();
        if (me == who && number) execlp("sleep", "sleep", "60", NULL);
        if (me == who) pause();
        shmem_init();
    } else if (is(action, "wait")) {
        shmem_barrier_all();
        say_ready(me);
        if (me == who) pause();
        shmem_barrier_all();
    } else if (is(action, "stubborn")) { /* ends by SIGKILL alone */
        for (int signal = 1; signal < 32; ++signal)
            if (signal != SIGCHLD)
                (void)sigaction(signal, &(struct sigaction){.sa_handler = SIG_IGN}, NULL);
        say_ready(me);
        for (;;)
            pause();
    } else if (is(action, "catch")) { /* tells which signal came, and ends well */
        (void)sigaction(who, &(struct sigaction){.sa_handler = on_signal}, NULL);
        shmem_barrier_all();
        say_ready(me);
        while (!got)
            usleep(1000);
        printf("caught %d\n", (int)got);
    } else if (is(action, "lines")) { /* long lines, written in pieces */
        setvbuf(stdout, NULL, _IONBF, 0);
        for (int line = 0; line < who; ++line) {
            int length = 1 + (line * 37 + me * 101) % 5000;
            fprintf(line % 2 ? stderr : stdout, "%d:%d:%d:", me, line, length);
            for (int done = 0; done < length;) {
                char piece[512];
                int part = length - done < 500 ? length - done : 500;
                memset(piece, 'a' + me, sizeof piece);
                fwrite(piece, 1, (size_t)part, line % 2 ? stderr : stdout);
                done += part;
            }
            fputs(".\n", line % 2 ? stderr : stdout);
        }
    } else if (is(action, "daemon")) { /* leaves a process of another session behind */
        shmem_barrier_all();
        const pid_t middle = fork();
        if (middle == 0) {
            setsid();
            if (fork() == 0) {
                execlp("sleep", "sleep", "60", (char*)NULL);
                _exit(1);
            }
            _exit(0);
        }
        (void)waitpid(middle, NULL, 0);
        shmem_barrier_all();
        if (number) {
            say_ready(me);
            pause();
        }
    } else {
        fprintf(stderr, "actor: unknown action %s\n", action);
        return 2;
    }
    shmem_finalize();
    return 0;
}
