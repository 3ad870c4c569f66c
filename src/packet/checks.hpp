// Written by src/packet/generator/generate.py from src/packet/format.toml.
// clang-format off
#pragma once

#include <cstddef>
#include <cstdint>

#include "packet/format.hpp"

namespace isthmus::packet {

// ---- functions of the table's expressions

constexpr bool has(std::int64_t mask, std::int64_t number) {
    return (mask >> number & 1) != 0;
}
constexpr bool has_all(std::int64_t mask, std::int64_t bits) {
    return (mask & bits) == bits;
}
constexpr std::int64_t power(std::int64_t number) {
    return std::int64_t{1} << number;
}
constexpr std::int64_t low_bits(std::int64_t value, std::int64_t count) {
    return value & (power(count) - 1);
}
// A bit for each cause that refuses.
inline constexpr std::uint64_t kRefusals = 0x27cbffffff0;
constexpr bool is_refusal(std::int64_t number) {
    return number >= 0 && number < 64 && (kRefusals >> number & 1) != 0;
}

// ---- checks, in their order

// What the checks of a packet look at; 0: the packet has no such field.
struct PacketFacts {
    std::int64_t kind = 0;
    std::int64_t stream = 0;
    std::int64_t fragment = 0;
    std::int64_t acknowledge = 0;
    std::int64_t fence = 0;
    std::int64_t reserved_flag = 0;
    std::int64_t pad = 0;
    std::int64_t arguments = 0;
    std::int64_t last_word = 0;
    std::int64_t offset = 0;
    std::int64_t segment = 0;
    std::int64_t handler = 0;
    std::int64_t detail = 0;
    std::int64_t credits = 0;
    std::int64_t last_byte = 0;
    std::int64_t part_offset = 0;
    std::int64_t operation = 0;
    std::int64_t width = 0;
    std::int64_t reserved_detail = 0;
    std::int64_t own_offset = 0;
    std::int64_t last_asked = 0;
    std::int64_t reserved_extent = 0;
    std::int64_t stride = 0;
    std::int64_t block = 0;
    std::int64_t count = 0;
    std::int64_t reserved_own_blocks = 0;
    std::int64_t range_offset = 0;
    std::int64_t range_bytes = 0;
    std::int64_t reserved_own_range = 0;
    std::int64_t signal_offset = 0;
    std::int64_t reserved_cover = 0;
    std::int64_t available = 0;
    std::int64_t source_known = 0;
    std::int64_t destination_here = 0;
    std::int64_t segment_limit = 0;
    std::int64_t segment_rights = 0;
    std::int64_t signal_limit = 0;
    std::int64_t signal_rights = 0;
    std::int64_t handler_known = 0;
    std::int64_t token_open = 0;
    std::int64_t asked_segment = 0;
    std::int64_t asked_first = 0;
    std::int64_t asked_end = 0;
    std::int64_t payload_limit = 0;
    std::int64_t room = 0;
    std::int64_t credits_seen = 0;
    std::int64_t credits_owed = 0;
    std::int64_t ranges_total = 0;
    std::int64_t ranges_empty = 0;
    std::int64_t ranges_reserved = 0;
    std::int64_t ranges_end = 0;
    std::int64_t words = 0;
    std::int64_t head_words = 0;
    std::int64_t argument_words = 0;
    std::int64_t descriptor_words = 0;
    std::int64_t payload_words = 0;
    std::int64_t payload_bytes = 0;
    std::int64_t width_bytes = 0;
    std::int64_t block_bytes = 0;
    std::int64_t most_answered = 0;
    std::int64_t span = 0;
    std::int64_t place_first = 0;
    std::int64_t place_bytes = 0;
    std::int64_t place_end = 0;
    std::int64_t cells = 0;
    std::int64_t returned = 0;
};

// `word(i)` is word i of the packet, of which `f.available` bytes are there; no other is asked for.
template <typename Read>
constexpr Verdict check_format(PacketFacts& f, const Read& word) {
    if (f.available >= 8) {
        f.kind = static_cast<std::int64_t>(route_word::kind.of(word(0)));
        f.stream = static_cast<std::int64_t>(route_word::stream.of(word(0)));
        f.fragment = static_cast<std::int64_t>(route_word::fragment.of(word(0)));
        f.acknowledge = static_cast<std::int64_t>(route_word::acknowledge.of(word(0)));
        f.fence = static_cast<std::int64_t>(route_word::fence.of(word(0)));
        f.reserved_flag = static_cast<std::int64_t>(route_word::reserved_flag.of(word(0)));
        f.pad = static_cast<std::int64_t>(route_word::pad.of(word(0)));
        f.arguments = static_cast<std::int64_t>(route_word::arguments.of(word(0)));
        f.last_word = static_cast<std::int64_t>(route_word::last_word.of(word(0)));
    }
    f.words = f.last_word + 1;
    if ((f.available < 24) || (f.available < (8 * f.words))) return Verdict::truncated;
    if (f.words < 3) return Verdict::too_few_words;
    f.offset = static_cast<std::int64_t>(place_word::offset.of(word(1)));
    f.segment = static_cast<std::int64_t>(place_word::segment.of(word(1)));
    f.handler = static_cast<std::int64_t>(meaning_word::handler.of(word(2)));
    f.detail = static_cast<std::int64_t>(meaning_word::detail.of(word(2)));
    f.credits = static_cast<std::int64_t>(meaning_word::credits.of(word(2)));
    f.operation = static_cast<std::int64_t>(atomic_word::operation.of(f.detail));
    f.width = static_cast<std::int64_t>(atomic_word::width.of(f.detail));
    f.reserved_detail = static_cast<std::int64_t>(atomic_word::reserved_detail.of(f.detail));
    const KindFacts& kind = kKinds[static_cast<std::size_t>(f.kind)];
    if (f.fragment == 1 && f.words > 3) {
        f.last_byte = static_cast<std::int64_t>(part_word::last_byte.of(word(3)));
        f.part_offset = static_cast<std::int64_t>(part_word::part_offset.of(word(3)));
    }
    f.head_words = 3 + f.fragment;
    f.argument_words = (f.arguments + 1) >> 1;
    f.descriptor_words = kind.descriptor_words + (kind.range_words * f.detail);
    f.payload_words = ((f.words - f.head_words) - f.descriptor_words) - f.argument_words;
    f.payload_bytes = (8 * f.payload_words) - f.pad;
    if (f.stream == 3) return Verdict::reserved_stream;
    if (kind.known == 0) return Verdict::unknown_kind;
    if (!has(kind.streams, f.stream)) return Verdict::wrong_stream;
    if (((f.fragment == 1) && (kind.may_fragment == 0)) || ((f.acknowledge == 1) && (kind.may_acknowledge == 0)) || ((f.fence == 1) && (kind.may_fence == 0)) || ((f.stream == 1) && ((f.acknowledge == 1) || (f.fence == 1))) || (f.reserved_flag == 1)) return Verdict::wrong_flag;
    if (f.arguments > 32) return Verdict::too_many_arguments;
    if ((f.arguments != 0) && (kind.arguments == 0)) return Verdict::wrong_arguments;
    if ((kind.range_words != 0) && (f.detail == 0)) return Verdict::no_ranges;
    if (f.payload_words < 0) return Verdict::too_short;
    if ((f.payload_words > 0) && (kind.payload == 0)) return Verdict::wrong_payload;
    if ((f.payload_words == 0) && ((kind.payload == 2) || (f.fragment == 1))) return Verdict::no_payload;
    if ((f.payload_words == 0) && (f.pad != 0)) return Verdict::wrong_pad;
    if ((kind.place == 0) && ((f.offset != 0) || (f.segment != 0))) return Verdict::wrong_place;
    if ((kind.ranges == 1) && (f.offset != 0)) return Verdict::wrong_offset;
    if ((f.handler != 0) && (kind.handler == 0)) return Verdict::wrong_handler;
    if ((f.detail != 0) && (kind.detail == 0)) return Verdict::wrong_detail;
    if ((kind.atomic != 0) && !has(kind.operations, f.operation)) return Verdict::unknown_operation;
    if ((kind.atomic != 0) && !has(kind.widths, f.width)) return Verdict::unknown_width;
    if ((kind.atomic != 0) && (f.reserved_detail != 0)) return Verdict::reserved_detail;
    if (((kind.detail == 3) && !is_refusal(f.detail)) || ((kind.detail == 4) && (f.detail > 1))) return Verdict::unknown_reason;
    switch (static_cast<Kind>(f.kind)) {
        case Kind::put_blocks:
        case Kind::data_blocks:
            f.stride = static_cast<std::int64_t>(blocks_word::stride.of(word(f.head_words + 0)));
            f.block = static_cast<std::int64_t>(blocks_word::block.of(word(f.head_words + 0)));
            f.count = static_cast<std::int64_t>(blocks_word::count.of(word(f.head_words + 0)));
            break;
        case Kind::put_signal:
            f.signal_offset = static_cast<std::int64_t>(signal_word::signal_offset.of(word(f.head_words + 0)));
            break;
        case Kind::get:
            f.own_offset = static_cast<std::int64_t>(own_place_word::own_offset.of(word(f.head_words + 0)));
            f.last_asked = static_cast<std::int64_t>(extent_word::last_asked.of(word(f.head_words + 1)));
            f.reserved_extent = static_cast<std::int64_t>(extent_word::reserved_extent.of(word(f.head_words + 1)));
            break;
        case Kind::get_medium:
            f.last_asked = static_cast<std::int64_t>(extent_word::last_asked.of(word(f.head_words + 0)));
            f.reserved_extent = static_cast<std::int64_t>(extent_word::reserved_extent.of(word(f.head_words + 0)));
            break;
        case Kind::get_blocks:
            f.own_offset = static_cast<std::int64_t>(own_place_word::own_offset.of(word(f.head_words + 0)));
            f.stride = static_cast<std::int64_t>(blocks_word::stride.of(word(f.head_words + 1)));
            f.block = static_cast<std::int64_t>(blocks_word::block.of(word(f.head_words + 1)));
            f.count = static_cast<std::int64_t>(blocks_word::count.of(word(f.head_words + 1)));
            f.reserved_own_blocks = static_cast<std::int64_t>(own_blocks_word::reserved_own_blocks.of(word(f.head_words + 2)));
            break;
        case Kind::get_ranges:
            f.own_offset = static_cast<std::int64_t>(own_place_word::own_offset.of(word(f.head_words + 0)));
            break;
        case Kind::seal:
            f.reserved_cover = static_cast<std::int64_t>(cover_word::reserved_cover.of(word(f.head_words + 0)));
            break;
        default: break;
    }
    const auto ranges_at = f.head_words + kind.descriptor_words;
    for (std::int64_t i = 0; i < kind.ranges * f.detail; ++i) {
        const auto at = ranges_at + i * kind.range_words;
        f.range_offset = static_cast<std::int64_t>(range_word::range_offset.of(word(at)));
        f.range_bytes = static_cast<std::int64_t>(range_word::range_bytes.of(word(at)));
        if (kind.range_words == 2) {
            f.reserved_own_range = static_cast<std::int64_t>(own_range_word::reserved_own_range.of(word(at + 1)));
        }
        f.ranges_total = f.ranges_total + f.range_bytes;
        f.ranges_empty = (f.range_bytes == 0) ? 1 : f.ranges_empty;
        f.ranges_reserved = (f.reserved_own_range != 0) ? 1 : f.ranges_reserved;
        f.ranges_end = ((f.range_offset + f.range_bytes) > f.ranges_end) ? (f.range_offset + f.range_bytes) : f.ranges_end;
    }
    f.width_bytes = power(f.width);
    f.block_bytes = f.block * f.count;
    f.most_answered = 8 * ((4096 - 3) - f.argument_words);
    if (((kind.atomic == 1) && (low_bits(f.offset, f.width) != 0)) || ((kind.atomic == 2) && (low_bits(f.signal_offset, 3) != 0))) return Verdict::misaligned;
    if ((f.fragment == 1) && ((f.part_offset + f.payload_bytes) > (f.last_byte + 1))) return Verdict::outside_message;
    if ((f.reserved_extent != 0) || (f.reserved_cover != 0) || (f.reserved_own_blocks != 0) || (f.ranges_reserved != 0) || ((kind.range_words == 2) && (f.own_offset != 0))) return Verdict::reserved_bits;
    if ((kind.blocks == 1) && (f.block_bytes == 0)) return Verdict::no_blocks;
    if ((kind.blocks == 1) && (kind.payload == 2) && (f.block_bytes != f.payload_bytes)) return Verdict::wrong_blocks;
    if (f.ranges_empty == 1) return Verdict::empty_range;
    if ((kind.ranges == 1) && (kind.payload == 2) && (f.ranges_total != f.payload_bytes)) return Verdict::wrong_ranges;
    if ((kind.extent == 2) && ((f.last_asked + 1) > f.most_answered)) return Verdict::answer_too_long;
    return Verdict::accepted;
}

// Of a packet that is legal by itself. What the receiver knows has been added to its facts.
constexpr Verdict check_receiver(PacketFacts& f) {
    const KindFacts& kind = kKinds[static_cast<std::size_t>(f.kind)];
    f.span = (kind.blocks == 1) ? ((f.count - 1) * f.stride) : 0;
    f.place_first = f.offset + ((f.span < 0) ? f.span : 0);
    f.place_bytes = (kind.blocks == 1) ? f.block : ((kind.extent != 0) ? (f.last_asked + 1) : ((kind.atomic == 1) ? f.width_bytes : f.payload_bytes));
    f.place_end = (kind.ranges == 1) ? f.ranges_end : ((f.offset + f.place_bytes) + ((f.span > 0) ? f.span : 0));
    f.cells = (kind.queued == 1) ? ((f.words + 7) >> 3) : 0;
    f.returned = ((f.credits + 65536) - f.credits_seen) & 65535;
    if (f.source_known == 0) return Verdict::wrong_source;
    if (f.destination_here == 0) return Verdict::wrong_destination;
    if ((f.returned > f.credits_owed) && (f.returned < 32768)) return Verdict::too_many_credits;
    if ((f.stream == 0) && (f.cells > f.room)) return Verdict::over_credit;
    if (((kind.place == 1) && (f.segment_limit == 0)) || ((kind.atomic == 2) && (f.signal_limit == 0))) return Verdict::unknown_segment;
    if (((kind.place == 1) && !has_all(f.segment_rights, kind.rights)) || ((kind.atomic == 2) && !has_all(f.signal_rights, 4))) return Verdict::no_right;
    if (((kind.place == 1) && ((f.place_first < 0) || (f.place_end > f.segment_limit))) || ((kind.atomic == 2) && ((f.signal_offset + 8) > f.signal_limit))) return Verdict::out_of_bounds;
    if ((f.handler != 0) && (f.handler_known == 0)) return Verdict::unknown_handler;
    if ((kind.queued == 1) && (f.payload_bytes > f.payload_limit)) return Verdict::payload_too_long;
    if ((kind.answers == 1) && (f.token_open == 0)) return Verdict::unknown_token;
    if ((kind.place == 2) && ((f.segment != f.asked_segment) || (f.place_first < f.asked_first) || (f.place_end > f.asked_end))) return Verdict::not_asked;
    return Verdict::accepted;
}

// What the checks of a datagram look at.
struct DatagramFacts {
    std::int64_t magic = 0;
    std::int64_t sack_words = 0;
    std::int64_t timed = 0;
    std::int64_t reserved_opening = 0;
    std::int64_t number = 0;
    std::int64_t expected = 0;
    std::int64_t datagram_bytes = 0;
    std::int64_t connection_known = 0;
    std::int64_t mac_right = 0;
    std::int64_t number_seen = 0;
    std::int64_t expected_here = 0;
    std::int64_t unacknowledged = 0;
    std::int64_t in_flight = 0;
    std::int64_t sack_end = 0;
    std::int64_t datagram_words = 0;
    std::int64_t delivery_words = 0;
    std::int64_t packet_words = 0;
    std::int64_t ahead = 0;
    std::int64_t newly = 0;
};

// Likewise, of a datagram's words.
template <typename Read>
constexpr Verdict check_datagram(DatagramFacts& f, const Read& word) {
    if (f.datagram_bytes >= 16) {
        f.magic = static_cast<std::int64_t>(opening_word::magic.of(word(0)));
        f.sack_words = static_cast<std::int64_t>(opening_word::sack_words.of(word(0)));
        f.timed = static_cast<std::int64_t>(opening_word::timed.of(word(0)));
        f.reserved_opening = static_cast<std::int64_t>(opening_word::reserved_opening.of(word(0)));
        f.number = static_cast<std::int64_t>(numbers_word::number.of(word(1)));
        f.expected = static_cast<std::int64_t>(numbers_word::expected.of(word(1)));
    }
    f.datagram_words = f.datagram_bytes >> 3;
    f.delivery_words = (3 + f.timed) + f.sack_words;
    f.packet_words = f.datagram_words - f.delivery_words;
    if ((f.datagram_bytes < 24) || ((f.datagram_bytes & 7) != 0)) return Verdict::truncated_datagram;
    if (f.magic != 21321) return Verdict::wrong_magic;
    if (f.sack_words > 4) return Verdict::too_many_sack_words;
    if (f.datagram_words < f.delivery_words) return Verdict::truncated_delivery;
    if (f.reserved_opening != 0) return Verdict::reserved_opening;
    return Verdict::accepted;
}

// Of a datagram that is legal by itself.
constexpr Verdict check_connection(DatagramFacts& f) {
    f.ahead = ((f.number + 4294967296) - f.expected_here) & 4294967295;
    f.newly = ((f.expected + 4294967296) - f.unacknowledged) & 4294967295;
    if (f.connection_known == 0) return Verdict::unknown_connection;
    if (f.mac_right == 0) return Verdict::wrong_mac;
    if ((f.packet_words > 0) && (f.number_seen == 1)) return Verdict::seen;
    if ((f.packet_words > 0) && (f.ahead > 256)) return Verdict::outside_window;
    if ((f.newly > f.in_flight) && (f.newly < 2147483648)) return Verdict::wrong_expected;
    if ((f.newly < 2147483648) && ((f.newly + f.sack_end) > f.in_flight)) return Verdict::wrong_sack;
    return Verdict::accepted;
}

}  // namespace isthmus::packet
