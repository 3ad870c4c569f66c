// The hash of datagrams: which function it is, and that all of a datagram and all of both keys have
// a part in it.
#include <gtest/gtest.h>

#include <cstring>
#include <set>
#include <vector>

#include "transport/packet/mac.hpp"

using namespace isthmus::transport::packet;

namespace {

constexpr std::size_t kLong = DatagramMac::kLong;

struct Keys {
    DatagramMac::Key brief{};
    Proof for_long{};
    Keys() {
        for (std::size_t i = 0; i < brief.size(); ++i)
            brief[i] = static_cast<unsigned char>(i);
        for (std::size_t i = 0; i < for_long.size(); ++i)
            for_long[i] = static_cast<unsigned char>(100 + i);
    }
    DatagramMac mac(bool with_aes) const {
        DatagramMac mac;
        mac.begin(brief, for_long, with_aes);
        return mac;
    }
};

std::vector<std::byte> datagram(std::size_t bytes) {
    std::vector<std::byte> made(bytes);
    for (std::size_t i = 0; i < bytes; ++i)
        made[i] = static_cast<std::byte>(i * 7 + 1);
    return made;
}

std::uint64_t siphash(const void* bytes, std::size_t count, const Keys& keys) {
    std::uint64_t hash = 0;
    crypto_shorthash(reinterpret_cast<unsigned char*>(&hash),
                     static_cast<const unsigned char*>(bytes), count, keys.brief.data());
    return hash;
}

// Those of hosts with the instructions, and of others.
class DatagramMacs : public testing::TestWithParam<bool> {
  protected:
    void SetUp() override {
        ASSERT_GE(sodium_init(), 0);
        if (GetParam() && crypto_aead_aes256gcm_is_available() == 0)
            GTEST_SKIP() << "this processor has no instructions for AES";
    }
};

INSTANTIATE_TEST_SUITE_P(Packet, DatagramMacs, testing::Bool(),
                         [](const auto& with_aes) { return with_aes.param ? "Aes" : "SipHash"; });

TEST_P(DatagramMacs, AreSipHashOfShortOnes) {
    const Keys keys;
    for (const std::size_t bytes : {std::size_t{32}, std::size_t{64}, kLong - 8}) {
        const auto each = datagram(bytes);
        EXPECT_EQ(keys.mac(GetParam())(each), siphash(each.data(), bytes, keys)) << bytes;
    }
}

TEST_P(DatagramMacs, AreOfLongOnesWhatTheFormatSays) {
    const Keys keys;
    for (const std::size_t bytes : {kLong, std::size_t{1472}, std::size_t{8968}}) {
        const auto each = datagram(bytes);
        std::uint64_t right = siphash(each.data(), bytes, keys);
        if (GetParam()) {
            unsigned char brief[16];
            const unsigned char nonce[12] = {};
            crypto_aead_aes256gcm_encrypt_detached(
                brief, brief, nullptr, nullptr, 0,
                reinterpret_cast<const unsigned char*>(each.data()), bytes, nullptr, nonce,
                keys.for_long.data());
            right = siphash(brief, sizeof brief, keys);
        }
        EXPECT_EQ(keys.mac(GetParam())(each), right) << bytes;
    }
}

TEST_P(DatagramMacs, ChangeWithEachBitAndEachLength) {
    const Keys keys;
    const DatagramMac mac = keys.mac(GetParam());
    std::set<std::uint64_t> all;
    std::size_t tried = 0;
    for (const std::size_t bytes : {std::size_t{32}, kLong, std::size_t{1472}}) {
        auto each = datagram(bytes);
        all.insert(mac(each));
        ++tried;
        for (std::size_t bit = 0; bit < 8 * bytes; ++bit, ++tried) {
            const auto flip = static_cast<std::byte>(1U << bit % 8);
            each[bit / 8] ^= flip;
            all.insert(mac(each));
            each[bit / 8] ^= flip;
        }
        // Words of zeroes behind it are words of it.
        for (int word = 0; word < 3; ++word, ++tried) {
            each.resize(each.size() + 8);
            all.insert(mac(each));
        }
    }
    EXPECT_EQ(all.size(), tried);
}

TEST_P(DatagramMacs, ChangeWithTheKeys) {
    const auto brief = datagram(64);
    const auto long_one = datagram(1472);
    const Keys keys;
    Keys other_brief;
    other_brief.brief[15] ^= 0x80;
    EXPECT_NE(other_brief.mac(GetParam())(brief), keys.mac(GetParam())(brief));
    EXPECT_NE(other_brief.mac(GetParam())(long_one), keys.mac(GetParam())(long_one));
    Keys other_long;
    other_long.for_long[31] ^= 0x80;
    EXPECT_EQ(other_long.mac(GetParam())(brief), keys.mac(GetParam())(brief));
    EXPECT_EQ(other_long.mac(GetParam())(long_one) != keys.mac(GetParam())(long_one), GetParam());
}

// A key is begun anew by each join.
TEST_P(DatagramMacs, BeginAnew) {
    const Keys keys;
    Keys others;
    others.brief[0] ^= 1;
    others.for_long[0] ^= 1;
    DatagramMac mac = others.mac(!GetParam());
    mac.begin(keys.brief, keys.for_long, GetParam());
    const auto each = datagram(1472);
    EXPECT_EQ(mac(each), keys.mac(GetParam())(each));
}

}  // namespace
