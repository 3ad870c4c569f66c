#include "transport/packet/mac.hpp"

namespace isthmus::transport::packet {

static_assert(crypto_shorthash_KEYBYTES == sizeof(DatagramMac::Key));
static_assert(crypto_shorthash_BYTES == ::isthmus::packet::kMacBytes);
static_assert(crypto_aead_aes256gcm_KEYBYTES == sizeof(Proof));

void DatagramMac::begin(const Key& key, const Proof& for_long, bool with_aes) {
    key_ = key;
    with_aes_ = with_aes;
    if (with_aes) crypto_aead_aes256gcm_beforenm(&aes_, for_long.data());
}

std::uint64_t DatagramMac::sip(const unsigned char* bytes, std::size_t count, const Key& key) {
    std::uint64_t hash = 0;
    crypto_shorthash(reinterpret_cast<unsigned char*>(&hash), bytes, count, key.data());
    return hash;
}

std::uint64_t DatagramMac::operator()(::isthmus::packet::Bytes datagram) const {
    const auto* const bytes = reinterpret_cast<const unsigned char*>(datagram.data());
    if (!with_aes_ || datagram.size() < kLong) return sip(bytes, datagram.size(), key_);
    constexpr unsigned char kNonce[crypto_aead_aes256gcm_NPUBBYTES] = {};
    unsigned char brief[crypto_aead_aes256gcm_ABYTES];
    // No datagram has so few bytes, so no short one has the hash of a long one's.
    static_assert(sizeof brief < 3 * sizeof(std::uint64_t));
    crypto_aead_aes256gcm_encrypt_detached_afternm(brief, brief, nullptr, nullptr, 0, bytes,
                                                   datagram.size(), nullptr, kNonce, &aes_);
    return sip(brief, sizeof brief, key_);
}

}  // namespace isthmus::transport::packet
