#include "packet/decode.hpp"

#include "packet/checks.hpp"
#include "packet/rule.hpp"

namespace isthmus::packet {
namespace {

// ---- what masks cannot tell: true if the rest of a packet is legal

bool is_part_legal(const Packet& packet) {
    return packet.payload_bytes != 0 &&
           packet.part_offset() + packet.payload_bytes <= packet.message_bytes();
}

bool is_extent_legal(std::uint64_t extent) {
    return extent_word::reserved_extent.of(extent) == 0;
}

// The answer to get_medium is one packet.
bool is_short_extent_legal(const Packet& packet) {
    const std::uint64_t extent = packet.descriptor(0);
    const std::size_t arguments = (packet.arguments() + 1) / 2;
    return is_extent_legal(extent) &&
           extent_word::last_asked.of(extent) < 8 * (kLargestWords - 3 - arguments);
}

bool is_atomic_legal(const Packet& packet, const Rule& rule) {
    const std::uint64_t detail = packet.detail();
    return (rule.operations >> atomic_word::operation.of(detail) & 1) != 0 &&
           (rule.widths >> atomic_word::width.of(detail) & 1) != 0 &&
           atomic_word::reserved_detail.of(detail) == 0;
}

std::uint64_t block_bytes(std::uint64_t blocks) {
    return blocks_word::block.of(blocks) * blocks_word::count.of(blocks);
}

bool are_ranges_legal(const Packet& packet, const Rule& rule) {
    const std::size_t count = packet.detail();
    std::uint64_t total = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t at = rule.descriptor_words + i * rule.range_words;
        const std::uint64_t bytes = range_word::range_bytes.of(packet.descriptor(at));
        if (bytes == 0) return false;
        total += bytes;
        if (rule.range_words == 2 &&
            own_range_word::reserved_own_range.of(packet.descriptor(at + 1)) != 0)
            return false;
    }
    if (count == 0) return false;
    if (rule.more_payload != 0) return total == packet.payload_bytes;
    return own_place_word::own_offset.of(packet.descriptor(0)) == 0;
}

bool is_rest_legal(const Packet& packet, const Rule& rule) {
    if (packet.is_fragment() && !is_part_legal(packet)) return false;
    switch (rule.look) {
        case Look::nowhere: return true;
        case Look::extent: return is_extent_legal(packet.descriptor(1));
        case Look::short_extent: return is_short_extent_legal(packet);
        case Look::blocks:
            return packet.payload_bytes != 0 &&
                   block_bytes(packet.descriptor(0)) == packet.payload_bytes;
        case Look::own_blocks:
            return block_bytes(packet.descriptor(1)) != 0 &&
                   own_blocks_word::reserved_own_blocks.of(packet.descriptor(2)) == 0;
        case Look::ranges: return are_ranges_legal(packet, rule);
        case Look::atomic:
            return is_atomic_legal(packet, rule) && packet.offset() % packet.width_bytes() == 0;
        case Look::signal:
            return is_atomic_legal(packet, rule) &&
                   signal_word::signal_offset.of(packet.descriptor(0)) % 8 == 0;
        case Look::reason: return is_refusal(packet.detail());
        case Look::bye: return packet.detail() <= static_cast<unsigned>(Bye::failed);
        case Look::cover: return cover_word::reserved_cover.of(packet.descriptor(0)) == 0;
    }
    return false;
}

// Not inlined: the shortest way would save registers for it.
[[gnu::noinline]] Verdict decode_rest(Bytes bytes, const Packet& packet, const Rule& rule) {
    return is_rest_legal(packet, rule) ? Verdict::accepted : explain(bytes);
}

}  // namespace

Verdict decode(Bytes bytes, Packet& packet) {
    if (bytes.size() < 3 * sizeof(std::uint64_t)) return Verdict::truncated;
    const std::uint64_t route = packet.route = load_word(bytes.data());
    const std::uint64_t place = packet.place = load_word(bytes.data(), 1);
    const std::uint64_t meaning = packet.meaning = load_word(bytes.data(), 2);
    const Rule& rule = rule_of(route);
    std::uint64_t wrong =
        (route >> 32 & rule.route_zero) | (place & rule.place_zero) | (meaning & rule.meaning_zero);

    // In words. What was written to the packet counts only if it is accepted.
    const std::uint64_t arguments = route_word::arguments.of(route);
    std::uint64_t payload_at =
        3 + route_word::fragment.of(route) + rule.descriptor_words + (arguments + 1) / 2;
    if (rule.range_words != 0) [[unlikely]]
        payload_at += rule.range_words * meaning_word::detail.of(meaning);
    packet.begin = bytes.data();
    packet.payload = bytes.data() + 8 * payload_at;
    const std::uint64_t words = route_word::last_word.of(route) + 1;
    // Padding without payload, and words that do not fit, come out below 0, which is far above.
    const std::uint64_t payload_bytes = 8 * (words - payload_at) - route_word::pad.of(route);
    packet.payload_bytes = payload_bytes;
    wrong |= static_cast<std::uint64_t>(arguments > kMostArguments);
    if (wrong != 0 || payload_bytes - rule.least_payload > rule.more_payload ||
        8 * words > bytes.size()) [[unlikely]]
        return explain(bytes);
    if (route_word::fragment.of(route) != 0 || rule.look != Look::nowhere)
        return decode_rest(bytes, packet, rule);
    return Verdict::accepted;
}

[[gnu::noinline]] Verdict explain(Bytes bytes) {
    PacketFacts facts;
    facts.available = static_cast<std::int64_t>(bytes.size());
    return check_format(facts, [&](std::int64_t number) {
        return load_word(bytes.data(), static_cast<std::size_t>(number));
    });
}

}  // namespace isthmus::packet
