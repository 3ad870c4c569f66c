// Who may say what to whom, and once.
#include "transport/service/seal.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <random>
#include <set>
#include <vector>

using namespace isthmus::transport;
using namespace isthmus::transport::service;

namespace {

constexpr JobSecret kSecret{1, 2, 3};
constexpr int kPes = 3;

Seals of(int me, std::uint64_t session = 0, Purpose purpose = Purpose::request,
         const JobSecret& secret = kSecret) {
    return Seals(secret, session, purpose, me, kPes);
}

std::vector<char> letter(Seals& from, int to, std::size_t bytes = 64) {
    std::vector<char> message(bytes, 'x');
    from.seal(to, message.data(), message.size());
    return message;
}
bool opens(Seals& by, const std::vector<char>& message) {
    return by.open(message.data(), message.size());
}

TEST(Seals, OpensWhatItsTargetIsSentAndOnce) {
    Seals sender = of(1);
    Seals target = of(2);
    for (const std::size_t bytes :
         {kSealBytes, std::size_t{64}, std::size_t{65}, std::size_t{2128}}) {
        const std::vector<char> message = letter(sender, 2, bytes);
        EXPECT_TRUE(opens(target, message));
        EXPECT_EQ(Seals::sender_of(message.data()), 1);
        EXPECT_FALSE(opens(target, message)) << "replayed";
    }
    EXPECT_EQ(target.whole(1), 4u);
}

// Numbers, senders and lengths are as ever.
TEST(Seals, LeaveTheHashToALinkThatProves) {
    Seals sender(kSecret, 0, Purpose::request, 1, kPes, ProvedBy::link);
    Seals target(kSecret, 0, Purpose::request, 2, kPes, ProvedBy::link);
    std::vector<char> message = letter(sender, 2);
    std::uint64_t tag[2] = {1, 1};
    std::memcpy(tag, message.data(), sizeof tag);
    EXPECT_EQ(tag[0] | tag[1], 0U);
    EXPECT_EQ(Seals::sender_of(message.data()), 1);
    EXPECT_TRUE(opens(target, message));
    EXPECT_FALSE(opens(target, message)) << "replayed";
    message = letter(sender, 2);
    message[offsetof(Seal, from)] = kPes;
    EXPECT_FALSE(opens(target, message)) << "nobody's";
    EXPECT_FALSE(opens(target, std::vector<char>(kSealBytes - 1)));
    // Of a link that proves nothing it is no message.
    Seals careful = of(2);
    message = letter(sender, 2);
    EXPECT_FALSE(opens(careful, message));
    sender.seal_rest(2, message.data(), message.size());
    EXPECT_TRUE(opens(target, message));
    sender.seal_again(2, 9, message.data(), message.size());
    EXPECT_TRUE(opens(target, message));
    EXPECT_EQ(target.whole(1), 1U);
}

TEST(Seals, EveryBitCounts) {
    Seals sender = of(1);
    Seals target = of(2);
    const std::vector<char> message = letter(sender, 2, 80);
    for (std::size_t bit = 0; bit < 8 * message.size(); ++bit) {
        std::vector<char> other = message;
        other[bit / 8] = static_cast<char>(other[bit / 8] ^ 1 << bit % 8);
        ASSERT_FALSE(opens(target, other)) << bit;
    }
    for (std::size_t bytes = 0; bytes < message.size(); ++bytes)
        ASSERT_FALSE(opens(target, {message.begin(), message.begin() + static_cast<long>(bytes)}));
    std::vector<char> longer = message;
    longer.push_back('\0');
    EXPECT_FALSE(opens(target, longer));
    EXPECT_TRUE(opens(target, message)) << "none of those has used up its number";
}

// What is for one does not open at another, nor comes back to its sender, nor opens in another
// session of the same job, nor as a beat, nor in another job.
TEST(Seals, AreForOneTargetSessionAndPurpose) {
    Seals sender = of(1);
    const std::vector<char> message = letter(sender, 2);
    Seals other = of(0);
    EXPECT_FALSE(opens(other, message));
    EXPECT_FALSE(opens(sender, message));
    Seals later = of(2, 1);
    EXPECT_FALSE(opens(later, message));
    Seals beats = of(2, 0, Purpose::beat);
    EXPECT_FALSE(opens(beats, message));
    JobSecret last = kSecret;
    last.back() ^= 1;
    Seals stranger = of(2, 0, Purpose::request, last);
    EXPECT_FALSE(opens(stranger, message));
}

TEST(Seals, ANumberThatDidNotLeaveIsGivenAgain) {
    Seals sender = of(1);
    Seals target = of(2);
    const auto number = [](const std::vector<char>& message) {
        std::uint64_t read = 0;
        std::memcpy(&read, message.data() + offsetof(Seal, number), sizeof read);
        return read;
    };
    const std::vector<char> unsent = letter(sender, 2);
    sender.take_back(2, number(unsent));
    EXPECT_EQ(number(letter(sender, 2)), number(unsent));
    const std::vector<char> late = letter(sender, 2);
    const std::vector<char> next = letter(sender, 2);
    sender.take_back(2, number(late));  // too late: the next has been sealed
    EXPECT_EQ(number(letter(sender, 2)), number(next) + 1);
}

TEST(Keys, DifferByAllThatTheyAreFor) {
    std::set<std::array<unsigned char, 16>> known;
    const auto key = [](std::uint64_t session, Purpose purpose, int from, int to) {
        std::array<unsigned char, 16> made{};
        derive_key(kSecret, session, purpose, from, to, made.data(), made.size());
        return made;
    };
    std::size_t count = 0;
    for (std::uint64_t session = 0; session < 3; ++session) {
        for (const Purpose purpose : {Purpose::request, Purpose::beat, Purpose::memory}) {
            for (int from = 0; from < 4; ++from) {
                for (int to = 0; to < 4; ++to, ++count)
                    known.insert(key(session, purpose, from, to));
            }
        }
    }
    EXPECT_EQ(known.size(), count);
    EXPECT_EQ(key(1, Purpose::beat, 2, 3), key(1, Purpose::beat, 2, 3));
}

TEST(Cover, IsTakenOffByTheSameSecretPeAndNumber) {
    const std::vector<unsigned char> told(80, 'x');
    const auto covered = [&](int pe, std::uint64_t number, const JobSecret& secret = kSecret,
                             std::uint64_t session = 0) {
        std::vector<unsigned char> bytes = told;
        cover(secret, session, pe, number, bytes.data(), bytes.size());
        return bytes;
    };
    std::set<std::vector<unsigned char>> known{told};
    for (int pe = 0; pe < 3; ++pe) {
        for (std::uint64_t number = 0; number < 3; ++number)
            known.insert(covered(pe, number));
    }
    known.insert(covered(0, 0, JobSecret{9}));
    known.insert(covered(0, 0, kSecret, 1));
    EXPECT_EQ(known.size(), 12u);
    std::vector<unsigned char> bytes = covered(2, 1);
    cover(kSecret, 0, 2, 1, bytes.data(), bytes.size());
    EXPECT_EQ(bytes, told);
}

TEST(Numbers, AreTakenOnceInAnyOrder) {
    std::mt19937 random(1);
    for (int turn = 0; turn < 20; ++turn) {
        std::vector<std::uint64_t> order(500);
        for (std::size_t i = 0; i < order.size(); ++i)
            order[i] = i + 1;
        std::shuffle(order.begin(), order.end(), random);
        Numbers numbers;
        for (std::size_t i = 0; i < order.size(); ++i) {
            ASSERT_TRUE(numbers.take(order[i]));
            ASSERT_FALSE(numbers.take(order[random() % (i + 1)]));
        }
        EXPECT_EQ(numbers.whole(), order.size());
        EXPECT_FALSE(numbers.take(0));
    }
}

TEST(Numbers, AreWholeUpToTheFirstGap) {
    Numbers numbers;
    EXPECT_EQ(numbers.whole(), 0u);
    for (const std::uint64_t number : {1u, 2u, 5u, 7u})
        EXPECT_TRUE(numbers.take(number));
    EXPECT_EQ(numbers.whole(), 2u);
    EXPECT_TRUE(numbers.take(3));
    EXPECT_EQ(numbers.whole(), 3u);
    EXPECT_TRUE(numbers.take(4));
    EXPECT_EQ(numbers.whole(), 5u);
    EXPECT_TRUE(numbers.take(6));
    EXPECT_EQ(numbers.whole(), 7u);
}

TEST(Numbers, KeepSoManyGapsAndNoMore) {
    Numbers numbers;
    for (std::uint64_t i = 1; i <= Numbers::kGaps + 1; ++i)
        ASSERT_TRUE(numbers.take(2 * i));
    EXPECT_FALSE(numbers.take(1)) << "the oldest is given up";
    EXPECT_TRUE(numbers.take(3));
    EXPECT_FALSE(numbers.take(3));
}

}  // namespace
