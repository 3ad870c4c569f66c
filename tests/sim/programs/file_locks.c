// Locks of files: by open file (flock, F_OFD_SETLK) and by process (F_SETLK).
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/time.h>
#include <unistd.h>

static int first, second;
static volatile int released;

static void tell(const char* what, int result) {
    printf("%s: %d%s%s\n", what, result, result < 0 ? " " : "", result < 0 ? strerror(errno) : "");
}
static struct flock part(int type, int whence, long start, long length) {
    struct flock lock;
    memset(&lock, 0, sizeof lock);
    lock.l_type = type;
    lock.l_whence = whence;
    lock.l_start = start;
    lock.l_len = length;
    return lock;
}
static void lock(const char* what, int fd, int command, int type, int whence, long start,
                 long length) {
    struct flock wanted = part(type, whence, start, length);
    tell(what, fcntl(fd, command, &wanted));
}
static void ask(int fd, int command, int type, long start, long length) {
    struct flock wanted = part(type, SEEK_SET, start, length);
    const int result = fcntl(fd, command, &wanted);
    printf("%d: %s %d %ld %ld %d\n", result,
           wanted.l_type == F_UNLCK   ? "free"
           : wanted.l_type == F_RDLCK ? "read"
                                      : "written",
           wanted.l_whence, (long)wanted.l_start, (long)wanted.l_len, (int)wanted.l_pid);
}
static void* release_later(void* unused) {
    usleep(20000);
    released = 1;
    flock(first, LOCK_UN);
    struct flock all = part(F_UNLCK, SEEK_SET, 0, 0);
    fcntl(first, F_OFD_SETLK, &all);
    (void)unused;
    return NULL;
}
static void rung(int number) {
    (void)number;
}
/* Again and again, as the first time may be before the wait; 0: no more. */
static void ring_every(long microseconds) {
    const struct itimerval timer = {{0, microseconds}, {0, microseconds}};
    setitimer(ITIMER_REAL, &timer, NULL);
}

int main(void) {
    setvbuf(stdout, NULL, _IONBF, 0);
    pthread_t thread;
    first = open("lock", O_RDWR | O_CREAT, 0600);
    second = open("lock", O_RDWR);
    const int readable = open("lock", O_RDONLY), writable = open("lock", O_WRONLY);

    tell("exclusive", flock(first, LOCK_EX));
    tell("again", flock(first, LOCK_EX | LOCK_NB));
    tell("another's", flock(second, LOCK_EX | LOCK_NB));
    tell("shared", flock(second, LOCK_SH | LOCK_NB));
    tell("first shared", flock(first, LOCK_SH));
    tell("shared", flock(second, LOCK_SH | LOCK_NB));
    tell("exclusive", flock(first, LOCK_EX | LOCK_NB));
    tell("free", flock(second, LOCK_UN));
    tell("free", flock(second, LOCK_UN));
    const int copy = dup(first);
    tell("through a copy", flock(copy, LOCK_EX | LOCK_NB));
    close(first);
    tell("still", flock(second, LOCK_EX | LOCK_NB));
    close(copy);
    tell("no longer", flock(second, LOCK_EX | LOCK_NB));
    tell("no operation", flock(second, 0));
    tell("no file", flock(99, LOCK_EX));
    flock(second, LOCK_UN);
    first = open("lock", O_RDWR);

    /* Who waits gets it, or is interrupted. */
    flock(first, LOCK_EX);
    pthread_create(&thread, NULL, release_later, NULL);
    tell("waited", flock(second, LOCK_EX));
    printf("%d\n", released);
    pthread_join(thread, NULL);
    flock(second, LOCK_UN);
    flock(first, LOCK_EX);
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = rung;
    sigaction(SIGALRM, &action, NULL);
    ring_every(20000);
    const int interrupted = flock(second, LOCK_EX);
    ring_every(0);
    tell("interrupted", interrupted);
    flock(first, LOCK_UN);

    /* Parts, by open file. */
    lock("0 to 9", first, F_OFD_SETLK, F_WRLCK, SEEK_SET, 0, 10);
    lock("5 to 14", second, F_OFD_SETLK, F_WRLCK, SEEK_SET, 5, 10);
    lock("10 to the end", second, F_OFD_SETLK, F_WRLCK, SEEK_SET, 10, 0);
    ask(second, F_OFD_GETLK, F_RDLCK, 3, 4);
    ask(second, F_OFD_GETLK, F_WRLCK, 10, 4);
    released = 0;
    pthread_create(&thread, NULL, release_later, NULL);
    lock("waited", second, F_OFD_SETLKW, F_WRLCK, SEEK_SET, 0, 10);
    printf("%d\n", released);
    pthread_join(thread, NULL);
    struct flock named = part(F_WRLCK, SEEK_SET, 0, 10);
    named.l_pid = 1;
    tell("with a process", fcntl(first, F_OFD_SETLK, &named));
    lock("to read only", readable, F_OFD_SETLK, F_WRLCK, SEEK_SET, 50, 10);
    lock("free", second, F_OFD_SETLK, F_UNLCK, SEEK_SET, 0, 0);

    /* Parts, by process: never in anybody's way. */
    write(first, "some text", 9);
    lock("written", first, F_SETLK, F_WRLCK, SEEK_SET, 0, 10);
    lock("written", second, F_SETLK, F_WRLCK, SEEK_SET, 5, 10);
    lock("read", second, F_SETLKW, F_RDLCK, SEEK_CUR, 0, 0);
    ask(second, F_GETLK, F_WRLCK, 0, 100);
    ask(first, F_GETLK, F_RDLCK, 7, 0);
    lock("ask for none", first, F_GETLK, F_UNLCK, SEEK_SET, 0, 0);
    lock("before the end", first, F_SETLK, F_WRLCK, SEEK_END, -9, 5);
    lock("before the beginning", first, F_SETLK, F_WRLCK, SEEK_END, -10, 5);
    lock("backwards", first, F_SETLK, F_WRLCK, SEEK_SET, 10, -10);
    lock("too far backwards", first, F_SETLK, F_WRLCK, SEEK_SET, 10, -11);
    lock("too far", first, F_SETLK, F_WRLCK, SEEK_CUR, 0x7fffffffffffffff, 1);
    lock("too long", first, F_SETLK, F_WRLCK, SEEK_SET, 2, 0x7fffffffffffffff);
    lock("no type", first, F_SETLK, 7, SEEK_SET, 0, 1);
    lock("no whence", first, F_SETLK, F_WRLCK, 7, 0, 1);
    lock("to read only", readable, F_SETLK, F_WRLCK, SEEK_SET, 0, 1);
    lock("to write only", writable, F_SETLK, F_RDLCK, SEEK_SET, 0, 1);
    lock("to write only", writable, F_SETLK, F_WRLCK, SEEK_SET, 0, 1);
    lock("free", first, F_SETLK, F_UNLCK, SEEK_SET, 0, 0);
    tell("lockf", lockf(first, F_TLOCK, 5));
    tell("lockf", lockf(first, F_ULOCK, 5));
    tell("no address", fcntl(first, F_SETLK, (struct flock*)8));
    tell("no file", fcntl(99, F_SETLK, &named));
    unlink("lock");
    return 0;
}
