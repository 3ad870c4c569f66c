// Packets between this PE and another one as datagrams: what flow.hpp says is to leave, sealed; and
// what comes, opened, in the order in which it was sent. A datagram has whole packets. It is kept
// until the other side has it, so its source may change as soon as it has left for the first time.
#pragma once

#include <sys/socket.h>

#include <array>
#include <map>
#include <memory>
#include <vector>

#include "transport/packet/flow.hpp"
#include "transport/packet/mac.hpp"
#include "transport/packet/outbox.hpp"
#include "transport/packet/udp.hpp"

namespace isthmus::transport::packet {

// What both sides have drawn from their join: for each direction a key and the number by which the
// receiver knows the connection.
struct FlowKeys {
    DatagramMac::Key out{}, in{};
    Proof long_out{}, long_in{};
    bool with_aes = false;  // both have it
    std::uint32_t connection_out = 0, connection_in = 0;
};

class Courier {
  public:
    // Bytes of packets that a datagram of so many has room for.
    static constexpr std::size_t room_in(std::size_t datagram_bytes) {
        return datagram_bytes - ::isthmus::packet::kMostDeliveryBytes;
    }

    void begin(const FlowKeys& keys, const sockaddr_storage& to, std::size_t datagram_bytes,
               Microseconds round_trip, Flow::Number first_out = 0, Flow::Number first_in = 0);
    bool is_open() const { return is_open_; }
    void close() { is_open_ = false; }
    const Flow& flow() const { return flow_; }

    // Bytes of packets, both ways, that have arrived.
    std::uint64_t carried() const { return carried_; }

    // What may leave, repetitions first. True: the outbox is empty. Marks of what has left for the
    // first time are added to `ended`.
    bool send(Outbox& outbox, Udp& udp, Microseconds now, std::vector<Outbox::Mark>& ended);
    // An answer without packets, if one is due.
    void answer(Udp& udp, Microseconds now);
    void pass_time(Microseconds now) { flow_.pass_time(now); }
    void wait_beside(unsigned others) { flow_.wait_beside(others); }

    // A datagram that is legal by itself and for this connection. accepted or seen: of the other
    // side. `packets` are then those that have their turn; none is a reason to wait.
    ::isthmus::packet::Verdict hear(const sockaddr_storage& from, std::span<std::byte> datagram,
                                    const ::isthmus::packet::Delivery& delivery,
                                    ::isthmus::packet::Bytes& packets, Microseconds now);
    // Those that came early and have their turn now, one datagram's at a time. False: no more.
    bool take_early(std::vector<std::byte>& packets);

  private:
    // One that is kept: room for the words before the packets, the packets, the MAC.
    struct Kept {
        std::unique_ptr<std::byte[]> bytes;
        std::size_t packets = 0;
    };
    static constexpr std::size_t kFront =
        ::isthmus::packet::kMostDeliveryBytes - ::isthmus::packet::kMacBytes;

    Kept& kept(Flow::Number number) { return kept_[number % Flow::kWindow]; }
    std::span<const std::byte> seal(std::byte* bytes, std::size_t packets, Flow::Number number,
                                    Microseconds now);
    std::unique_ptr<std::byte[]> take_room();
    void give_back();

    bool is_open_ = false;
    Flow flow_;
    DatagramMac mac_out_, mac_in_;
    std::uint32_t connection_out_ = 0, connection_in_ = 0;
    sockaddr_storage to_{};
    std::size_t room_ = 0;  // for packets
    std::array<Kept, Flow::kWindow> kept_;
    Flow::Number given_back_ = 0;
    std::uint64_t carried_ = 0;
    std::vector<std::unique_ptr<std::byte[]>> free_;
    std::vector<std::span<const std::byte>> leaving_;
    std::map<Flow::Number, std::vector<std::byte>> early_;
    Flow::Number taken_ = 0;  // up to here packets have been handed over
};

}  // namespace isthmus::transport::packet
