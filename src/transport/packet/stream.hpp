// What carries the words of packets between two PEs, in order and each once: all that the packets'
// half of this road (outbox.hpp, inbox.hpp) knows of what is below it by TCP. By datagrams that is
// courier.hpp.
#pragma once

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>

#include "base/limits.hpp"

namespace isthmus::transport::packet {

class Stream {
  public:
    static constexpr long kNotNow = -EAGAIN;

    Stream() = default;
    explicit Stream(int descriptor) : descriptor_(descriptor) {}
    Stream(Stream&& other) noexcept : descriptor_(other.release()) {}
    Stream& operator=(Stream&& other) noexcept {
        close();
        descriptor_ = other.release();
        return *this;
    }
    ~Stream() { close(); }

    bool is_open() const { return descriptor_ >= 0; }
    int descriptor() const { return descriptor_; }
    // Whether this process may send or receive so at all. Asked of no socket: only who may is told
    // that.
    static bool may_write() { return may(::send(-1, nullptr, 0, 0)); }
    static bool may_write_pieces() {
        const msghdr nothing{};
        return may(sendmsg(-1, &nothing, 0));
    }
    static bool may_read() { return may(::recv(-1, nullptr, 0, 0)); }
    static bool may_read_pieces() {
        msghdr nothing{};
        return may(recvmsg(-1, &nothing, 0));
    }
    // Bytes that have left, kNotNow, or an error: its number with a minus.
    long write(iovec* pieces, std::size_t count) {
        if (count == 1)  // the shorter call
            return result(::send(descriptor_, pieces->iov_base, pieces->iov_len,
                                 MSG_NOSIGNAL | MSG_DONTWAIT));
        msghdr message{};
        message.msg_iov = pieces;
        message.msg_iovlen = count;
        return result(sendmsg(descriptor_, &message, MSG_NOSIGNAL | MSG_DONTWAIT));
    }
    // Bytes that have come, 0 at the end, kNotNow, or an error.
    long read(iovec* pieces, std::size_t count) {
        if (count == 1)
            return result(::recv(descriptor_, pieces->iov_base, pieces->iov_len, MSG_DONTWAIT));
        msghdr message{};
        message.msg_iov = pieces;
        message.msg_iovlen = count;
        return result(recvmsg(descriptor_, &message, MSG_DONTWAIT));
    }
    // Nothing more will be written.
    void finish() { ::shutdown(descriptor_, SHUT_WR); }
    void close() {
        if (descriptor_ >= 0) ::close(descriptor_);
        descriptor_ = -1;
    }

  private:
    int release() {
        const int descriptor = descriptor_;
        descriptor_ = -1;
        return descriptor;
    }
    static bool may(ssize_t moved) { return moved >= 0 || !os::is_call_forbidden(errno); }
    static long result(ssize_t bytes) {
        if (bytes >= 0) return bytes;
        return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR ? kNotNow : -errno;
    }

    int descriptor_ = -1;
};

}  // namespace isthmus::transport::packet
