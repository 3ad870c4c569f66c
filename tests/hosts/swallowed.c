/* Loaded before the library: somebody on the way between hosts, who swallows what is said on the
 * calls of the PEs with the address SWALLOWS_OF, or "all", to other addresses.
 *
 *   SWALLOWS_SENT=N   behind the first N bytes that such a caller says
 *   SWALLOWS_CAME=N   behind the first N bytes that it would hear */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

enum { kMost = 4096 };
struct way {
    int is_watched;
    size_t sent, came;
};
static struct way ways[kMost];

static size_t bound(const char* setting) {
    const char* const text = getenv(setting);
    return text ? strtoul(text, NULL, 10) : (size_t)-1;
}

static struct way* watched(int file) {
    return file >= 0 && file < kMost && ways[file].is_watched ? &ways[file] : NULL;
}

static int is_on_its_way(int file, const struct sockaddr* to) {
    const char* const of = getenv("SWALLOWS_OF");
    struct sockaddr_in own;
    socklen_t room = sizeof own;
    int type = 0;
    socklen_t length = sizeof type;
    if (!of || to->sa_family != AF_INET || getsockname(file, (struct sockaddr*)&own, &room) != 0 ||
        getsockopt(file, SOL_SOCKET, SO_TYPE, &type, &length) != 0 || type != SOCK_STREAM)
        return 0;
    const in_addr_t other = ((const struct sockaddr_in*)to)->sin_addr.s_addr;
    return other != own.sin_addr.s_addr &&
           (strcmp(of, "all") == 0 || own.sin_addr.s_addr == inet_addr(of));
}

int connect(int file, const struct sockaddr* to, socklen_t bytes) {
    int (*real)(int, const struct sockaddr*, socklen_t) = NULL;
    *(void**)&real = dlsym(RTLD_NEXT, "connect");
    if (file >= 0 && file < kMost) ways[file] = (struct way){is_on_its_way(file, to), 0, 0};
    return real(file, to, bytes);
}

/* Its number may be that of a call that has been given up. */
int accept4(int listener, struct sockaddr* from, socklen_t* bytes, int flags) {
    int (*real)(int, struct sockaddr*, socklen_t*, int) = NULL;
    *(void**)&real = dlsym(RTLD_NEXT, "accept4");
    const int file = real(listener, from, bytes, flags);
    if (file >= 0 && file < kMost) ways[file].is_watched = 0;
    return file;
}

ssize_t sendmsg(int file, const struct msghdr* message, int flags) {
    ssize_t (*real)(int, const struct msghdr*, int) = NULL;
    *(void**)&real = dlsym(RTLD_NEXT, "sendmsg");
    struct way* const way = watched(file);
    if (!way) return real(file, message, flags);
    size_t bytes = 0;
    for (size_t i = 0; i < message->msg_iovlen; ++i)
        bytes += message->msg_iov[i].iov_len;
    const size_t most = bound("SWALLOWS_SENT");
    const size_t left = way->sent < most ? most - way->sent : 0;
    way->sent += bytes;
    if (left >= bytes) return real(file, message, flags);
    if (left > 0) {
        struct iovec first = {message->msg_iov[0].iov_base, left};
        real(file, &(struct msghdr){.msg_iov = &first, .msg_iovlen = 1}, flags);
    }
    return (ssize_t)bytes;
}
ssize_t send(int file, const void* bytes, size_t count, int flags) {
    struct iovec all = {(void*)bytes, count};
    return sendmsg(file, &(struct msghdr){.msg_iov = &all, .msg_iovlen = 1}, flags);
}

ssize_t recvmsg(int file, struct msghdr* message, int flags) {
    ssize_t (*real)(int, struct msghdr*, int) = NULL;
    *(void**)&real = dlsym(RTLD_NEXT, "recvmsg");
    const ssize_t came = real(file, message, flags);
    struct way* const way = watched(file);
    if (!way || came <= 0) return came;
    way->came += (size_t)came;
    if (way->came <= bound("SWALLOWS_CAME")) return came;
    errno = EAGAIN;
    return -1;
}
ssize_t recv(int file, void* bytes, size_t room, int flags) {
    struct iovec all = {bytes, room};
    return recvmsg(file, &(struct msghdr){.msg_iov = &all, .msg_iovlen = 1}, flags);
}
