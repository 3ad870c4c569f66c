// poll and select over pipes and files: ready, not ready, time limits, hung up, threads.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/select.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static int ends[2];
static void* writer(void* text) {
    struct timespec pause = {0, 10000000};
    nanosleep(&pause, NULL);
    write(ends[1], text, strlen(text));
    return NULL;
}
static void* reader(void* unused) {
    char text[16] = "";
    const long got = read(ends[0], text, sizeof text - 1);
    printf("reader: %ld %s\n", got, text);
    return unused;
}
static void nothing(int number) {
    (void)number;
}
static int choose(int seconds, int microseconds, fd_set* in, fd_set* out) {
    FD_ZERO(in);
    FD_ZERO(out);
    FD_SET(ends[0], in);
    FD_SET(ends[1], out);
    struct timeval time = {seconds, microseconds};
    return select(ends[1] + 1, in, out, NULL, &time);
}

int main(void) {
    setvbuf(stdout, NULL, _IONBF, 0);
    pipe(ends);
    struct pollfd files[3] = {{ends[0], POLLIN, 7}, {ends[1], POLLOUT, 7}, {-1, POLLIN, 7}};
    printf("%d %x %x %x\n", poll(files, 3, 0), files[0].revents, files[1].revents,
           files[2].revents);
    printf("%d %x\n", poll(files, 1, 5), files[0].revents);
    write(ends[1], "abc", 3);
    printf("%d %x\n", poll(files, 1, -1), files[0].revents);
    /* Closed, whatever was inherited, and within the table of open files, behind whose end select
       does not look. */
    const int closed = dup(ends[0]);
    close(closed);
    files[2].fd = closed;
    printf("%d %x\n", poll(files, 3, -1), files[2].revents);
    fd_set in, out;
    printf("%d", choose(1, 0, &in, &out));
    printf(" %d %d\n", FD_ISSET(ends[0], &in), FD_ISSET(ends[1], &out));
    char text[16];
    printf("%ld\n", (long)read(ends[0], text, sizeof text));
    printf("%d", choose(0, 1000, &in, &out));
    printf(" %d %d\n", FD_ISSET(ends[0], &in), FD_ISSET(ends[1], &out));
    FD_ZERO(&in);
    FD_SET(closed, &in);
    struct timeval soon = {0, 1000};
    printf("%d %d\n", select(closed + 1, &in, NULL, NULL, &soon), errno == EBADF);
    struct timeval short_time = {0, 3000};
    printf("%d\n", select(0, NULL, NULL, NULL, &short_time));

    /* Another thread makes it ready. */
    pthread_t thread;
    pthread_create(&thread, NULL, writer, "one");
    printf("%d %x\n", poll(files, 1, 5000), files[0].revents);
    pthread_join(thread, NULL);
    printf("%ld\n", (long)read(ends[0], text, sizeof text));
    pthread_create(&thread, NULL, writer, "two");
    printf("%ld\n", (long)read(ends[0], text, sizeof text));
    pthread_join(thread, NULL);
    pthread_create(&thread, NULL, reader, NULL);
    writer("three");
    pthread_join(thread, NULL);
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    printf("%ld", (long)read(ends[0], text, sizeof text));
    printf(" %d\n", errno == EAGAIN);

    /* A handler interrupts it, under a mask of its own. */
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = nothing;
    action.sa_flags = SA_RESTART;
    sigaction(SIGALRM, &action, NULL);
    sigset_t set, none;
    sigemptyset(&none);
    sigemptyset(&set);
    sigaddset(&set, SIGALRM);
    sigprocmask(SIG_BLOCK, &set, NULL);
    struct itimerval timer = {{0, 0}, {0, 3000}};
    setitimer(ITIMER_REAL, &timer, NULL);
    printf("%d", ppoll(files, 1, NULL, &none));
    printf(" %d\n", errno == EINTR);
    sigprocmask(SIG_BLOCK, NULL, &none);
    printf("%d\n", sigismember(&none, SIGALRM));
    sigemptyset(&none);
    setitimer(ITIMER_REAL, &timer, NULL);
    struct timespec long_time = {50, 0};
    printf("%d", pselect(0, NULL, NULL, NULL, &long_time, &none));
    printf(" %d\n", errno == EINTR);

    close(ends[1]);
    printf("%d %x\n", poll(files, 1, -1), files[0].revents);
    printf("%ld\n", (long)read(ends[0], text, sizeof text));
    const int file = open("/dev/null", O_RDONLY);
    files[0].fd = file;
    printf("%d %x\n", poll(files, 1, 0), files[0].revents);
    return 0;
}
