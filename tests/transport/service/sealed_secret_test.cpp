// What opens a sealed secret: the key that it was sealed for, and nothing else.
#include "transport/service/sealed_secret.hpp"

#include <gtest/gtest.h>
#include <sodium.h>

#include <cstring>
#include <set>
#include <vector>

using namespace isthmus::transport;
using namespace isthmus::transport::service;

namespace {

constexpr JobSecret kSecret{1, 2, 3};
constexpr JobSecret kBefore{9};

KeyPair drawn() {
    KeyPair pair;
    EXPECT_TRUE(draw_host_keys(pair));
    return pair;
}

SealedSecret sealed_for(const KeyPair& pair) {
    SealedSecret sealed{};
    EXPECT_TRUE(seal_secret(kSecret, pair.shown, sealed));
    return sealed;
}

// Leaves what was there if it is refused.
bool opens(const void* sealed, std::size_t bytes, const KeyPair& pair) {
    JobSecret secret = kBefore;
    const bool is_open = open_secret(sealed, bytes, pair, secret);
    EXPECT_EQ(secret, is_open ? kSecret : kBefore);
    return is_open;
}

TEST(SealedSecret, OpensForWhomItIs) {
    const KeyPair pair = drawn();
    const SealedSecret sealed = sealed_for(pair);
    EXPECT_TRUE(opens(sealed.data(), sealed.size(), pair));
    EXPECT_FALSE(opens(sealed.data(), sealed.size(), drawn()));
    KeyPair half = pair;  // who has heard what is shown
    half.kept = drawn().kept;
    EXPECT_FALSE(opens(sealed.data(), sealed.size(), half));
}

TEST(SealedSecret, EveryBitCounts) {
    const KeyPair pair = drawn();
    const SealedSecret sealed = sealed_for(pair);
    for (std::size_t bit = 0; bit < 8 * sealed.size(); ++bit) {
        // That of the front key which X25519 leaves out is covered by the hash of the nonce.
        SealedSecret other = sealed;
        other[bit / 8] = static_cast<unsigned char>(other[bit / 8] ^ 1U << bit % 8);
        ASSERT_FALSE(opens(other.data(), other.size(), pair)) << bit;
    }
}

TEST(SealedSecret, HasOneLength) {
    const KeyPair pair = drawn();
    const SealedSecret sealed = sealed_for(pair);
    std::vector<unsigned char> longer(sealed.begin(), sealed.end());
    longer.push_back(0);
    for (std::size_t bytes = 0; bytes <= longer.size(); ++bytes) {
        // Of its own, so that a sanitizer sees a byte too many.
        const std::vector<unsigned char> part(longer.begin(),
                                              longer.begin() + static_cast<long>(bytes));
        EXPECT_EQ(opens(part.data(), part.size(), pair), bytes == sealed.size()) << bytes;
    }
}

// Also if it was sealed as it should be: everybody can do that who knows what is shown.
TEST(SealedSecret, IsNothingElseThatWasSealed) {
    const KeyPair pair = drawn();
    for (const std::size_t bytes : {std::size_t{0}, kSecret.size() - 1, kSecret.size() + 1}) {
        const std::vector<unsigned char> text(bytes + 1);
        std::vector<unsigned char> sealed(bytes + crypto_box_SEALBYTES);
        ASSERT_EQ(crypto_box_seal(sealed.data(), text.data(), bytes, pair.shown.data()), 0);
        EXPECT_FALSE(opens(sealed.data(), sealed.size(), pair)) << bytes;
    }
}

// Nothing can be compared with what was heard before.
TEST(SealedSecret, IsAnotherOneEachTime) {
    const KeyPair pair = drawn();
    std::set<SealedSecret> sealed;
    std::set<HostKey> shown;
    for (int turn = 0; turn < 10; ++turn) {
        sealed.insert(sealed_for(pair));
        shown.insert(drawn().shown);
    }
    EXPECT_EQ(sealed.size(), 10u);
    EXPECT_EQ(shown.size(), 10u);
    const SealedSecret one = sealed_for(pair);
    EXPECT_EQ(memmem(one.data(), one.size(), kSecret.data(), kSecret.size()), nullptr);
}

// With these X25519 makes the same of every key, which who listens knows.
TEST(SealedSecret, IsNotMadeForAKeyThatIsNone) {
    SealedSecret sealed{7};
    const SealedSecret before = sealed;
    HostKey weak{};
    EXPECT_FALSE(seal_secret(kSecret, weak, sealed));
    weak[0] = 1;
    EXPECT_FALSE(seal_secret(kSecret, weak, sealed));
    EXPECT_EQ(sealed, before);
}

}  // namespace
