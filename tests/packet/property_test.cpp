// Legal packets at random come back as they were; changed ones are found out, or are other legal
// ones.
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <set>

#include "check.hpp"
#include "random_packet.hpp"

namespace isthmus::packet::test {
namespace {

// TEST_PACKET_SEED repeats a failure.
std::uint64_t start() {
    const char* const given = std::getenv("TEST_PACKET_SEED");
    const std::uint64_t seed =
        given ? std::strtoull(given, nullptr, 10) : std::random_device{}() | 1ULL;
    std::printf("TEST_PACKET_SEED=%llu\n", static_cast<unsigned long long>(seed));
    return seed;
}

TEST(Property, LegalPacketsComeBack) {
    Random random(start());
    std::map<Kind, int> kinds;
    std::set<std::size_t> lengths;
    for (int i = 0; i < 200000; ++i) {
        const Sample sample = random_packet(random);
        const std::vector<std::byte> bytes = sample.bytes();
        ASSERT_FALSE(bytes.empty());
        Packet packet;
        ASSERT_EQ(name_of(decode(bytes, packet)), "accepted")
            << name_of(sample.head.kind) << " number " << i;
        ++kinds[packet.kind()];
        lengths.insert(bytes.size());
        const Head& head = sample.head;
        ASSERT_EQ(packet.kind(), head.kind);
        ASSERT_EQ(packet.stream(), head.stream);
        ASSERT_EQ(packet.wants_answer(), head.acknowledge);
        ASSERT_EQ(packet.is_fence(), head.fence);
        ASSERT_EQ(packet.destination(), head.destination);
        ASSERT_EQ(packet.source(), head.source);
        ASSERT_EQ(packet.segment(), head.segment);
        ASSERT_EQ(packet.offset(), head.offset);
        ASSERT_EQ(packet.handler(), head.handler);
        ASSERT_EQ(packet.detail(), head.detail);
        ASSERT_EQ(packet.credits(), head.credits);
        ASSERT_EQ(packet.token(), head.token);
        ASSERT_EQ(packet.is_fragment(), head.message_bytes != 0);
        if (packet.is_fragment()) {
            ASSERT_EQ(packet.message_bytes(), head.message_bytes);
            ASSERT_EQ(packet.part_offset(), head.part_offset);
        }
        ASSERT_EQ(packet.arguments(), sample.arguments.size());
        for (unsigned j = 0; j < packet.arguments(); ++j)
            ASSERT_EQ(packet.argument(j), sample.arguments[j]);
        for (std::size_t j = 0; j < sample.descriptor.size(); ++j)
            ASSERT_EQ(packet.descriptor(j), sample.descriptor[j]);
        ASSERT_EQ(packet.payload_bytes, sample.payload.size());
        ASSERT_TRUE(std::equal(sample.payload.begin(), sample.payload.end(), packet.payload));
    }
    EXPECT_EQ(kinds.size(), 25U);
    EXPECT_GT(*lengths.rbegin(), 30000U);
}

TEST(Property, TheLargestPackets) {
    for (std::size_t arguments : {0U, 1U, 32U}) {
        const std::size_t most = 8 * (kLargestWords - 3 - (arguments + 1) / 2);
        const std::vector<std::uint32_t> values(arguments, 7);
        const std::vector<std::byte> payload(most + 1, std::byte{0x5a});
        std::vector<std::byte> room(40000);
        const Head head{.kind = Kind::put};
        const std::size_t bytes = encode(room, head, {}, values, std::span(payload).first(most));
        ASSERT_EQ(bytes, 8 * kLargestWords);
        Packet packet;
        ASSERT_EQ(decode(std::span(room).first(bytes), packet), Verdict::accepted);
        EXPECT_EQ(packet.payload_bytes, most);
        EXPECT_EQ(encode(room, head, {}, values, payload), 0U);
    }
    std::vector<std::byte> room(400);
    EXPECT_EQ(encode(room, {}, {}, std::vector<std::uint32_t>(33)), 0U);
    const std::vector<std::uint64_t> words(kLargestWords - 2);
    EXPECT_EQ(encode(room, {}, words), 0U);
    std::size_t padding = 0;
    EXPECT_EQ(encode_head(room, {}, {}, {}, ~std::size_t{0}, padding), 0U);
}

// A head alone, for payload that lies elsewhere, is the whole packet's beginning.
TEST(Property, HeadsAreThoseOfWholePackets) {
    Random random(start());
    for (int i = 0; i < 20000; ++i) {
        const Sample sample = random_packet(random);
        const std::vector<std::byte> whole = sample.bytes();
        std::vector<std::byte> head(whole.size());
        std::size_t padding = 99;
        const std::size_t bytes = encode_head(head, sample.head, sample.descriptor,
                                              sample.arguments, sample.payload.size(), padding);
        ASSERT_EQ(bytes + sample.payload.size() + padding, whole.size());
        ASSERT_LT(padding, 8U);
        ASSERT_TRUE(std::equal(head.begin(), head.begin() + static_cast<std::ptrdiff_t>(bytes),
                               whole.begin()));
    }
}

TEST(Property, ChangedPacketsAreFoundOutOrLegal) {
    Random random(start());
    Node node;
    std::set<std::string_view> causes;
    for (int i = 0; i < 200000; ++i) {
        std::vector<std::byte> bytes = random_packet(random).bytes();
        // Mostly near the front, where the fields are.
        for (auto changes = 1 + random.below(3); changes > 0; --changes) {
            const std::size_t within =
                random.is_once_in(8) ? bytes.size() : std::min<std::size_t>(bytes.size(), 48);
            bytes[random.below(within)] ^= static_cast<std::byte>(1U << random.below(8));
        }
        if (random.is_once_in(8)) bytes.resize(random.below(bytes.size() + 1));
        if (random.is_once_in(8)) bytes.resize(bytes.size() + random.below(40));
        bytes.shrink_to_fit();
        ASSERT_EQ(node.look_at(bytes), "") << "number " << i;
        Packet packet;
        causes.insert(name_of(decode(bytes, packet)));
    }
    // Every cause that a packet can have by itself came up.
    for (int number = 1; number < static_cast<int>(Verdict::wrong_source); ++number)
        EXPECT_TRUE(causes.count(name_of(static_cast<Verdict>(number))))
            << name_of(static_cast<Verdict>(number));
    EXPECT_GT(node.taken, 100U);
}

TEST(Property, BytesAtRandomAreNoTrouble) {
    Random random(start());
    Node node;
    for (int i = 0; i < 200000; ++i) {
        std::vector<std::byte> bytes(random.below(120));
        for (std::byte& byte : bytes)
            byte = static_cast<std::byte>(random.is_once_in(3) ? 0 : random.next());
        ASSERT_EQ(node.look_at(bytes), "");
        ASSERT_EQ(look_at_datagram(bytes, node), "");
    }
}

TEST(Property, DatagramsComeBack) {
    Random random(start());
    Node node;
    for (int i = 0; i < 50000; ++i) {
        Delivery delivery;
        delivery.connection = static_cast<std::uint32_t>(random.next());
        delivery.number = static_cast<std::uint32_t>(random.next());
        delivery.expected = static_cast<std::uint32_t>(random.next());
        delivery.is_timed = random.is_once_in(2);
        if (delivery.is_timed) {
            delivery.sent = static_cast<std::uint32_t>(random.next());
            delivery.echo = static_cast<std::uint32_t>(random.next());
        }
        delivery.sack_words = static_cast<std::uint32_t>(random.below(kMostSackWords + 1));
        for (std::uint32_t j = 0; j < delivery.sack_words; ++j)
            delivery.sack[j] = random.is_once_in(3) ? 0 : random.next();

        std::vector<std::byte> datagram(kMostDeliveryBytes);
        datagram.resize(encode_delivery(datagram, delivery));
        std::vector<std::byte> packets;
        for (auto count = random.below(4); count > 0; --count) {
            const std::vector<std::byte> one = random_packet(random).bytes();
            packets.insert(packets.end(), one.begin(), one.end());
        }
        datagram.insert(datagram.end(), packets.begin(), packets.end());
        datagram.resize(datagram.size() + kMacBytes);
        const auto mac = [](Bytes bytes) {
            std::uint64_t sum = 1;
            for (std::size_t j = 0; j < bytes.size() / 8; ++j)
                sum = (sum ^ load_word(bytes.data(), j)) * 0x9e3779b97f4a7c15;
            return sum;
        };
        constexpr std::uint64_t k32 = std::uint64_t{1} << 32;
        const std::uint64_t uppers = upper_halves(5 * k32 + delivery.number, delivery.expected);
        seal(datagram, uppers, mac);
        ASSERT_TRUE(has_right_mac(datagram, uppers, mac));
        // Both upper halves count, whether there are packets or not.
        ASSERT_FALSE(has_right_mac(datagram, upper_halves(6 * k32, 0), mac));
        ASSERT_FALSE(has_right_mac(datagram, upper_halves(5 * k32, k32), mac));
        ASSERT_EQ(look_at_datagram(datagram, node), "");

        Delivery read;
        Bytes inside;
        ASSERT_EQ(decode_delivery(datagram, read, inside), Verdict::accepted);
        ASSERT_TRUE(std::equal(inside.begin(), inside.end(), packets.begin(), packets.end()));
        ASSERT_EQ(read.connection, delivery.connection);
        ASSERT_EQ(read.number, delivery.number);
        ASSERT_EQ(read.expected, delivery.expected);
        ASSERT_EQ(read.sent, delivery.sent);
        ASSERT_EQ(read.echo, delivery.echo);
        for (std::uint32_t j = 0; j < kMostSackWords; ++j)
            ASSERT_EQ(read.sack[j], delivery.sack[j]);
        std::uint32_t end = 0;
        for (std::uint32_t j = 0; j < 300; ++j) {
            if (read.has_received(j)) end = j + 2;
        }
        ASSERT_EQ(read.sack_end(), end);
        // A bit anywhere.
        datagram[random.below(datagram.size())] ^= static_cast<std::byte>(1U << random.below(8));
        ASSERT_FALSE(has_right_mac(datagram, uppers, mac));
        ASSERT_EQ(look_at_datagram(datagram, node), "");
    }
    Delivery delivery;
    delivery.sack_words = kMostSackWords + 1;
    std::vector<std::byte> room(1000);
    EXPECT_EQ(encode_delivery(room, delivery), 0U);
}

}  // namespace
}  // namespace isthmus::packet::test
