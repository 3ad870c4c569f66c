#include "packet/answer.hpp"

#include <gtest/gtest.h>

#include "packet/admit.hpp"
#include "packet/datagram.hpp"
#include "vector.hpp"
#ifdef ISTHMUS_TEST_SODIUM
#include <sodium.h>
#endif

namespace isthmus::packet::test {
namespace {

Packet decoded(std::span<std::byte> room, const Head& head,
               std::span<const std::uint64_t> descriptor = {}) {
    const std::size_t bytes = encode(room, head, descriptor);
    Packet packet;
    EXPECT_EQ(decode(room.first(bytes), packet), Verdict::accepted);
    return packet;
}

TEST(Answer, GoesBackWithTheToken) {
    std::byte room[64];
    const Packet packet = decoded(
        room, {.kind = Kind::flush, .destination = 3, .source = 9, .credits = 4, .token = 77});
    const Head ack = answer_to(packet, Kind::ack);
    EXPECT_EQ(ack.kind, Kind::ack);
    EXPECT_EQ(ack.stream, Stream::reply);
    EXPECT_EQ(ack.destination, 9);
    EXPECT_EQ(ack.source, 3);
    EXPECT_EQ(ack.token, 77U);
    EXPECT_EQ(ack.credits, 0);  // of another direction: the caller's
}

TEST(Answer, HeartbeatsAnswerHeartbeats) {
    std::byte room[64];
    const std::uint64_t state[] = {5};
    const Packet packet = decoded(
        room, {.kind = Kind::heartbeat, .stream = Stream::control, .acknowledge = true}, state);
    EXPECT_EQ(packet.descriptor(0), 5U);
    EXPECT_EQ(answer_to(packet, Kind::heartbeat).stream, Stream::control);
}

TEST(Answer, ReplyAndControlAreNotRefused) {
    std::byte room[64];
    for (const Stream stream : {Stream::reply, Stream::control}) {
        const std::size_t bytes = encode(room, {.kind = Kind::get, .stream = stream});
        Packet packet;
        const Verdict cause = decode(Bytes(room, bytes), packet);
        EXPECT_EQ(cause, Verdict::wrong_stream);
        EXPECT_FALSE(nack_for(Bytes(room, bytes), cause));
    }
    EXPECT_FALSE(nack_for(Bytes(room, 23), Verdict::too_short));
}

TEST(Answer, CellsAreCountedForWhatIsQueued) {
    std::byte room[512];
    EXPECT_EQ(cells_of(decoded(room, {.kind = Kind::short_message})), 1U);
    EXPECT_EQ(cells_of(decoded(room, {.kind = Kind::put})), 0U);
    const std::byte payload[41] = {};
    Packet packet;
    for (const auto& [bytes, cells] : {std::pair{40U, 1U}, std::pair{41U, 2U}}) {
        const std::size_t written =
            encode(room, {.kind = Kind::medium_message}, {}, {}, Bytes(payload, bytes));
        ASSERT_EQ(decode(Bytes(room, written), packet), Verdict::accepted);
        EXPECT_EQ(cells_of(packet), cells);
    }
}

TEST(Stream, LengthIsKnownFromTheFirstWord) {
    std::byte room[64];
    const std::size_t bytes = encode(room, {.kind = Kind::flush});
    EXPECT_EQ(packet_bytes(Bytes(room, 7)), 0U);
    EXPECT_EQ(packet_bytes(Bytes(room, 8)), bytes);
    const std::uint64_t two_words = route_word::last_word.in(1);
    std::memcpy(room, &two_words, sizeof two_words);
    EXPECT_EQ(packet_bytes(Bytes(room, 64)), 0U);
}

TEST(Numbers, AreWidenedToTheNearest) {
    constexpr std::uint64_t k32 = std::uint64_t{1} << 32;
    EXPECT_EQ(widen(5, 3), 5U);
    EXPECT_EQ(widen(3, 5), 3U);
    EXPECT_EQ(widen(1, k32 - 2), k32 + 1);
    EXPECT_EQ(widen(0xffffffff, k32 + 1), k32 - 1);
    EXPECT_EQ(widen(7, 9 * k32 + 7), 9 * k32 + 7);
    // There is nothing before 0.
    EXPECT_EQ(widen(0xffffffff, 1), 0xffffffffU);
    EXPECT_EQ(widen(0x80000000, 0), 0x80000000U);
}

#ifdef ISTHMUS_TEST_SODIUM
// The function that all nodes have is libsodium's crypto_shorthash.
TEST(Mac, OfTheVectorsIsSipHash) {
    const std::vector<std::byte>& key = vectors().key;
    ASSERT_EQ(key.size(), crypto_shorthash_KEYBYTES);
    const auto siphash = [&](Bytes bytes) {
        std::uint64_t hash = 0;
        crypto_shorthash(reinterpret_cast<unsigned char*>(&hash),
                         reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(),
                         reinterpret_cast<const unsigned char*>(key.data()));
        return hash;
    };
    constexpr std::uint64_t k32 = std::uint64_t{1} << 32;
    int looked_at = 0;
    for (const Vector& vector : vectors().list) {
        if (!vector.is_datagram || vector.verdict != "accepted") continue;
        SCOPED_TRACE(vector.name);
        std::vector<std::byte> datagram = vector.bytes;
        EXPECT_TRUE(has_right_mac(datagram, 0, siphash));
        EXPECT_FALSE(has_right_mac(datagram, upper_halves(k32, 0), siphash));
        EXPECT_FALSE(has_right_mac(datagram, upper_halves(0, k32), siphash));
        datagram[9] ^= std::byte{1};
        EXPECT_FALSE(has_right_mac(datagram, 0, siphash));
        ++looked_at;
    }
    EXPECT_GT(looked_at, 10);
}
#else
TEST(Mac, OfTheVectorsIsSipHash) {
    GTEST_SKIP() << "libsodium was not found: tools/install-packages.sh --test";
}
#endif

}  // namespace
}  // namespace isthmus::packet::test
