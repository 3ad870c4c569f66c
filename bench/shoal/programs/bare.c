/* What programs/times.c measures, done by sockets alone: a word there and back, and a stream of
 * blocks, both sides asleep in the kernel while they wait; the word once more with both sides
 * asking the kernel over and over. `bare tcp` or `bare udp`. The target is in the network namespace
 * whose file BARE_NAMESPACE names, at BARE_ADDRESS; without them both are here. Datagrams leave
 * with UDP_SEGMENT and are taken with UDP_GRO, as the road's are. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <netinet/udp.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "times.h"

enum { kPort = 4951, kSegment = 1472, kGroup = 44 * kSegment, kRead = 1 << 18 };

static int is_udp, wire, polls;
static char block[kRead];

static void need(int is_fine, const char* what) {
    if (is_fine) return;
    perror(what);
    _exit(1);
}

static void send_all(const char* from, size_t bytes) {
    while (bytes != 0) {
        const ssize_t sent = send(wire, from, bytes, MSG_NOSIGNAL);
        need(sent > 0, "send");
        from += sent, bytes -= (size_t)sent;
    }
}
static void take_all(char* to, size_t bytes) {
    while (bytes != 0) {
        const ssize_t came = recv(wire, to, bytes, polls);
        if (came < 0 && errno == EAGAIN) continue;
        need(came > 0, "recv");
        to += came, bytes -= (size_t)came;
    }
}

static void round_trip(void) {
    long word = 1;
    send_all((const char*)&word, sizeof word);
    take_all((char*)&word, sizeof word);
}

/* A batch ends with the target's word for it. Datagrams may be lost: the last says how many bytes
 * there were, and the answer how many came. */
static size_t stream(size_t bytes, int calls) {
    if (!is_udp) {
        for (int i = 0; i < calls; ++i)
            send_all(block, bytes);
        take_all(block, 1);
        return bytes * (size_t)calls;
    }
    size_t left = bytes * (size_t)calls;
    while (left != 0) {
        const size_t part = left < kGroup ? left : kGroup;
        need(send(wire, block, part, 0) == (ssize_t)part, "send");
        left -= part;
    }
    size_t came = 0;
    struct timeval soon = {0, 20000};
    setsockopt(wire, SOL_SOCKET, SO_RCVTIMEO, &soon, sizeof soon);
    do
        send(wire, "end", 3, 0);
    while (recv(wire, &came, sizeof came, 0) != sizeof came);
    return came;
}

static void measure_stream(const char* name, size_t bytes, int calls) {
    double samples[kStreams];
    for (int batch = -1; batch < kStreams; ++batch) {
        const double begin = now_ns();
        const double came = (double)stream(bytes, calls);
        if (batch >= 0) samples[batch] = (now_ns() - begin) / 1e3 * (double)bytes / came;
    }
    print_times(name, samples, kStreams);
}

static void serve(void) {
    for (int i = 0; i < 2 * kRoundTrips * (kBatches + 3); ++i) {
        polls = i < kRoundTrips * (kBatches + 3) ? 0 : MSG_DONTWAIT;
        long word;
        take_all((char*)&word, sizeof word);
        send_all((const char*)&word, sizeof word);
    }
    polls = 0;
    const size_t sizes[] = {4096, 65536};
    for (int which = 0; which < 2; ++which) {
        for (int batch = -1; batch < kStreams; ++batch) {
            size_t left = kStreamBytes, came = 0;
            while (!is_udp && left != 0) {
                const ssize_t part = recv(wire, block, left < sizes[1] ? left : sizes[1], 0);
                need(part > 0, "recv");
                left -= (size_t)part;
            }
            if (!is_udp) {
                send_all("", 1);
                continue;
            }
            for (;;) {
                const ssize_t part = recv(wire, block, sizeof block, 0);
                need(part > 0, "recv");
                if (part == 3 && came == 0) continue; /* of the batch before, again */
                if (part == 3) break;
                came += (size_t)part;
            }
            send_all((const char*)&came, sizeof came);
        }
    }
}

static struct sockaddr_in place(const char* address, int port) {
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    inet_pton(AF_INET, address, &at.sin_addr);
    return at;
}

static void open_wire(int port) {
    const int one = 1, segment = kSegment, room = 4 << 20;
    wire = socket(AF_INET, (is_udp ? SOCK_DGRAM : SOCK_STREAM) | SOCK_CLOEXEC, 0);
    need(wire >= 0, "socket");
    if (is_udp) {
        setsockopt(wire, SOL_UDP, UDP_SEGMENT, &segment, sizeof segment);
        setsockopt(wire, SOL_UDP, UDP_GRO, &one, sizeof one);
        setsockopt(wire, SOL_SOCKET, SO_RCVBUF, &room, sizeof room);
    } else {
        setsockopt(wire, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    }
    const struct sockaddr_in any = place("0.0.0.0", port);
    need(bind(wire, (const struct sockaddr*)&any, sizeof any) == 0, "bind");
}

static void run_target(const char* space, int ready) {
    const int file = space ? open(space, O_RDONLY) : -1;
    need(!space || (file >= 0 && setns(file, CLONE_NEWNET) == 0), "setns");
    pin_to_core(1);
    open_wire(kPort);
    if (is_udp) {
        need(write(ready, "", 1) == 1, "write");
        struct sockaddr_in who;
        socklen_t length = sizeof who;
        need(recvfrom(wire, block, 1, 0, (struct sockaddr*)&who, &length) == 1, "recvfrom");
        need(connect(wire, (struct sockaddr*)&who, length) == 0, "connect");
        send_all("", 1);
    } else {
        need(listen(wire, 1) == 0 && write(ready, "", 1) == 1, "listen");
        wire = accept(wire, NULL, NULL);
        need(wire >= 0, "accept");
        const int one = 1;
        setsockopt(wire, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    }
    serve();
}

int main(int argc, char** argv) {
    const char* const address = getenv("BARE_ADDRESS");
    is_udp = argc > 1 && strcmp(argv[1], "udp") == 0;
    int ready[2];
    need(pipe(ready) == 0, "pipe");
    const pid_t target = fork();
    if (target == 0) {
        run_target(getenv("BARE_NAMESPACE"), ready[1]);
        _exit(0);
    }
    pin_to_core(0);
    char token = 0;
    close(ready[1]);
    need(read(ready[0], &token, 1) == 1, "read");
    open_wire(0);
    const struct sockaddr_in there = place(address ? address : "127.0.0.1", kPort);
    need(connect(wire, (const struct sockaddr*)&there, sizeof there) == 0, "connect");
    const int one = 1;
    if (is_udp) {
        send_all("", 1);
        take_all(block, 1);
    } else {
        setsockopt(wire, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    }
    TIMED("round_trip", kRoundTrips, round_trip(), (void)0);
    polls = MSG_DONTWAIT;
    TIMED("round_trip_polling", kRoundTrips, round_trip(), (void)0);
    polls = 0;
    measure_stream("stream_4k", 4096, kStreamBytes / 4096);
    measure_stream("stream_64k", 65536, kStreamBytes / 65536);
    kill(target, SIGKILL);
    waitpid(target, NULL, 0);
    return 0;
}
