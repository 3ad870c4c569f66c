// The socket of a PE's datagrams: all its peers' come to one port. Several leave, and are taken,
// with one call of the system; where it can, it cuts them and puts them together itself
// (UDP_SEGMENT, UDP_GRO).
#pragma once

#include <sys/socket.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <span>
#include <vector>

namespace isthmus::transport::packet {

class Udp {
  public:
    // Of Ethernet's large frames. Where the path has room for more (loop-back), it is not used.
    static constexpr std::size_t kMostBytes = 8968;
    static constexpr std::size_t kLeastBytes = 512;

    Udp() = default;
    Udp(const Udp&) = delete;
    Udp& operator=(const Udp&) = delete;
    ~Udp();

    // At this address and port. False, with the error in errno.
    bool open(const sockaddr_storage& at);
    bool is_open() const { return descriptor_ >= 0; }
    int descriptor() const { return descriptor_; }
    // False: the system refuses the call itself (errno), whatever it is to carry.
    bool may_send() const;
    bool may_receive() const;
    // The same, found on the way; else 0. From any thread.
    int send_error() const { return send_error_.load(std::memory_order_relaxed); }
    int receive_error() const { return receive_error_; }
    // Whether something has come and is not taken.
    bool has_more() const;

    // Bytes of a datagram that goes to this address in one piece, as far as the system knows; whole
    // words. From the address that this socket has.
    std::size_t path_bytes(const sockaddr_storage& to) const;

    // Datagrams of at most kMostBytes. What the system does not take is lost, as any may be.
    void send(const sockaddr_storage& to, std::span<const std::span<const std::byte>> datagrams);

    // take(const sockaddr_storage& from, std::span<std::byte> datagram) for some of those that have
    // come. True: there may be more.
    template <typename Take>
    bool receive(Take&& take) {
        const unsigned count = read();
        for (unsigned i = 0; i < count; ++i) {
            std::byte* const begin = room_.data() + i * kRead;
            const std::size_t all = lengths_[i];
            std::size_t at = 0;
            do {  // one may be empty
                take(from_[i], std::span(begin + at, std::min(pieces_[i], all - at)));
                at += pieces_[i];
            } while (at < all);
        }
        return count == kReads;
    }

  private:
    static constexpr unsigned kReads = 16;
    static constexpr std::size_t kRead = 65536;

    unsigned read();
    void send_some(const sockaddr_storage& to,
                   std::span<const std::span<const std::byte>> datagrams);

    int descriptor_ = -1;
    bool cuts_ = false;
    std::atomic<int> send_error_ = 0;  // relaxed: a number that says all by itself
    // ---- of receive()
    int receive_error_ = 0;
    std::vector<std::byte> room_;
    sockaddr_storage from_[kReads];
    std::size_t lengths_[kReads] = {};
    std::size_t pieces_[kReads] = {};
};

bool is_same(const sockaddr_storage& a, const sockaddr_storage& b);

}  // namespace isthmus::transport::packet
