// Packets by datagrams of the system's, through a relay that loses, doubles, reorders and changes
// them: what arrives is what was sent, once and in order, and nothing that a stranger sends.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sodium.h>

#include <chrono>
#include <cstring>
#include <deque>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "samples.hpp"
#include "transport/packet/courier.hpp"
#include "transport/packet/inbox.hpp"
#include "transport/packet/record.hpp"

using namespace isthmus::transport::packet;
namespace format = isthmus::packet;
using format::Kind;
using format::Verdict;

namespace {

Microseconds now() {
    return static_cast<Microseconds>(std::chrono::steady_clock::now().time_since_epoch() /
                                     std::chrono::microseconds(1));
}

sockaddr_storage place(const Udp& socket, int family) {
    sockaddr_storage address{};
    address.ss_family = static_cast<sa_family_t>(family);
    if (socket.is_open()) {
        socklen_t length = sizeof address;
        getsockname(socket.descriptor(), reinterpret_cast<sockaddr*>(&address), &length);
    } else if (family == AF_INET) {
        reinterpret_cast<sockaddr_in&>(address).sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    } else {
        reinterpret_cast<sockaddr_in6&>(address).sin6_addr = in6addr_loopback;
    }
    return address;
}

struct Faults {
    double loss = 0, twice = 0, late = 0, changed = 0;
};

using Datagram = std::vector<std::byte>;

// Between two sides: each sends to its own socket of the relay, and hears from it.
class Relay {
  public:
    Relay(const Faults& faults, unsigned seed, int family) : faults_(faults), random_(seed) {
        for (Udp& socket : sockets_)
            EXPECT_TRUE(socket.open(place(socket, family)));
    }
    sockaddr_storage port(int side) const { return place(sockets_[side], AF_INET); }
    void connect(int side, const sockaddr_storage& address) { sides_[side] = address; }

    void pass_on() {
        for (const int from : {0, 1}) {
            const auto take = [&](const sockaddr_storage&, std::span<std::byte> datagram) {
                pass(1 - from, {datagram.begin(), datagram.end()});
            };
            while (sockets_[from].receive(take)) {
            }
            while (waiting_[from].size() > 40 || (!waiting_[from].empty() && chance(0.1))) {
                send(from, waiting_[from].front());
                waiting_[from].pop_front();
            }
        }
    }
    void send(int to, const Datagram& datagram) {
        const std::span<const std::byte> bytes(datagram);
        sockets_[to].send(sides_[to], {&bytes, 1});
    }
    // All that has passed to this side.
    std::vector<Datagram> record[2];
    unsigned changed = 0;

  private:
    bool chance(double share) { return std::bernoulli_distribution(share)(random_); }
    void pass(int to, Datagram datagram) {
        if (record[to].size() < 100) record[to].push_back(datagram);
        if (chance(faults_.loss)) return;
        if (chance(faults_.changed)) {
            ++changed;
            datagram[random_() % datagram.size()] ^= std::byte(1U << random_() % 8);
        }
        if (chance(faults_.twice)) send(to, datagram);
        if (chance(faults_.late))
            waiting_[to].push_back(datagram);
        else
            send(to, datagram);
    }

    const Faults faults_;
    std::mt19937 random_;
    Udp sockets_[2];
    sockaddr_storage sides_[2]{};
    std::deque<Datagram> waiting_[2];
};

// A memory, and messages in the order in which they came.
struct Memory {
    std::vector<char> bytes = std::vector<char>(std::size_t{4} << 20, 'x');
    std::vector<std::string> messages;
    std::string parts;
    unsigned wrong = 0;

    Verdict admit(const format::Packet&) { return Verdict::accepted; }
    char* place(const format::Packet& packet) { return bytes.data() + packet.offset(); }
    void placed(const format::Packet&) {}
    void take(const format::Packet& packet) {
        parts.append(reinterpret_cast<const char*>(packet.payload), packet.payload_bytes);
        if (packet.token() == kMoreFollows) return;
        messages.push_back(parts);
        parts.clear();
    }
    bool refused(Bytes, Verdict) { return ++wrong == 0; }
};

struct Side {
    Udp socket;
    Courier courier;
    Outbox outbox;
    Inbox inbox;
    Memory memory;
    std::vector<Outbox::Mark> ended;
    std::vector<std::byte> early;
    unsigned refused = 0, seen = 0;

    void look() {
        const auto take = [this](const sockaddr_storage& from, std::span<std::byte> datagram) {
            format::Delivery delivery;
            Bytes packets;
            if (format::decode_delivery(datagram, delivery, packets) != Verdict::accepted) {
                ++refused;
                return;
            }
            const Verdict verdict = courier.hear(from, datagram, delivery, packets, now());
            seen += verdict == Verdict::seen;
            if (verdict == Verdict::unknown_connection || verdict == Verdict::wrong_mac) {
                ++refused;
                return;
            }
            if (packets.empty()) return;
            EXPECT_TRUE(inbox.take(packets, memory));
            while (courier.take_early(early))
                EXPECT_TRUE(inbox.take(early, memory));
        };
        while (socket.receive(take)) {
        }
        courier.pass_time(now());
        courier.send(outbox, socket, now(), ended);
        courier.answer(socket, now());
    }
    bool is_done() const { return outbox.is_empty() && courier.flow().is_acknowledged(); }
};

struct Both {
    // `first`: the numbers of the first datagrams of both sides.
    Both(const Faults& faults, unsigned seed, std::size_t datagram, int family = AF_INET,
         std::array<Flow::Number, 2> first = {}, bool with_aes = RecordSeal::has_aes())
        : relay(faults, seed, family) {
        EXPECT_GE(sodium_init(), 0);
        FlowKeys keys;
        keys.out.fill(1);
        keys.in.fill(2);
        keys.long_out.fill(3);
        keys.long_in.fill(4);
        keys.with_aes = with_aes;
        keys.connection_out = 0x10000;
        keys.connection_in = 0x20001;
        for (const int number : {0, 1}) {
            Side& side = sides[number];
            EXPECT_TRUE(side.socket.open(place(side.socket, family)));
            relay.connect(number, place(side.socket, family));
            side.outbox.narrow(Courier::room_in(datagram));
            side.courier.begin(keys, relay.port(number), datagram, 200, first[0], first[1]);
            std::swap(first[0], first[1]);
            std::swap(keys.out, keys.in);
            std::swap(keys.long_out, keys.long_in);
            std::swap(keys.connection_out, keys.connection_in);
        }
    }
    bool run(int seconds = 60) {
        const Microseconds end = now() + static_cast<Microseconds>(seconds) * 1'000'000;
        while (!sides[0].is_done() || !sides[1].is_done()) {
            if (now() > end) return false;
            round();
        }
        return true;
    }
    void round() {
        for (Side& side : sides)
            side.look();
        relay.pass_on();
    }
    Relay relay;
    Side sides[2];
};

// Blocks, short puts and messages one behind the other, both ways.
void exchange(const Faults& faults, unsigned seed, std::size_t datagram, int family = AF_INET,
              std::array<Flow::Number, 2> first = {}, bool with_aes = RecordSeal::has_aes()) {
    Both both(faults, seed, datagram, family, first, with_aes);
    std::vector<std::vector<char>> sources[2];
    std::vector<std::string> messages[2];
    std::vector<char> expected[2];
    std::mt19937 random(seed);
    for (const int number : {0, 1}) {
        Side& side = both.sides[number];
        std::vector<char>& there = expected[number];
        there.assign(side.memory.bytes.size(), 'x');
        std::size_t at = 0;
        for (int each = 0; each < 60; ++each) {
            const std::size_t sizes[] = {1, 8, 100, 1400, 4096, 16384, 70000};
            const std::size_t size = sizes[random() % 7];
            sources[number].push_back(pattern(size, seed + static_cast<unsigned>(each)));
            const std::vector<char>& source = sources[number].back();
            if (size <= 4096) {
                ASSERT_TRUE(side.outbox.add(put_at(at), {}, source.data(), size));
                ASSERT_TRUE(side.outbox.add(message_head(), {}, source.data(), size));
                messages[number].emplace_back(source.data(), size);
            } else {
                ASSERT_TRUE(side.outbox.add_block(put_at(at), source.data(), size, &side, false));
            }
            std::memcpy(there.data() + at, source.data(), size);
            at += size + random() % 3;
        }
    }
    ASSERT_TRUE(both.run());
    for (const int number : {0, 1}) {
        const Side& other = both.sides[1 - number];
        EXPECT_TRUE(other.memory.bytes == expected[number]);
        EXPECT_TRUE(other.memory.messages == messages[number]);
        EXPECT_EQ(other.memory.wrong, 0U);
    }
    const unsigned refused = both.sides[0].refused + both.sides[1].refused;
    EXPECT_LE(refused, 2 * both.relay.changed);
    if (faults.changed != 0) {
        EXPECT_NE(refused, 0U);
    }
}

TEST(PacketCourier, WhatWasSentArrives) {
    for (const std::size_t datagram : {512U, 1472U, 8968U})
        exchange({}, 1, datagram);
}

// One of them has no instructions for AES.
TEST(PacketCourier, SoItDoesBySipHashAlone) {
    exchange({0.1, 0.1, 0.1, 0.05}, 3, 1472, AF_INET, {}, false);
}

// By which a slow way is told from one that leads nowhere.
TEST(PacketCourier, WhatHasArrivedIsCounted) {
    Both both({0.2, 0.2, 0.1, 0}, 1, 1472);
    const std::vector<char> source = pattern(100'000, 1);
    ASSERT_TRUE(
        both.sides[0].outbox.add_block(put_at(0), source.data(), source.size(), nullptr, false));
    both.sides[0].look();
    EXPECT_EQ(both.sides[0].courier.carried(), 0U);  // not yet
    ASSERT_TRUE(both.run());
    both.sides[0].look();
    const std::uint64_t carried = both.sides[1].courier.carried();
    EXPECT_GT(carried, 100'000U);
    EXPECT_LT(carried, 103'000U);
    EXPECT_EQ(both.sides[0].courier.carried(), carried);
}

TEST(PacketCourier, SoItDoesByIpv6) {
    exchange({}, 2, 1452 / 8 * 8, AF_INET6);
}

TEST(PacketCourier, NothingIsLostDoubledOrWrongOnABadWay) {
    for (unsigned seed = 1; seed <= 3; ++seed) {
        exchange({0.01, 0, 0, 0}, seed, 1472);
        exchange({0.05, 0.05, 0, 0}, seed, 1472);
        exchange({0.2, 0.1, 0.1, 0}, seed, 1472);
        exchange({0, 0, 0.3, 0.02}, seed, 1472);
        exchange({0.1, 0.1, 0.1, 0.05}, seed, 8968);
    }
}

constexpr Flow::Number k32 = Flow::Number{1} << 32;

// Of the numbers the lower halves alone are sent.
TEST(PacketCourier, NumbersComeAround) {
    exchange({}, 5, 1472, AF_INET, {k32 - 20, 3 * k32 - 5});
    exchange({0.1, 0.1, 0.1, 0.05}, 6, 1472, AF_INET, {k32 - 20, 3 * k32 - 5});
}

// Nothing that was recorded 2^32 datagrams before is believed: of those with packets, and of what
// others acknowledge, where only one side has sent so many as well.
TEST(PacketCourier, WhatWasRecordedBeforeNumbersCameAroundIsRefused) {
    const auto run = [](Both& both) {
        for (int message = 0; message < 20; ++message) {
            ASSERT_TRUE(both.sides[0].outbox.add(message_head(), {}, &message, sizeof message));
            ASSERT_TRUE(both.run());
        }
    };
    Both before({}, 1, 1472);
    run(before);
    for (const std::array<Flow::Number, 2> first :
         {std::array{k32, Flow::Number{0}}, std::array{Flow::Number{0}, k32},
          std::array{k32, k32}}) {
        Both after({}, 1, 1472, AF_INET, first);
        run(after);
        for (const int number : {0, 1}) {
            Side& side = after.sides[number];
            ASSERT_FALSE(before.relay.record[number].empty());
            for (const Datagram& each : before.relay.record[number]) {
                const unsigned refused = side.refused;
                after.relay.send(number, each);
                for (int round = 0; round < 1000 && side.refused == refused; ++round)
                    side.look();
                EXPECT_EQ(side.refused, refused + 1);
            }
        }
    }
}

void change_each_bit(std::size_t bytes, bool with_aes) {
    Both both({}, 1, 1472, AF_INET, {}, with_aes);
    const std::vector<char> source = pattern(bytes, 1);
    ASSERT_TRUE(both.sides[0].outbox.add(put_at(0), {}, source.data(), bytes));
    ASSERT_TRUE(both.run());
    const Datagram good = both.relay.record[1].front();
    Side& victim = both.sides[1];
    const std::vector<char> before = victim.memory.bytes;
    // Sent anew, under a number that has not been seen, it would be taken: the hash alone is wrong.
    for (std::size_t bit = 0; bit < 8 * good.size(); ++bit) {
        Datagram bad = good;
        bad[bit / 8] ^= std::byte(1U << bit % 8);
        const unsigned refused = victim.refused;
        both.relay.send(1, bad);
        for (int round = 0; round < 1000 && victim.refused == refused; ++round)
            victim.look();
        EXPECT_EQ(victim.refused, refused + 1) << bit;
    }
    EXPECT_EQ(victim.courier.flow().expected(), 1U);
    EXPECT_TRUE(victim.memory.bytes == before);
}

TEST(PacketCourier, AnyChangedBitIsRefused) {
    change_each_bit(8, false);
    change_each_bit(400, false);
    if (RecordSeal::has_aes()) change_each_bit(400, true);
}

TEST(PacketCourier, ARecordedDatagramIsNotTakenAgain) {
    Both both({}, 1, 1472);
    for (int message = 0; message < 20; ++message)
        ASSERT_TRUE(both.sides[0].outbox.add(message_head(), {}, &message, sizeof message));
    ASSERT_TRUE(both.run());
    Side& victim = both.sides[1];
    const std::size_t messages = victim.memory.messages.size();
    const std::vector<Datagram> recorded = both.relay.record[1];
    unsigned with_packets = 0;
    for (const Datagram& each : recorded) {
        with_packets += each.size() > 64;
        both.relay.send(1, each);
    }
    for (int round = 0; round < 1000 && victim.seen < with_packets; ++round)
        both.round();
    EXPECT_GE(victim.seen, with_packets);
    EXPECT_EQ(victim.memory.messages.size(), messages);
    // Nor by the side that has sent it.
    const unsigned refused = both.sides[0].refused;
    both.relay.send(0, recorded.front());
    for (int round = 0; round < 1000 && both.sides[0].refused == refused; ++round)
        both.sides[0].look();
    EXPECT_EQ(both.sides[0].refused, refused + 1);
}

TEST(PacketCourier, AnotherAddressIsNotThePeers) {
    Both both({0, 0, 1, 0}, 1, 1472);  // the relay keeps all back
    Side& victim = both.sides[1];
    ASSERT_TRUE(both.sides[0].outbox.add(put_at(0), {}, "abcdefgh", 8));
    both.sides[0].look();
    for (int round = 0; round < 1000 && both.relay.record[1].empty(); ++round)
        both.relay.pass_on();
    ASSERT_FALSE(both.relay.record[1].empty());
    const Datagram good = both.relay.record[1].front();
    Udp stranger;
    ASSERT_TRUE(stranger.open(place(stranger, AF_INET)));
    const std::span<const std::byte> bytes(good);
    stranger.send(place(victim.socket, AF_INET), {&bytes, 1});
    for (int round = 0; round < 1000 && victim.refused == 0; ++round)
        victim.look();
    EXPECT_EQ(victim.refused, 1U);
    EXPECT_EQ(victim.courier.flow().expected(), 0U);
    both.relay.send(1, good);
    for (int round = 0; round < 1000 && victim.courier.flow().expected() == 0; ++round)
        victim.look();
    EXPECT_EQ(victim.courier.flow().expected(), 1U);
}

TEST(PacketCourier, TheSourceIsFreeWhenItsMarkHasEnded) {
    Both both({0.3, 0, 0, 0}, 1, 1472);
    std::vector<char> source = pattern(20'000, 4);
    const std::vector<char> was = source;
    Side& sender = both.sides[0];
    ASSERT_TRUE(sender.outbox.add_block(put_at(0), source.data(), source.size(), &source, false));
    sender.look();
    ASSERT_EQ(sender.ended.size(), 1U);
    std::fill(source.begin(), source.end(), 'z');
    ASSERT_TRUE(both.run());
    EXPECT_TRUE(std::equal(was.begin(), was.end(), both.sides[1].memory.bytes.begin()));
}

TEST(PacketCourier, PathsAreAsWideAsTheSystemSays) {
    Udp socket;
    ASSERT_TRUE(socket.open(place(socket, AF_INET)));
    EXPECT_EQ(socket.path_bytes(place(socket, AF_INET)), Udp::kMostBytes);  // loop-back
    EXPECT_EQ(Udp::kMostBytes % 8, 0U);
}

}  // namespace
