// Which packet answers which.
#pragma once

#include <optional>

#include "packet/decode.hpp"
#include "packet/encode.hpp"

namespace isthmus::packet {

// The head of an answer: back to the source, with its token. Handler and place are the caller's to
// add, where the kind has them.
inline Head answer_to(const Packet& packet, Kind kind) {
    Head head;
    head.kind = kind;
    head.stream = kind == Kind::heartbeat ? Stream::control : Stream::reply;
    head.destination = packet.source();
    head.source = packet.destination();
    head.token = packet.token();
    return head;
}

// What tells the sender that its packet is refused; nothing where that is not told. The packet may
// be illegal: its first three words alone are read, and must be there.
inline std::optional<Head> nack_for(Bytes bytes, Verdict cause) {
    if (action_of(cause) != Action::refuse || bytes.size() < 3 * sizeof(std::uint64_t)) return {};
    Packet packet;
    packet.route = load_word(bytes.data());
    packet.place = load_word(bytes.data(), 1);
    packet.meaning = load_word(bytes.data(), 2);
    // Answers are not answered: two nodes would refuse each other's refusals for ever.
    if (packet.stream() != Stream::request) return {};
    Head head = answer_to(packet, Kind::nack);
    head.detail = static_cast<std::uint8_t>(cause);
    head.offset = packet.offset();
    head.segment = packet.segment();
    return head;
}

}  // namespace isthmus::packet
