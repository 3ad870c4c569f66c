// The link by datagrams: what comes.
#pragma once

#include <mutex>

#include "transport/packet/link.hpp"
#include "transport/packet/receipt.hpp"
#include "transport/service/attention.hpp"

namespace isthmus::transport::packet {

inline Microseconds now_microseconds() {
    return service::now_nanoseconds() / 1000;
}

// The low half of a connection's number is the PE that sends on it.
inline constexpr std::uint32_t kSenderBits = 16;

template <typename Sink>
bool Link::take_datagrams(Sink& sink) {
    constexpr int kRounds = 4;  // there are answers to send, too
    bool found = false;
    const Microseconds now = now_microseconds();
    const auto take = [&](const sockaddr_storage& from, std::span<std::byte> datagram) {
        found = true;
        take_datagram(from, datagram, now, sink);
    };
    for (int round = 0; round < kRounds && udp_.receive(take); ++round) {
    }
    if (const int error = udp_.receive_error()) fail_call("recvmmsg", error);
    for (const int pe : heard_) {
        note_talker(pe);
        Peer& from = peer(pe);
        from.is_heard = false;
        const std::lock_guard lock(from.guard);
        go_on(from, pe, now);
    }
    heard_.clear();
    return found;
}

template <typename Sink>
void Link::take_datagram(const sockaddr_storage& from, std::span<std::byte> datagram,
                         Microseconds now, Sink& sink) {
    ::isthmus::packet::Delivery delivery;
    Bytes packets;
    if (::isthmus::packet::decode_delivery(datagram, delivery, packets) != Verdict::accepted)
        return sink.refused();
    const auto pe = static_cast<int>(delivery.connection & ((1U << kSenderBits) - 1));
    if (pe >= services_.pes) return sink.refused();
    Peer& sender = peer(pe);
    {
        const std::lock_guard lock(sender.guard);
        if (!sender.courier.is_open()) {
            if (!may_be_from(sender, pe, from)) sink.refused();
            return;
        }
        const Verdict verdict = sender.courier.hear(from, datagram, delivery, packets, now);
        if (verdict == Verdict::unknown_connection || verdict == Verdict::wrong_mac)
            return sink.refused();
    }
    if (!sender.is_heard) {
        sender.is_heard = true;
        heard_.push_back(pe);
    }
    if (packets.empty()) return;
    Receipt<Sink> receipt(*this, pe, sender, sink, true);
    bool is_fine = sender.inbox.take(packets, receipt);
    const auto has_more = [&] {
        const std::lock_guard lock(sender.guard);
        return sender.courier.take_early(early_);
    };
    while (is_fine && receipt.error() == 0 && has_more())
        is_fine = sender.inbox.take(early_, receipt);
    if (receipt.error() != 0) lose(pe, receipt.error(), sink);
}

}  // namespace isthmus::transport::packet
