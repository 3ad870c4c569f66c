// Bytes that move between files and pipes without passing through memory.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

enum { kSize = 300000 };
static char text[kSize], got[kSize];

static void tell(const char* what, long result) {
    printf("%s: %ld%s%s\n", what, result, result < 0 ? " " : "", result < 0 ? strerror(errno) : "");
}
static long place(int fd) {
    return (long)lseek(fd, 0, SEEK_CUR);
}
static int made(const char* name, long size) {
    const int fd = open(name, O_RDWR | O_CREAT | O_TRUNC, 0600);
    write(fd, text, size);
    lseek(fd, 0, SEEK_SET);
    return fd;
}
/* Reads all that comes. */
static void* drain(void* from) {
    long total = 0;
    for (long n; (n = read(*(int*)from, got + total, 5000)) > 0;)
        total += n;
    return (void*)total;
}
static void* feed(void* to) {
    for (long done = 0; done < kSize;)
        done += write(*(int*)to, text + done, kSize - done < 7000 ? kSize - done : 7000);
    close(*(int*)to);
    return NULL;
}

int main(void) {
    setvbuf(stdout, NULL, _IONBF, 0);
    for (int i = 0; i < kSize; ++i)
        text[i] = (char)(i * 7 + i / 251);
    const int in = made("in", kSize), out = made("out", 0);
    int ends[2], others[2];
    pthread_t thread;
    void* total;

    /* Between files. */
    off_t offset = 1000;
    tell("sendfile", sendfile(out, in, NULL, 100));
    tell("sendfile", sendfile(out, in, &offset, 50));
    printf("%ld %ld %ld\n", (long)offset, place(in), place(out));
    tell("at the end", sendfile(out, in, (offset = kSize, &offset), 50));
    loff_t from = 500, to = 10;
    tell("copy_file_range", copy_file_range(in, &from, out, &to, 20, 0));
    tell("copy_file_range", copy_file_range(in, NULL, out, NULL, 30, 0));
    printf("%ld %ld %ld %ld\n", (long)from, (long)to, place(in), place(out));
    pread(out, got, 180, 0);
    printf("%d %d %d %d\n", memcmp(got, text, 10), memcmp(got + 10, text + 500, 20),
           memcmp(got + 100, text + 1000, 50), memcmp(got + 150, text + 100, 30));
    tell("flags", copy_file_range(in, NULL, out, NULL, 30, 1));
    const int readable = open("in", O_RDONLY);
    tell("to a file to read", sendfile(readable, in, NULL, 1));
    tell("to no file", sendfile(77, in, NULL, 1));
    tell("from no file", copy_file_range(77, NULL, out, NULL, 1, 0));
    tell("offset nowhere", copy_file_range(in, (loff_t*)8, out, NULL, 1, 0));
    /* A map of the file that grows. */
    ftruncate(out, 0);
    lseek(out, 0, SEEK_SET);
    lseek(in, 0, SEEK_SET);
    const char* const map = mmap(NULL, 8192, PROT_READ, MAP_SHARED, out, 0);
    sendfile(out, in, NULL, 5000);
    printf("%d\n", memcmp(map, text, 5000));

    /* Between files and pipes. */
    pipe(ends);
    pipe2(others, O_NONBLOCK);
    from = 3;
    tell("splice", splice(in, &from, ends[1], NULL, 10, 0));
    tell("tee", tee(ends[0], others[1], 7, 0));
    tell("splice", splice(ends[0], NULL, others[1], NULL, 100, 0));
    to = 0;
    tell("splice", splice(others[0], NULL, out, &to, 100, SPLICE_F_MOVE));
    pread(out, got, 17, 0);
    printf("%ld %ld %d %d\n", (long)from, (long)to, memcmp(got, text + 3, 7),
           memcmp(got + 7, text + 3, 10));
    tell("empty", splice(others[0], NULL, out, &to, 100, SPLICE_F_NONBLOCK));
    tell("empty", splice(ends[0], NULL, out, &to, 100, SPLICE_F_NONBLOCK));
    tell("empty", tee(ends[0], others[1], 100, SPLICE_F_NONBLOCK));
    tell("no pipe", splice(in, NULL, out, NULL, 100, 0));
    tell("a pipe has no offset", splice(ends[0], &from, out, NULL, 100, 0));
    tell("nothing", splice(in, NULL, ends[1], NULL, 0, 0));
    tell("no flag", splice(in, NULL, ends[1], NULL, 1, 64));
    close(others[1]);
    tell("ended", splice(others[0], NULL, out, NULL, 100, 0));
    close(others[0]);

    /* What does not fit waits for the reader. */
    pthread_create(&thread, NULL, drain, &ends[0]);
    lseek(in, 0, SEEK_SET);
    long sent = 0;
    while (sent < kSize)
        sent += sendfile(ends[1], in, NULL, kSize - sent);
    printf("%ld %ld\n", sent, place(in));
    close(ends[1]);
    pthread_join(thread, &total);
    printf("%ld %d\n", (long)total, memcmp(got, text, kSize));
    close(ends[0]);
    /* And splice for the writer. */
    pipe(ends);
    pthread_create(&thread, NULL, feed, &ends[1]);
    ftruncate(out, 0);
    lseek(out, 0, SEEK_SET);
    long moved = 0;
    for (long n; (n = splice(ends[0], NULL, out, NULL, 1 << 20, 0)) > 0;)
        moved += n;
    pthread_join(thread, NULL);
    memset(got, 0, sizeof got);
    printf("%ld %ld %d\n", moved, (long)pread(out, got, kSize, 0), memcmp(got, text, kSize));
    close(ends[0]);

    /* A reader that is gone. */
    signal(SIGPIPE, SIG_IGN);
    pipe(ends);
    close(ends[0]);
    lseek(in, 0, SEEK_SET);
    tell("sendfile", sendfile(ends[1], in, NULL, 10));
    tell("splice", splice(in, NULL, ends[1], NULL, 10, 0));
    unlink("in");
    unlink("out");
    return 0;
}
