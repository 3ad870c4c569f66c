#include "packet/admit.hpp"

#include "packet/checks.hpp"
#include "packet/rule.hpp"

namespace isthmus::packet {
namespace {

bool is_among(std::uint16_t pe, std::uint16_t first, std::uint16_t count) {
    return static_cast<std::uint16_t>(pe - first) < count;
}

// A packet that was overtaken has an older number, which is far ahead.
bool are_credits_right(const Packet& packet, const Peer& peer) {
    const auto returned = static_cast<std::uint16_t>(packet.credits() - peer.credits_seen);
    return returned <= peer.credits_owed || returned >= 32768;
}

bool is_handler_here(const Packet& packet, const Receiver& receiver) {
    return packet.handler() == 0 || receiver.knows_handler(packet.handler());
}

// Puts, gets and atomics whose place is one piece: the bytes of it, or more than any segment has.
std::uint64_t piece_bytes(const Packet& packet, const Rule& rule) {
    switch (rule.look) {
        case Look::nowhere: return packet.payload_bytes;
        case Look::extent: return extent_word::last_asked.of(packet.descriptor(1)) + 1;
        case Look::atomic: return packet.width_bytes();
        default: return std::uint64_t{1} << 62;
    }
}

// What waits for a handler, and data of one piece: the rest of what is sent often. Not inlined: the
// shortest way would save registers for it.
[[gnu::noinline]] Verdict admit_rest(const Packet& packet, const Receiver& receiver,
                                     const Peer& peer, const OpenToken& token, const Rule& rule) {
    const bool is_message =
        rule.is_queued && rule.place == 0 && !rule.is_answer && rule.look == Look::nowhere;
    const bool is_data = packet.kind() == Kind::data;
    if ((is_message || is_data) && is_among(packet.source(), peer.first_pe, peer.pes) &&
        is_among(packet.destination(), receiver.first_pe, receiver.pes) &&
        are_credits_right(packet, peer) && is_handler_here(packet, receiver)) {
        if (is_message && cells_of(packet) <= peer.room &&
            packet.payload_bytes <= receiver.payload_limit)
            return Verdict::accepted;
        if (is_data && token.is_open && packet.segment() == token.segment &&
            packet.offset() >= token.first && packet.offset() + packet.payload_bytes <= token.end)
            return Verdict::accepted;
    }
    return explain(packet, receiver, peer, token);
}

}  // namespace

Verdict admit(const Packet& packet, const Receiver& receiver, const Peer& peer,
              const OpenToken& token) {
    const Rule& rule = rule_of(packet.route);
    // Most packets. No sum wraps around.
    if (rule.place == 1 && packet.segment() < receiver.segments.size()) [[likely]] {
        const SegmentEntry& segment = receiver.segments[packet.segment()];
        if (is_among(packet.source(), peer.first_pe, peer.pes) &&
            is_among(packet.destination(), receiver.first_pe, receiver.pes) &&
            are_credits_right(packet, peer) && segment.limit != 0 &&
            packet.offset() + piece_bytes(packet, rule) <= segment.limit &&
            (segment.rights & rule.rights) == rule.rights && is_handler_here(packet, receiver))
            [[likely]]
            return Verdict::accepted;
    }
    return admit_rest(packet, receiver, peer, token, rule);
}

[[gnu::noinline]] Verdict explain(const Packet& packet, const Receiver& receiver, const Peer& peer,
                                  const OpenToken& token) {
    const KindFacts& kind = kKinds[static_cast<std::size_t>(packet.kind())];
    PacketFacts facts;
    facts.available = static_cast<std::int64_t>(8 * packet.words());
    const Verdict format = check_format(facts, [&](std::int64_t number) {
        return load_word(packet.begin, static_cast<std::size_t>(number));
    });
    if (format != Verdict::accepted) return format;

    const SegmentEntry segment = receiver.segment(packet.segment());
    const SegmentEntry signal =
        kind.atomic == 2 ? receiver.segment(signal_word::signal_segment.of(packet.descriptor(0)))
                         : SegmentEntry{};
    facts.source_known = is_among(packet.source(), peer.first_pe, peer.pes);
    facts.destination_here = is_among(packet.destination(), receiver.first_pe, receiver.pes);
    facts.segment_limit = static_cast<std::int64_t>(segment.limit);
    facts.segment_rights = segment.rights;
    facts.signal_limit = static_cast<std::int64_t>(signal.limit);
    facts.signal_rights = signal.rights;
    facts.handler_known = receiver.knows_handler(packet.handler());
    facts.token_open = token.is_open;
    facts.asked_segment = token.segment;
    facts.asked_first = static_cast<std::int64_t>(token.first);
    facts.asked_end = static_cast<std::int64_t>(token.end);
    facts.payload_limit = receiver.payload_limit;
    facts.room = peer.room;
    facts.credits_seen = peer.credits_seen;
    facts.credits_owed = peer.credits_owed;
    return check_receiver(facts);
}

}  // namespace isthmus::packet
