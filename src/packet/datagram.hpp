// The words around the packets of a datagram: numbers, acknowledgements, and the MAC at the end.
//
// The MAC covers all words before it and one more, the upper halves of the datagram's number and of
// the one that it expects, which are not sent. Its function is the caller's:
// std::uint64_t mac(Bytes whole_words).
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "packet/decode.hpp"

namespace isthmus::packet {

// What a datagram says beside its packets.
struct Delivery {
    std::uint32_t connection = 0;
    std::uint32_t number = 0;
    std::uint32_t expected = 0;
    bool is_timed = false;
    std::uint32_t sent = 0;  // if timed
    std::uint32_t echo = 0;
    std::uint64_t sack[kMostSackWords] = {};
    std::uint32_t sack_words = 0;

    // Of the datagram with number `expected` + 1 + `behind`.
    bool has_received(std::uint32_t behind) const {
        return behind < 64 * sack_words && (sack[behind / 64] >> (behind % 64) & 1) != 0;
    }
    // Behind the highest one that the sack names, counted from `expected`; 0: it names none.
    std::uint32_t sack_end() const {
        for (std::uint32_t word = sack_words; word-- > 0;) {
            if (sack[word] != 0)
                return 64 * word + static_cast<std::uint32_t>(std::bit_width(sack[word])) + 1;
        }
        return 0;
    }
};

inline constexpr std::size_t kMostDeliveryBytes = std::size_t{8} * (3 + 1 + kMostSackWords);
inline constexpr std::size_t kMacBytes = sizeof(std::uint64_t);

// The 64-bit number whose low half is `low`, nearest to `near`.
constexpr std::uint64_t widen(std::uint32_t low, std::uint64_t near) {
    const auto distance = static_cast<std::int32_t>(low - static_cast<std::uint32_t>(near));
    const std::uint64_t found = near + static_cast<std::uint64_t>(std::int64_t{distance});
    // There are no numbers below 0.
    return distance < 0 && found > near ? found + (std::uint64_t{1} << 32) : found;
}

// Writes the words before the packets. Bytes written; 0 if the room is too small, or there are too
// many words of sack.
std::size_t encode_delivery(std::span<std::byte> room, const Delivery& delivery);

// Reads them. `packets` are the bytes between them and the MAC. The MAC has yet to be looked at:
// nothing that was read may be believed before has_right_mac() is true.
Verdict decode_delivery(Bytes datagram, Delivery& delivery, Bytes& packets);

// The word that is not sent. Of a datagram without packets, too: else what it acknowledges could be
// said again when the lower halves have come around.
constexpr std::uint64_t upper_halves(std::uint64_t number, std::uint64_t expected) {
    return number >> 32 | expected >> 32 << 32;
}

template <typename Mac>
std::uint64_t mac_over(std::span<std::byte> datagram, std::uint64_t uppers, Mac&& mac) {
    std::memcpy(datagram.data() + datagram.size() - kMacBytes, &uppers, sizeof uppers);
    return mac(Bytes(datagram));
}

// Puts the MAC into the last word of a whole datagram.
template <typename Mac>
void seal(std::span<std::byte> datagram, std::uint64_t uppers, Mac&& mac) {
    const std::uint64_t word = mac_over(datagram, uppers, mac);
    std::memcpy(datagram.data() + datagram.size() - kMacBytes, &word, sizeof word);
}

// The datagram is legal by itself. Its bytes are as before when it returns.
template <typename Mac>
bool has_right_mac(std::span<std::byte> datagram, std::uint64_t uppers, Mac&& mac) {
    const std::uint64_t there = load_word(datagram.data() + datagram.size() - kMacBytes);
    const std::uint64_t right = mac_over(datagram, uppers, mac);
    std::memcpy(datagram.data() + datagram.size() - kMacBytes, &there, sizeof there);
    return there == right;
}

// What a receiver knows of a connection.
struct Connection {
    bool is_known = false;
    bool is_mac_right = false;
    bool has_seen = false;             // the datagram's number
    std::uint32_t expected = 0;        // lowest number that has not been received
    std::uint32_t unacknowledged = 0;  // lowest of the own that has not been acknowledged
    std::uint32_t in_flight = 0;       // from that one to the last
};

// Of a datagram that is legal by itself.
Verdict admit(const Delivery& delivery, bool has_packets, const Connection& connection);

}  // namespace isthmus::packet
