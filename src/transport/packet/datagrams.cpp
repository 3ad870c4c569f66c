// The link by datagrams: their begin, their time and their end.
#include "transport/packet/datagrams.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/timerfd.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>

#include "transport/packet/address.hpp"
#include "transport/service/socket_address.hpp"

namespace isthmus::transport::packet {
namespace {

// Time is seen to no more often than that, and need not be more exact. (Not by the name of the
// link's own turn, in nanoseconds, which its members would take.)
constexpr Microseconds kTimeTurn = 50;
// How long who closes waits for others to have what it has sent; those that live have it long
// before.
constexpr Microseconds kMostSettling = 5'000'000;

// What the join took, there and back. 0: not known.
Microseconds round_trip_of(const Stream& stream) {
    tcp_info info{};
    socklen_t length = sizeof info;
    const bool is_known =
        getsockopt(stream.descriptor(), IPPROTO_TCP, TCP_INFO, &info, &length) == 0;
    return is_known ? info.tcpi_rtt : 0;
}

std::uint32_t connection_of(const Proof& drawn, int sender) {
    std::uint32_t number = 0;
    std::memcpy(&number, drawn.data() + sizeof(DatagramMac::Key), sizeof number);
    return number << kSenderBits | static_cast<std::uint32_t>(sender);
}

}  // namespace

// No packet is longer than a datagram of the path. Before the first is added.
void Link::narrow(Peer& to, int pe) {
    if (!by_datagrams_ || to.path_bytes != 0) return;
    to.path_bytes = udp_.path_bytes(addresses_[static_cast<std::size_t>(pe)]);
    to.outbox.narrow(Courier::room_in(to.path_bytes));
}

void Link::begin_courier(Peer& to, int pe, const Door::Joined& joined) {
    narrow(to, pe);
    FlowKeys keys;
    const auto& [out, in] = joined.datagrams;
    std::memcpy(keys.out.data(), out.data(), keys.out.size());
    std::memcpy(keys.in.data(), in.data(), keys.in.size());
    keys.long_out = joined.long_datagrams.out;
    keys.long_in = joined.long_datagrams.in;
    keys.with_aes = joined.with_aes;
    keys.connection_out = connection_of(out, services_.me);
    keys.connection_in = connection_of(in, pe);
    to.courier.begin(keys, addresses_[static_cast<std::size_t>(pe)], to.path_bytes,
                     round_trip_of(to.stream));
}

// Of a PE without a connection. It may have been let in, and the word of it is under way: it says
// all that again. Or it has gone, and that was under way.
bool Link::may_be_from(const Peer& sender, int pe, const sockaddr_storage& from) const {
    const auto index = static_cast<std::size_t>(pe);
    const bool is_its = index < addresses_.size() && is_same(from, addresses_[index]);
    return is_its && (sender.tie != Tie::none || door_->welcomes(pe));
}

std::uint64_t Link::carried(int pe) {
    Peer& to = peer(pe);
    const std::lock_guard lock(to.guard);
    return to.courier.carried();
}

std::string Link::needs_from_filters(int pe) const {
    if (!by_datagrams_) return "";
    const auto port = [](sockaddr_storage at) {
        return text_of(at) + " port " + std::to_string(ntohs(service::port_of(at)));
    };
    return "those that carry packets do not get through: a firewall has to let UDP pass to " +
           port(door_->address()) + " and to " + port(addresses_[static_cast<std::size_t>(pe)]) +
           (services_.spins ? ""
                            : "; or this host has more PEs than its processors serve by UDP: take "
                              "ISTHMUS_PACKET_PROTOCOL=tcp, the default, or fewer PEs a host");
}

// ---- time

void Link::mark_timed(Peer& to, int pe) {
    const Flow& flow = to.courier.flow();
    const Microseconds due = flow.due();
    if (due == Flow::kNever) return;
    if (!to.is_timed) {
        to.is_timed = true;
        const std::lock_guard lock(timed_guard_);
        timed_.push_back(pe);
        timed_count_.store(timed_.size(), std::memory_order_relaxed);
    }
    std::uint64_t before = due_at_.load(std::memory_order_relaxed);
    while (due < before && !due_at_.compare_exchange_weak(before, due, std::memory_order_relaxed)) {
    }
    // This thread may not look again, and the one that sleeps does not know of it. Answers are due
    // to who has heard, who looks again or sets the clock before it sleeps.
    if (const Microseconds when = flow.repeats(); when != Flow::kNever) set_clock(when);
}

void Link::set_clock(std::uint64_t when) {
    const std::uint64_t soonest = now_microseconds() + kTimeTurn;
    when = std::max(when, soonest);
    const std::uint64_t set = rings_at_.load(std::memory_order_relaxed);
    if (set != 0 && set <= when + kTimeTurn && set + kTimeTurn >= soonest) return;
    rings_at_.store(when, std::memory_order_relaxed);
    const itimerspec at{
        {0, 0},
        {static_cast<time_t>(when / 1'000'000), static_cast<long>(when % 1'000'000) * 1000}};
    timerfd_settime(clock_, TFD_TIMER_ABSTIME, &at, nullptr);
}

void Link::go_on(Peer& to, int pe, Microseconds now) {
    if (!to.courier.is_open()) return;
    if (to.is_blocked || to.courier.flow().lost()) flush(to, pe);
    to.courier.answer(udp_, now);
    mark_timed(to, pe);
}

// Strangers may send without end.
bool Link::has_read_all() {
    constexpr unsigned kMostUnread = 64;
    if (udp_.has_more()) return unread_.fetch_add(1, std::memory_order_relaxed) >= kMostUnread;
    unread_.store(0, std::memory_order_relaxed);
    return true;
}

// Every look comes here, and few have something to do.
void Link::see_to_time() {
    const Microseconds now = now_microseconds();
    const Microseconds due = due_at_.load(std::memory_order_relaxed);
    if (now < due || now - looked_at_.load(std::memory_order_relaxed) < kTimeTurn) return;
    looked_at_.store(now, std::memory_order_relaxed);
    std::vector<int> timed;
    {
        const std::lock_guard lock(timed_guard_);
        timed.swap(timed_);
        timed_count_.store(0, std::memory_order_relaxed);
        due_at_.store(Flow::kNever, std::memory_order_relaxed);
    }
    std::optional<bool> knows;
    unsigned waits = 0;
    for (const int pe : timed) {
        Peer& to = peer(pe);
        const std::lock_guard lock(to.guard);
        to.is_timed = false;
        if (!to.courier.is_open()) continue;
        if (to.courier.flow().waits()) ++waits;
        to.courier.wait_beside(waiting_.load(std::memory_order_relaxed));
        // What is to be read may be the answer: a PE that had no turn for long would repeat all.
        if (to.courier.flow().repeats() <= now) {
            if (!knows) knows = has_read_all();
            if (!*knows) {
                mark_timed(to, pe);
                continue;
            }
        }
        to.courier.pass_time(now);
        go_on(to, pe, now);
    }
    waiting_.store(waits, std::memory_order_relaxed);
    set_clock_for_sleep();
}

// Behind it the descriptor rings when time is to be seen to.
void Link::set_clock_for_sleep() {
    const Microseconds due = due_at_.load(std::memory_order_relaxed);
    if (due != Flow::kNever) set_clock(due);
}

// ---- the end

bool Link::is_settled(int pe) {
    Peer& to = peer(pe);
    if (!to.stream.is_open() || !to.courier.is_open() || to.tie != Tie::joined) return true;
    if (to.outbox.is_empty() && to.courier.flow().is_acknowledged()) return true;
    // Who has ended its connection, or said farewell, has had what it wanted.
    char byte = 0;
    return recv(to.stream.descriptor(), &byte, 1, MSG_PEEK | MSG_DONTWAIT) >= 0;
}

// Nobody else looks any more. What comes is thrown away, but acknowledged.
void Link::settle() {
    const Microseconds began = now_microseconds();
    const auto take = [&](const sockaddr_storage& from, std::span<std::byte> datagram) {
        ::isthmus::packet::Delivery delivery;
        Bytes packets;
        if (::isthmus::packet::decode_delivery(datagram, delivery, packets) != Verdict::accepted)
            return;
        const auto pe = static_cast<int>(delivery.connection & ((1U << kSenderBits) - 1));
        if (pe >= services_.pes || !peer(pe).courier.is_open()) return;
        Peer& sender = peer(pe);
        sender.courier.hear(from, datagram, delivery, packets, now_microseconds());
        while (sender.courier.take_early(early_)) {
        }
        go_on(sender, pe, now_microseconds());
    };
    for (;;) {
        while (udp_.receive(take)) {
        }
        flush_dirty();
        looked_at_.store(0, std::memory_order_relaxed);
        see_to_time();
        bool is_done = true;
        for (int pe = 0; pe < services_.pes && is_done; ++pe)
            is_done = is_settled(pe);
        if (is_done || now_microseconds() - began > kMostSettling) return;
        pollfd end{udp_.descriptor(), POLLIN, 0};
        ::poll(&end, 1, 1);
    }
}

}  // namespace isthmus::transport::packet
