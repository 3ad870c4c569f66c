// What the checks of a kind come to, as masks: so that a legal packet is found legal by a few
// comparisons. Made from the table of kinds when this is compiled.
#pragma once

#include <array>
#include <cstdint>

#include "packet/format.hpp"

namespace isthmus::packet {

// What else is to be looked at.
enum class Look : std::uint8_t {
    nowhere,
    extent,        // of get
    short_extent,  // of get_medium
    blocks,
    own_blocks,  // of get_blocks
    ranges,
    atomic,
    signal,
    reason,
    bye,
    cover,  // of seal
};

struct Rule {
    std::uint64_t place_zero = 0;           // bits that must be 0
    std::uint32_t route_zero = 0;           // of the upper half
    std::uint16_t meaning_zero = 0;         // of the lowest bits
    std::uint8_t descriptor_words = 0;      // without ranges
    std::uint8_t range_words = 0;           // of each
    std::uint32_t least_payload = 1 << 30;  // bytes; a kind that there is not has never enough
    std::uint32_t more_payload = 0;         // bytes beyond these, at most
    std::uint16_t operations = 0;
    std::uint8_t widths = 0;
    Look look = Look::nowhere;
    std::uint8_t place = 0;  // as KindFacts has them
    std::uint8_t rights = 0;
    bool is_queued = false;
    bool is_answer = false;
};
static_assert(sizeof(Rule) == 32, "a shift finds it");

// The index of a rule: kind and stream, as the route has them.
inline constexpr unsigned kRuleLow = route_word::kind.low;
inline constexpr unsigned kRuleBits = route_word::kind.bits + route_word::stream.bits;
static_assert(route_word::stream.low == kRuleLow + route_word::kind.bits);

constexpr Rule make_rule(std::uint64_t index) {
    const KindFacts& kind = kKinds[index % kKinds.size()];
    const std::uint64_t stream = index / kKinds.size();
    Rule rule;
    if (!kind.known || (kind.streams >> stream & 1) == 0) return rule;
    const bool is_reply = stream == static_cast<std::uint64_t>(Stream::reply);
    std::uint64_t route_zero = route_word::reserved_flag.mask;
    if (!kind.may_fragment) route_zero |= route_word::fragment.mask;
    if (!kind.may_acknowledge || is_reply) route_zero |= route_word::acknowledge.mask;
    if (!kind.may_fence || is_reply) route_zero |= route_word::fence.mask;
    if (!kind.arguments) route_zero |= route_word::arguments.mask;
    rule.route_zero = static_cast<std::uint32_t>(route_zero >> 32);
    if (!kind.place) rule.place_zero = ~std::uint64_t{0};
    if (kind.ranges) rule.place_zero = place_word::offset.mask;
    if (!kind.handler) rule.meaning_zero = static_cast<std::uint16_t>(meaning_word::handler.mask);
    if (!kind.detail) rule.meaning_zero |= static_cast<std::uint16_t>(meaning_word::detail.mask);
    rule.least_payload = kind.payload == 2 ? 1 : 0;
    rule.more_payload = kind.payload != 0 ? 8 * kLargestWords : 0;
    rule.descriptor_words = static_cast<std::uint8_t>(kind.descriptor_words);
    rule.range_words = static_cast<std::uint8_t>(kind.range_words);
    rule.operations = kind.operations;
    rule.widths = static_cast<std::uint8_t>(kind.widths);
    rule.place = static_cast<std::uint8_t>(kind.place);
    rule.rights = static_cast<std::uint8_t>(kind.rights);
    rule.is_queued = kind.queued != 0;
    rule.is_answer = kind.answers != 0;
    if (kind.ranges)
        rule.look = Look::ranges;
    else if (kind.blocks)
        rule.look = kind.payload ? Look::blocks : Look::own_blocks;
    else if (kind.extent)
        rule.look = kind.extent == 1 ? Look::extent : Look::short_extent;
    else if (kind.atomic)
        rule.look = kind.atomic == 1 ? Look::atomic : Look::signal;
    else if (index % kKinds.size() == static_cast<std::uint64_t>(Kind::seal))
        rule.look = Look::cover;
    else if (kind.detail == 3)
        rule.look = Look::reason;
    else if (kind.detail == 4)
        rule.look = Look::bye;
    return rule;
}

inline constexpr auto kRules = [] {
    std::array<Rule, 1U << kRuleBits> rules;
    for (std::uint64_t index = 0; index < rules.size(); ++index)
        rules[index] = make_rule(index);
    return rules;
}();

inline const Rule& rule_of(std::uint64_t route) {
    return kRules[route >> kRuleLow & ((1U << kRuleBits) - 1)];
}

}  // namespace isthmus::packet
