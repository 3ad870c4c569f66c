// Pairs of connected sockets between threads.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { kSize = 1000000 };
static char text[kSize], got[kSize];
static int ends[2];

static void tell(const char* what, long result) {
    printf("%s: %ld%s%s\n", what, result, result < 0 ? " " : "", result < 0 ? strerror(errno) : "");
}
static int events_of(int fd) {
    struct pollfd polled = {fd, POLLIN | POLLOUT | POLLRDHUP, 0};
    poll(&polled, 1, 0);
    return polled.revents;
}
static void* answer(void* unused) {
    char word[20];
    for (long n; (n = recv(ends[1], word, sizeof word, 0)) > 0;) {
        word[0] ^= 0x20;
        send(ends[1], word, n, 0);
    }
    (void)unused;
    return NULL;
}
static void* drain(void* unused) {
    long total = 0;
    for (long n; (n = read(ends[1], got + total, 30000)) > 0;)
        total += n;
    (void)unused;
    return (void*)total;
}

int main(void) {
    setvbuf(stdout, NULL, _IONBF, 0);
    signal(SIGPIPE, SIG_IGN);
    for (int i = 0; i < kSize; ++i)
        text[i] = (char)(i * 7 + i / 251);
    char word[20] = "";
    pthread_t thread;
    void* total;
    tell("pair", socketpair(AF_UNIX, SOCK_STREAM, 0, ends));
    printf("%d %d\n", events_of(ends[0]), events_of(ends[1]));
    pthread_create(&thread, NULL, answer, NULL);
    for (int i = 0; i < 3; ++i) {
        send(ends[0], "word", 5, 0);
        printf("%ld", (long)recv(ends[0], word, sizeof word, 0));
        printf(" %s\n", word);
    }
    tell("shutdown", shutdown(ends[0], SHUT_WR));
    pthread_join(thread, NULL);
    tell("send", send(ends[0], "x", 1, 0));
    tell("peek", send(ends[1], "later", 6, 0));
    tell("peek", recv(ends[0], word, 3, MSG_PEEK));
    tell("all", recv(ends[0], word, sizeof word, MSG_DONTWAIT));
    printf("%s %d\n", word, events_of(ends[1]));
    tell("nothing", recv(ends[0], word, sizeof word, MSG_DONTWAIT));
    close(ends[1]);
    tell("ended", recv(ends[0], word, sizeof word, 0));
    close(ends[0]);
    /* More than fits. */
    socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends);
    printf("%d\n", fcntl(ends[0], F_GETFD));
    pthread_create(&thread, NULL, drain, NULL);
    long sent = 0;
    sent += write(ends[0], text, kSize / 2);
    sent += send(ends[0], text + sent, kSize - sent, 0);
    close(ends[0]);
    pthread_join(thread, &total);
    printf("%ld %ld %d\n", sent, (long)total, memcmp(got, text, kSize));
    close(ends[1]);
    /* Messages keep their borders. */
    socketpair(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0, ends);
    tell("nothing", read(ends[0], word, sizeof word));
    send(ends[0], "first", 6, 0);
    send(ends[0], "second", 7, 0);
    tell("message", recv(ends[1], word, 3, 0));
    tell("message", recv(ends[1], word, sizeof word, 0));
    printf("%s\n", word);
    close(ends[1]);
    tell("nobody", send(ends[0], "x", 1, MSG_NOSIGNAL));
    tell("no socket", send(0, "x", 1, 0));
    tell("no pair", socketpair(77, SOCK_STREAM, 0, ends));
    tell("no address", socketpair(AF_UNIX, SOCK_STREAM, 0, (int*)8));
    return 0;
}
