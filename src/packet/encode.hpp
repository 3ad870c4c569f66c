// Writes packets. A caller says what the packet means; lengths and padding follow. What is written
// is legal if the fields are those of the kind (docs/packet-format.md).
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "packet/format.hpp"

namespace isthmus::packet {

// The fields that a packet has before its descriptor.
struct Head {
    Kind kind = Kind::short_message;
    Stream stream = Stream::request;
    bool acknowledge = false;
    bool fence = false;
    std::uint16_t destination = 0;
    std::uint16_t source = 0;
    std::uint16_t segment = 0;
    std::uint64_t offset = 0;
    std::uint8_t handler = 0;
    std::uint8_t detail = 0;
    std::uint16_t credits = 0;
    std::uint32_t token = 0;
    // Of a fragment: the bytes of its message, 0 if the packet is none, and where in it this one's
    // lie.
    std::uint64_t message_bytes = 0;
    std::uint32_t part_offset = 0;
};

// ---- words of descriptors, and the detail of atomics

// The place of a packet, the own place of a get and the place of a signal.
static_assert(place_word::segment.low == own_place_word::own_segment.low &&
              place_word::segment.low == signal_word::signal_segment.low);
constexpr std::uint64_t make_place(std::uint64_t offset, std::uint16_t segment) {
    return place_word::offset.in(offset) | place_word::segment.in(segment);
}
constexpr std::uint64_t make_extent(std::uint64_t bytes) {
    return extent_word::last_asked.in(bytes - 1);
}
constexpr std::uint64_t make_blocks(std::int32_t stride, std::uint16_t block, std::uint16_t count) {
    return blocks_word::stride.in(stride) | blocks_word::block.in(block) |
           blocks_word::count.in(count);
}
constexpr std::uint64_t make_own_blocks(std::int32_t stride) {
    return own_blocks_word::own_stride.in(stride);
}
constexpr std::uint64_t make_range(std::uint64_t offset, std::uint16_t bytes) {
    return range_word::range_offset.in(offset) | range_word::range_bytes.in(bytes);
}
constexpr std::uint64_t make_own_range(std::uint64_t offset) {
    return own_range_word::own_range_offset.in(offset);
}
constexpr std::uint8_t make_detail(Operation operation, Width width) {
    return static_cast<std::uint8_t>(
        atomic_word::operation.in(static_cast<std::uint64_t>(operation)) |
        atomic_word::width.in(static_cast<std::uint64_t>(width)));
}

// ---- packets

// Words of a packet with this much in it.
constexpr std::size_t words_of(bool is_fragment, std::size_t descriptor_words,
                               std::size_t arguments, std::size_t payload_bytes) {
    return 3 + (is_fragment ? 1 : 0) + descriptor_words + (arguments + 1) / 2 +
           (payload_bytes + 7) / 8;
}

// All but the payload, and the zeroes that follow it. Bytes written: the payload comes behind them,
// from wherever it is, and then `padding` zeroes. 0 if the room or a packet is too small, or there
// are too many arguments.
inline std::size_t encode_head(std::span<std::byte> room, const Head& head,
                               std::span<const std::uint64_t> descriptor,
                               std::span<const std::uint32_t> arguments, std::size_t payload_bytes,
                               std::size_t& padding) {
    const bool is_fragment = head.message_bytes != 0;
    // The payload by itself first: no sum of what follows can then wrap around.
    if (payload_bytes > 8 * std::size_t{kLargestWords} || arguments.size() > kMostArguments ||
        descriptor.size() > kLargestWords)
        return 0;
    const std::size_t words =
        words_of(is_fragment, descriptor.size(), arguments.size(), payload_bytes);
    const std::size_t payload_words = (payload_bytes + 7) / 8;
    const std::size_t written = 8 * (words - payload_words);
    if (words > kLargestWords || written > room.size()) return 0;
    assert(place_word::offset.fits(head.offset));
    padding = 8 * payload_words - payload_bytes;

    std::byte* to = room.data();
    const auto store = [&to](std::uint64_t word) {
        std::memcpy(to, &word, sizeof word);
        to += sizeof word;
    };
    store(route_word::destination.in(head.destination) | route_word::source.in(head.source) |
          route_word::kind.in(static_cast<std::uint64_t>(head.kind)) |
          route_word::stream.in(static_cast<std::uint64_t>(head.stream)) |
          route_word::fragment.in(is_fragment) | route_word::acknowledge.in(head.acknowledge) |
          route_word::fence.in(head.fence) | route_word::pad.in(padding) |
          route_word::arguments.in(arguments.size()) | route_word::last_word.in(words - 1));
    store(make_place(head.offset, head.segment));
    store(meaning_word::handler.in(head.handler) | meaning_word::detail.in(head.detail) |
          meaning_word::credits.in(head.credits) | meaning_word::token.in(head.token));
    if (is_fragment)
        store(part_word::last_byte.in(head.message_bytes - 1) |
              part_word::part_offset.in(head.part_offset));
    for (const std::uint64_t word : descriptor)
        store(word);
    std::size_t number = 0;
    for (; number + 1 < arguments.size(); number += 2)
        store(arguments[number] | std::uint64_t{arguments[number + 1]} << 32);
    if (number < arguments.size()) store(arguments[number]);
    return written;
}

// A whole packet. Bytes written, or 0 as above. Where the kind is a constant, instructions of a
// packet with 8 bytes of payload, memcpy included: 75 (bench.packet.counts) Those of a get, or a
// short message with two arguments: 25 (bench.packet.counts)
inline std::size_t encode(std::span<std::byte> room, const Head& head,
                          std::span<const std::uint64_t> descriptor = {},
                          std::span<const std::uint32_t> arguments = {},
                          std::span<const std::byte> payload = {}) {
    std::size_t padding = 0;
    const std::size_t written =
        encode_head(room, head, descriptor, arguments, payload.size(), padding);
    if (written == 0 || room.size() - written < payload.size() + padding) return 0;
    std::byte* const to = room.data() + written;
    if (!payload.empty()) std::memcpy(to, payload.data(), payload.size());
    if (padding != 0) std::memset(to + payload.size(), 0, padding);
    return written + payload.size() + padding;
}

}  // namespace isthmus::packet
