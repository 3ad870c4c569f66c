/* A message of 8 bytes and its echo over a bare TCP connection, as bare.c does it by libfabric: on
 * two processors, either side polling, or asleep in recv() (op=round_trip_asleep). BARE_NAMESPACE
 * is the file of the network namespace that the target moves to. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "times.h"

enum { kTrips = 10, kMostSeconds = 100 };

static void need(const char* what, int holds) {
    if (holds) return;
    fprintf(stderr, "bare_tcp: %s: %s\n", what, strerror(errno));
    _exit(1);
}

static int connection;
static void send_word(long word) {
    need("send", send(connection, &word, sizeof word, 0) == (ssize_t)sizeof word);
}
static long receive_word(int flags) {
    long word = 0;
    size_t come = 0;
    while (come < sizeof word) {
        const ssize_t bytes = recv(connection, (char*)&word + come, sizeof word - come, flags);
        need("recv", bytes > 0 || (bytes < 0 && errno == EAGAIN));
        if (bytes > 0) come += (size_t)bytes;
    }
    return word;
}
static void echo(int flags) {
    for (int left = kTrips * (kBatches + 3); left > 0; --left)
        send_word(receive_word(flags));
}
static void round_trip(long word, int flags) {
    send_word(word);
    need("another word came", receive_word(flags) == word);
}

/* An address of this namespace that another reaches; of this machine's own where there is no other.
 */
static struct in_addr own_address(int probe) {
    struct in_addr address = {htonl(INADDR_LOOPBACK)};
    for (int index = 1; getenv("BARE_NAMESPACE") && index < 64; ++index) {
        struct ifreq interface = {0};
        interface.ifr_ifindex = index;
        if (ioctl(probe, SIOCGIFNAME, &interface) != 0 || strcmp(interface.ifr_name, "lo") == 0 ||
            ioctl(probe, SIOCGIFADDR, &interface) != 0)
            continue;
        address = ((struct sockaddr_in*)&interface.ifr_addr)->sin_addr;
        break;
    }
    return address;
}

int main(void) {
    alarm(kMostSeconds); /* should the other side have failed */
    const int listener = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in place = {.sin_family = AF_INET};
    socklen_t length = sizeof place;
    place.sin_addr = own_address(listener);
    need("listen", bind(listener, (struct sockaddr*)&place, sizeof place) == 0 &&
                       listen(listener, 1) == 0 &&
                       getsockname(listener, (struct sockaddr*)&place, &length) == 0);
    const pid_t target = fork();
    const int yes = 1;
    if (target == 0) {
        const char* const file = getenv("BARE_NAMESPACE");
        need(file, !file || setns(open(file, O_RDONLY), CLONE_NEWNET) == 0);
        pin_to_core(1);
        connection = socket(AF_INET, SOCK_STREAM, 0);
        need("connect", connect(connection, (struct sockaddr*)&place, sizeof place) == 0);
        setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
        echo(MSG_DONTWAIT);
        echo(0);
        _exit(0);
    }
    pin_to_core(0);
    connection = accept(listener, NULL, NULL);
    need("accept", connection >= 0);
    setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    TIMED("round_trip", kTrips, round_trip(i, MSG_DONTWAIT), (void)0);
    TIMED("round_trip_asleep", kTrips, round_trip(i, 0), (void)0);
    waitpid(target, NULL, 0);
    return 0;
}
