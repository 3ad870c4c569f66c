// The hash at the end of a datagram: 64 bits by a key of one direction of one join.
//
// A datagram that is repeated has the number that it had, and says other things of what has come:
// so the hash takes no nonce. It is SipHash-2-4 of the datagram; or, of a long one where both sides
// have the instructions for AES, SipHash-2-4 of 128 bits to which AES-256-GCM's hash, always of the
// same nonce, brings it. Those 128 bits never leave this PE: alone they would give that hash's key
// away. Two datagrams have the same ones with a chance of their length in blocks by 2^128.
#pragma once

#include <sodium.h>

#include <array>
#include <cstddef>
#include <cstdint>

#include "packet/datagram.hpp"
#include "transport/packet/join.hpp"

namespace isthmus::transport::packet {

class DatagramMac {
  public:
    using Key = std::array<unsigned char, 16>;
    // Of so many bytes on a datagram is long: below that SipHash alone is faster.
    static constexpr std::size_t kLong = 256;

    // `for_long` is looked at with_aes alone, which both sides must have said that they have.
    void begin(const Key& key, const Proof& for_long, bool with_aes);
    std::uint64_t operator()(::isthmus::packet::Bytes datagram) const;

  private:
    static std::uint64_t sip(const unsigned char* bytes, std::size_t count, const Key& key);

    Key key_{};
    crypto_aead_aes256gcm_state aes_{};
    bool with_aes_ = false;
};

}  // namespace isthmus::transport::packet
