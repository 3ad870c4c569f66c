// Opening named pipes: whoever comes first waits for the other one; a handler ends that.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum { kLarge = 1000000 };
static char large[kLarge], copy[kLarge];
static int ends[2];

static void ring(int number) {
    (void)number;
}
static long read_all(char* to, long size) {
    long total = 0, got;
    while ((got = read(ends[0], to + total, (size_t)(size - total))) > 0)
        total += got;
    return total;
}
static void* write_named(void* argument) {
    const int fd = open("named", O_WRONLY);
    const long written = write(fd, large, kLarge);
    close(fd);
    printf("written %d\n", written == kLarge);
    return argument;
}
static void* open_late(void* argument) {
    const struct timespec time = {0, 10000000};
    nanosleep(&time, NULL);
    close(open("named", *(int*)argument));
    return argument;
}

int main(void) {
    setvbuf(stdout, NULL, _IONBF, 0);
    for (int i = 0; i < kLarge; ++i)
        large[i] = (char)(i * 7 + i / 4096);
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = ring;
    sigaction(SIGALRM, &action, NULL);
    printf("%d", mkfifo("named", 0600));
    printf(" %d %d", mkfifo("named", 0600), errno == EEXIST);
    printf(" %d %d", open("named", O_WRONLY | O_NONBLOCK), errno == ENXIO);
    const struct itimerval often = {{0, 20000}, {0, 20000}}, off = {{0, 0}, {0, 0}};
    setitimer(ITIMER_REAL, &often, NULL);
    printf(" %d %d", open("named", O_RDONLY), errno == EINTR);
    printf(" %d %d\n", open("named", O_WRONLY), errno == EINTR);
    setitimer(ITIMER_REAL, &off, NULL);
    pthread_t thread;
    int how = O_RDONLY;
    pthread_create(&thread, NULL, open_late, &how);
    ends[1] = open("named", O_WRONLY);
    pthread_join(thread, NULL);
    printf("%d\n", ends[1] >= 0);
    close(ends[1]);
    how = O_WRONLY;
    pthread_create(&thread, NULL, open_late, &how);
    ends[0] = open("named", O_RDONLY);
    printf("%ld", (long)read(ends[0], copy, 10));
    pthread_join(thread, NULL);
    printf(" %d\n", (fcntl(ends[0], F_GETFL) & O_NONBLOCK) != 0);
    close(ends[0]);
    /* More than it holds. */
    pthread_create(&thread, NULL, write_named, NULL);
    memset(copy, 0, kLarge);
    ends[0] = open("named", O_RDONLY);
    const long total = read_all(copy, kLarge);
    pthread_join(thread, NULL);
    printf("%ld", total);
    printf(" %d %d\n", memcmp(large, copy, kLarge), unlink("named"));
    close(ends[0]);
    return 0;
}
