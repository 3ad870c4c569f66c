// Pairs of connected sockets. They are the program's own, as pipes are: reading and writing are in
// transfer.cpp, and here is what only sockets have. There is no network.
#include <sys/socket.h>

#include "sim/linux/linux_process.hpp"

namespace isthmus::sim::linux_abi {
namespace {

constexpr std::uint64_t kTypeFlags = kOpenNonblock | kOpenCloexec;
constexpr int kFlagsServed =
    MSG_PEEK | MSG_DONTWAIT | MSG_NOSIGNAL | MSG_TRUNC | MSG_EOR | MSG_MORE;

}  // namespace

std::int64_t Process::open_sockets(const std::uint64_t (&a)[6]) {
    if (a[0] != AF_UNIX) return -EAFNOSUPPORT;
    int ends[2];
    const int type = static_cast<int>(a[1] & ~kTypeFlags) | SOCK_NONBLOCK | SOCK_CLOEXEC;
    if (socketpair(AF_UNIX, type, static_cast<int>(a[2]), ends) != 0) return -errno;
    return put_pair(a[3], ends, {.own = true, .blocks = (a[1] & kOpenNonblock) == 0}, a[1]);
}

std::int64_t Process::socket_call(Hart& hart, std::uint64_t number, const std::uint64_t (&a)[6]) {
    std::uint64_t done = take_unfinished(hart);
    const auto found = files_.find(static_cast<int>(a[0]));
    if (found == files_.end()) return -EBADF;
    const Descriptor file = found->second;
    if (number == kSysShutdown)
        return shutdown(file.host, static_cast<int>(a[1])) != 0 ? -errno : 0;
    // Addresses are for sockets that are not connected; MSG_OOB and MSG_WAITALL for networks.
    const bool sends = number == kSysSendto;
    const int flags = static_cast<int>(a[3]);
    if ((flags & ~kFlagsServed) != 0) return -EOPNOTSUPP;
    if (sends && a[4] != 0) return -EISCONN;
    for (;;) {
        std::vector<iovec> parts = host_parts({{a[1], a[2]}}, done, sends ? kRead : kWrite);
        std::uint64_t there = 0;
        for (const iovec& part : parts)
            there += part.iov_len;
        if (there != a[2] - done) return -EFAULT;
        msghdr message{};
        message.msg_iov = parts.data();
        message.msg_iovlen = parts.size();
        const ssize_t moved = sends ? sendmsg(file.host, &message, flags | MSG_NOSIGNAL)
                                    : recvmsg(file.host, &message, flags);
        const int error = moved < 0 ? errno : 0;
        if (!sends && moved >= 0) {
            const std::uint32_t no_address = 0;
            note_written({{a[1], a[2]}}, std::min(there, static_cast<std::uint64_t>(moved)));
            return a[4] == 0 || a[5] == 0 || put(a[5], no_address) ? moved : -EFAULT;
        }
        if (moved >= 0) done += static_cast<std::uint64_t>(moved);
        if (moved >= 0 && done == a[2]) return static_cast<std::int64_t>(done);
        if (moved >= 0) continue;  // the rest of a stream
        if (error == EPIPE && (flags & MSG_NOSIGNAL) == 0) send_broken_pipe(hart);
        if (error != EAGAIN || (flags & MSG_DONTWAIT) != 0 || !file.file->blocks.value_or(false))
            return done != 0 ? static_cast<std::int64_t>(done) : -error;
        wait_for_file(hart, file, sends ? POLLOUT : POLLIN, done);
        return 0;
    }
}

}  // namespace isthmus::sim::linux_abi
