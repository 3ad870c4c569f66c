// Reads packets. The bytes come from outside: nothing behind their end is read, and what is illegal
// has a name, the Verdict, for each way of being so. What the receiver's memory has to say is
// admit.hpp's.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "packet/format.hpp"

namespace isthmus::packet {

using Bytes = std::span<const std::byte>;

static_assert(std::endian::native == std::endian::little, "the first byte of a word is the lowest");

// Word `number` from here; bytes of a network need not be aligned.
inline std::uint64_t load_word(const std::byte* from, std::size_t number = 0) {
    std::uint64_t word;
    std::memcpy(&word, from + sizeof word * number, sizeof word);
    return word;
}

// A legal packet. It points into the bytes that it was read from.
class Packet {
  public:
    Kind kind() const { return static_cast<Kind>(route_word::kind.of(route)); }
    Stream stream() const { return static_cast<Stream>(route_word::stream.of(route)); }
    std::uint16_t destination() const { return narrow<std::uint16_t>(route_word::destination); }
    std::uint16_t source() const { return narrow<std::uint16_t>(route_word::source); }
    bool is_fragment() const { return route_word::fragment.of(route) != 0; }
    bool wants_answer() const { return route_word::acknowledge.of(route) != 0; }
    bool is_fence() const { return route_word::fence.of(route) != 0; }
    unsigned arguments() const { return narrow<unsigned>(route_word::arguments); }
    std::size_t words() const { return narrow<std::size_t>(route_word::last_word) + 1; }

    std::uint64_t offset() const { return place_word::offset.of(place); }
    std::uint16_t segment() const {
        return static_cast<std::uint16_t>(place_word::segment.of(place));
    }

    std::uint8_t handler() const {
        return static_cast<std::uint8_t>(meaning_word::handler.of(meaning));
    }
    std::uint8_t detail() const {
        return static_cast<std::uint8_t>(meaning_word::detail.of(meaning));
    }
    Operation operation() const {
        return static_cast<Operation>(atomic_word::operation.of(detail()));
    }
    unsigned width_bytes() const { return 1U << atomic_word::width.of(detail()); }
    std::uint16_t credits() const {
        return static_cast<std::uint16_t>(meaning_word::credits.of(meaning));
    }
    std::uint32_t token() const {
        return static_cast<std::uint32_t>(meaning_word::token.of(meaning));
    }

    // Of fragments.
    std::uint64_t message_bytes() const { return part_word::last_byte.of(part()) + 1; }
    std::uint32_t part_offset() const {
        return static_cast<std::uint32_t>(part_word::part_offset.of(part()));
    }

    // A word of the kind's descriptor; the ranges come behind the others.
    std::uint64_t descriptor(std::size_t number) const {
        return load_word(descriptor_begin(), number);
    }
    const std::byte* descriptor_begin() const { return begin + (is_fragment() ? 32 : 24); }
    const std::byte* descriptor_end() const {
        return payload - std::size_t{8} * ((arguments() + 1) / 2);
    }
    // Less than arguments().
    std::uint32_t argument(unsigned number) const {
        std::uint32_t value;
        std::memcpy(&value, descriptor_end() + sizeof value * number, sizeof value);
        return value;
    }

    std::uint64_t route = 0, place = 0, meaning = 0;
    const std::byte* begin = nullptr;
    const std::byte* payload = nullptr;
    std::size_t payload_bytes = 0;

  private:
    template <typename T, typename F>
    T narrow(F field) const {
        return static_cast<T>(field.of(route));
    }
    std::uint64_t part() const { return load_word(begin, 3); }
};

// Bytes of the packet that begins here, for streams: 0 if that cannot be said yet, or is less than
// a packet has. Never more than 8 * kLargestWords.
inline std::size_t packet_bytes(Bytes bytes) {
    if (bytes.size() < sizeof(std::uint64_t)) return 0;
    const std::size_t words = route_word::last_word.of(load_word(bytes.data())) + 1;
    return words < 3 ? 0 : words * sizeof(std::uint64_t);
}

// The packet that begins here. Others may follow in `bytes`. What is in `packet` counts only if the
// verdict is `accepted`. Instructions of a put, data or short message: 95 (bench.packet.counts)
// Those of a get, whose descriptor is looked at: 130 (bench.packet.counts)
Verdict decode(Bytes bytes, Packet& packet);

// The same by the table's checks one after the other: what decode() asks when something is wrong.
// Slower, and the measure of it.
Verdict explain(Bytes bytes);

}  // namespace isthmus::packet
