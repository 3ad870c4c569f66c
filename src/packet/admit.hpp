// Whether a legal packet may take effect here: places, rights, handlers, tokens and credits.
#pragma once

#include <cstdint>
#include <span>

#include "packet/decode.hpp"

namespace isthmus::packet {

// One segment of this node, as the table of the join has it. Hardware holds sixteen.
struct SegmentEntry {
    std::uint64_t limit = 0;  // bytes; 0: there is none
    std::uint8_t rights = 0;  // bits: kReadRight ...
};

// What a receiver knows of itself.
struct Receiver {
    std::uint16_t first_pe = 0;  // the PEs of this node
    std::uint16_t pes = 0;
    std::span<const SegmentEntry> segments;
    std::uint64_t handlers[4] = {};       // a bit each
    std::uint32_t payload_limit = 32768;  // of what is queued

    bool knows_handler(std::uint8_t number) const {
        return (handlers[number / 64] >> (number % 64) & 1) != 0;
    }
    SegmentEntry segment(std::uint64_t number) const {
        return number < segments.size() ? segments[number] : SegmentEntry{};
    }
};

// What it knows of who sends.
struct Peer {
    std::uint16_t first_pe = 0;  // the PEs behind the connection
    std::uint16_t pes = 0;
    std::uint32_t room = 0;          // cells here that they may still use
    std::uint16_t credits_seen = 0;  // `credits` of the packet before
    std::uint16_t credits_owed = 0;  // cells of theirs that are in use
};

// What the token of an answer stands for here.
struct OpenToken {
    bool is_open = false;
    std::uint16_t segment = 0;  // of a get: its own place, from the lowest byte to the highest
    std::uint64_t first = 0;
    std::uint64_t end = 0;
};

// Cells of the destination that a packet takes; credits count them.
inline std::uint32_t cells_of(const Packet& packet) {
    const KindFacts& kind = kKinds[static_cast<std::size_t>(packet.kind())];
    return kind.queued ? static_cast<std::uint32_t>((packet.words() + kCellWords - 1) / kCellWords)
                       : 0;
}

// Touches nothing. The token is looked at for answers alone.
// Instructions of a put, get or atomic of one piece: 85 (bench.packet.counts)
Verdict admit(const Packet& packet, const Receiver& receiver, const Peer& peer,
              const OpenToken& token);

// The same by the table's checks: what admit() asks when something is wrong.
Verdict explain(const Packet& packet, const Receiver& receiver, const Peer& peer,
                const OpenToken& token);

}  // namespace isthmus::packet
