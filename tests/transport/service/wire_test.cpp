#include "transport/service/wire.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "transport/perform.hpp"
#include "transport/service/answer.hpp"

using namespace isthmus::transport;
using namespace isthmus::transport::service;

namespace {

std::vector<char> bytes_of(const Request& request, std::size_t payload = 0) {
    const std::size_t head = has_payload(request.kind) ? sizeof request : kShortRequest;
    std::vector<char> bytes(head + payload);
    std::memcpy(bytes.data(), &request, head);
    return bytes;
}

Request request_of(RequestKind kind) {
    Request request;
    request.from = 1;
    request.kind = kind;
    return request;
}

bool parses(const std::vector<char>& bytes) {
    Request request;
    const char* payload = nullptr;
    return parse(bytes.data(), bytes.size(), 4, request, payload);
}

}  // namespace

TEST(Wire, TakesWhatItSends) {
    EXPECT_TRUE(parses(bytes_of(request_of(RequestKind::flush))));
    Request put = request_of(RequestKind::put_signal);
    put.bytes = 100;
    EXPECT_TRUE(parses(bytes_of(put, 100)));
}

// A request in a frame is as long as its payload makes it.
TEST(Wire, TakesFrames) {
    Posted posted{};
    posted.from = 3;
    posted.code = static_cast<std::uint32_t>(posted_word(3) >> 32 | frame_code(0x1234) >> 32);
    for (const std::size_t count : {std::size_t{0}, std::size_t{9}, kRequestBytes}) {
        std::vector<char> bytes(sizeof posted + count, 'x');
        std::memcpy(bytes.data(), &posted, sizeof posted);
        Request request;
        const char* payload = nullptr;
        ASSERT_TRUE(parse(bytes.data(), bytes.size(), 4, request, payload));
        EXPECT_EQ(request.kind, RequestKind::post);
        EXPECT_EQ(request.from, 3u);
        EXPECT_EQ(request.operand, 0x1234u);
        EXPECT_EQ(request.bytes, count);
        EXPECT_EQ(payload, bytes.data() + sizeof posted);
        EXPECT_FALSE(parse(bytes.data(), sizeof posted - 1, 4, request, payload));
        EXPECT_FALSE(parse(bytes.data(), bytes.size(), 3, request, payload));
    }
    std::vector<char> bytes(sizeof posted + kRequestBytes + 1);
    std::memcpy(bytes.data(), &posted, sizeof posted);
    EXPECT_FALSE(parses(bytes));
}

TEST(Wire, RefusesBrokenLengths) {
    Request request = request_of(RequestKind::flush);
    std::vector<char> bytes = bytes_of(request);
    bytes.pop_back();
    EXPECT_FALSE(parses(bytes));
    bytes.resize(kShortRequest + 1);
    EXPECT_FALSE(parses(bytes));
    request = request_of(RequestKind::flush);
    request.from = 4;
    EXPECT_FALSE(parses(bytes_of(request)));
    request = request_of(RequestKind::count);
    EXPECT_FALSE(parses(bytes_of(request)));
    Request put = request_of(RequestKind::put_signal);
    put.bytes = 100;
    EXPECT_FALSE(parses(bytes_of(put, 99)));
    put.bytes = kRequestBytes + 1;
    EXPECT_FALSE(parses(bytes_of(put, kRequestBytes + 1)));
    EXPECT_FALSE(parses({}));
}

TEST(Wire, AnyBytesAreRefusedOrWhole) {
    std::mt19937_64 random(1);
    for (int i = 0; i < 200000; ++i) {
        std::vector<char> bytes(random() % (sizeof(Request) + 64));
        for (char& byte : bytes)
            byte = static_cast<char>(random());
        Request request;
        const char* payload = nullptr;
        if (!parse(bytes.data(), bytes.size(), 4, request, payload)) continue;
        ASSERT_LT(request.from, 4u);
        ASSERT_LT(request.kind, RequestKind::count);
        if (!has_payload(request.kind)) continue;
        ASSERT_EQ(payload + request.bytes, bytes.data() + bytes.size());
    }
}

TEST(Wire, LocatesOnlyWhatIsPublished) {
    char memory[64];
    const Segment segments[kSegments] = {{memory, sizeof memory}, {}};
    EXPECT_EQ(locate(segments, kHeap, 0, 64), memory);
    EXPECT_EQ(locate(segments, kHeap, 56, 8), memory + 56);
    EXPECT_EQ(locate(segments, kHeap, 57, 8), nullptr);
    EXPECT_EQ(locate(segments, kHeap, ~std::uint64_t{0}, 8), nullptr);
    EXPECT_EQ(locate(segments, kHeap, 8, ~std::uint64_t{0}), nullptr);
    EXPECT_EQ(locate(segments, kData, 0, 1), nullptr);
    EXPECT_EQ(locate(segments, kSegments, 0, 1), nullptr);
    EXPECT_EQ(locate(segments, 1u << 31, 0, 1), nullptr);
}

TEST(Perform, DoesEachKindAtEachWidth) {
    for (const int width : {2, 4, 8}) {
        const std::uint64_t mask = width == 8 ? ~std::uint64_t{0} : (1ull << (8 * width)) - 1;
        for (int kind = 0; kind < static_cast<int>(AtomicKind::count); ++kind) {
            alignas(8) std::uint64_t word = 0x0102030405060708;
            const std::uint64_t before = word & mask;
            Atomic atomic{static_cast<AtomicKind>(kind), static_cast<std::uint8_t>(width),
                          0xf0f1f2f3f4f5f6f7, before};
            std::uint64_t seen = before;
            ASSERT_TRUE(perform(&word, atomic, seen));
            EXPECT_EQ(seen, before);
            const std::uint64_t operand = atomic.operand & mask;
            std::uint64_t expected = before;
            switch (atomic.kind) {
                case AtomicKind::set:
                case AtomicKind::swap:
                case AtomicKind::compare_swap: expected = operand; break;
                case AtomicKind::add: expected = (before + operand) & mask; break;
                case AtomicKind::bit_and: expected = before & operand; break;
                case AtomicKind::bit_or: expected = before | operand; break;
                case AtomicKind::bit_xor: expected = before ^ operand; break;
                // As a signed number the operand is negative at each width.
                case AtomicKind::minimum: expected = operand; break;
                case AtomicKind::maximum: expected = before; break;
                default: break;
            }
            EXPECT_EQ(word & mask, expected) << "kind " << kind << ", width " << width;
            EXPECT_EQ(word & ~mask, 0x0102030405060708 & ~mask) << "touched its neighbours";
        }
    }
}

TEST(Perform, ComparesSignedNumbers) {
    std::int32_t word = -5;
    std::uint64_t before = 0;
    const auto raised = [&](AtomicKind kind, std::int32_t operand) {
        EXPECT_TRUE(perform(&word, {kind, 4, static_cast<std::uint64_t>(operand), 0}, before));
        return word;
    };
    EXPECT_EQ(raised(AtomicKind::maximum, -7), -5);
    EXPECT_EQ(raised(AtomicKind::maximum, 3), 3);
    EXPECT_EQ(static_cast<std::int32_t>(before), -5);
    EXPECT_EQ(raised(AtomicKind::minimum, 4), 3);
    EXPECT_EQ(raised(AtomicKind::minimum, -4), -4);
}

TEST(Perform, RefusesWhatThereIsNot) {
    alignas(8) std::uint64_t words[2] = {};
    std::uint64_t before = 0;
    char* const memory = reinterpret_cast<char*>(words);
    EXPECT_FALSE(perform(memory + 1, {AtomicKind::add, 4, 1, 0}, before));
    EXPECT_FALSE(perform(memory, {AtomicKind::add, 3, 1, 0}, before));
    EXPECT_FALSE(perform(memory, {AtomicKind::add, 0, 1, 0}, before));
    EXPECT_FALSE(perform(memory, {AtomicKind::count, 8, 1, 0}, before));
    EXPECT_EQ(words[0], 0u);
}

TEST(Answers, OldAndInventedOnesChangeNothing) {
    AnswerSlot* const slot = own_slot();
    ASSERT_NE(slot, nullptr);
    const std::uint64_t first = arm(*slot, 1);
    EXPECT_TRUE(deliver(first, 5));
    EXPECT_EQ(slot->value, 5u);
    EXPECT_FALSE(deliver(first, 6));
    const std::uint64_t second = arm(*slot, 2);
    EXPECT_NE(first, second);
    EXPECT_FALSE(deliver(first, 7));
    EXPECT_FALSE(deliver(second + kAnswerSlots, 8));
    EXPECT_TRUE(deliver(second, 9));
    EXPECT_EQ(slot->left.load(), 1);
    EXPECT_TRUE(deliver(second, 10));
    EXPECT_FALSE(deliver(second, 11));
    EXPECT_EQ(slot->value, 10u);
}

// Every beginning and length: what is put is there, and nothing beside it.
TEST(Wire, PutBytesComeWholeAndAlone) {
    constexpr std::size_t kRoom = 64;
    char source[kRoom];
    for (std::size_t i = 0; i < kRoom; ++i)
        source[i] = static_cast<char>(i + 1);
    for (std::size_t at = 0; at < 16; ++at) {
        for (std::size_t bytes = 0; at + bytes <= 48; ++bytes) {
            alignas(8) char memory[kRoom] = {};
            store_words(memory + at, source, bytes);
            for (std::size_t i = 0; i < kRoom; ++i)
                ASSERT_EQ(memory[i], i >= at && i < at + bytes ? source[i - at] : 0)
                    << at << " " << bytes << " " << i;
        }
    }
}
