// What must hold of any bytes that somebody calls a packet. Properties and fuzzing share it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "packet/admit.hpp"
#include "packet/answer.hpp"
#include "packet/datagram.hpp"

namespace isthmus::packet::test {

// A node with three segments, which takes what it admits.
class Node {
  public:
    Node() : memory_(kBytes) {
        segments_[0] = {kBytes, kReadRight | kWriteRight | kChangeRight};
        segments_[1] = {kBytes / 2, kReadRight};
        segments_[2] = {100, kWriteRight};
        receiver_.pes = 4;
        receiver_.segments = segments_;
        receiver_.handlers[0] = ~std::uint64_t{0};
        peer_.pes = 4;
        peer_.room = 40;
        peer_.credits_owed = 100;
        token_ = {true, 2, 64, kBytes};
    }

    // Empty, or what is wrong. `owned` has exactly the bytes, so that a sanitizer sees one too
    // many.
    std::string look_at(Bytes owned) {
        Packet packet;
        const Verdict verdict = decode(owned, packet);
        if (verdict != explain(owned)) return "decode and explain differ";
        if (name_of(verdict) == "unknown") return "a verdict without a name";
        if (verdict != Verdict::accepted) {
            if (const auto nack = nack_for(owned, verdict)) return answer(*nack);
            return "";
        }
        if (const std::string wrong = read(owned, packet); !wrong.empty()) return wrong;
        const Verdict admitted = admit(packet, receiver_, peer_, token_);
        if (admitted != explain(packet, receiver_, peer_, token_))
            return "admit and explain differ";
        if (admitted == Verdict::accepted) {
            ++taken;
            return place(packet);
        }
        if (const auto nack = nack_for(owned, admitted)) return answer(*nack);
        return "";
    }

    std::uint64_t taken = 0;

  private:
    static constexpr std::size_t kBytes = 65536;

    std::string answer(const Head& nack) {
        std::byte room[24];
        Packet packet;
        if (encode(room, nack) != sizeof room || decode(room, packet) != Verdict::accepted)
            return "a nack that is not legal";
        return "";
    }

    // All of it, and that it comes out of the encoder again.
    static std::string read(Bytes owned, const Packet& packet) {
        const std::byte* const end = owned.data() + 8 * packet.words();
        if (packet.words() * 8 > owned.size()) return "longer than its bytes";
        if (packet.payload + packet.payload_bytes > end || packet.payload < owned.data())
            return "payload outside";
        std::vector<std::uint64_t> descriptor;
        for (const std::byte* at = packet.descriptor_begin(); at != packet.descriptor_end();
             at += 8)
            descriptor.push_back(load_word(at));
        std::vector<std::uint32_t> arguments;
        for (unsigned i = 0; i < packet.arguments(); ++i)
            arguments.push_back(packet.argument(i));
        Head head;
        head.kind = packet.kind();
        head.stream = packet.stream();
        head.acknowledge = packet.wants_answer();
        head.fence = packet.is_fence();
        head.destination = packet.destination();
        head.source = packet.source();
        head.segment = packet.segment();
        head.offset = packet.offset();
        head.handler = packet.handler();
        head.detail = packet.detail();
        head.credits = packet.credits();
        head.token = packet.token();
        if (packet.is_fragment()) {
            head.message_bytes = packet.message_bytes();
            head.part_offset = packet.part_offset();
        }
        std::vector<std::byte> again(8 * packet.words());
        if (encode(again, head, descriptor, arguments, {packet.payload, packet.payload_bytes}) !=
            again.size())
            return "cannot be encoded";
        // What fills words up is not looked at, and comes back as zeroes.
        std::vector<std::byte> first(owned.data(), end);
        if (arguments.size() % 2 == 1) {
            const auto at = packet.payload - owned.data();
            std::fill(first.begin() + at - 4, first.begin() + at, std::byte{0});
        }
        std::fill(first.end() - static_cast<std::ptrdiff_t>(route_word::pad.of(packet.route)),
                  first.end(), std::byte{0});
        return again == first ? "" : "comes out of the encoder as another one";
    }

    // Whether every byte lies in the memory: reckoned one by one, not as the checks do.
    bool is_inside(std::int64_t first, std::uint64_t bytes, std::uint64_t limit) {
        if (first < 0 || static_cast<std::uint64_t>(first) > limit ||
            bytes > limit - static_cast<std::uint64_t>(first))
            return false;
        // A sanitizer has a word here, too.
        if (bytes != 0) {
            memory_[static_cast<std::size_t>(first)] ^= 1;
            memory_[static_cast<std::size_t>(first) + bytes - 1] ^= 1;
        }
        return true;
    }

    std::string place(const Packet& packet) {
        const KindFacts& kind = kKinds[static_cast<std::size_t>(packet.kind())];
        if (kind.place != 1 && kind.place != 2) return "";
        const std::uint64_t limit =
            kind.place == 2 ? token_.end : receiver_.segment(packet.segment()).limit;
        const auto offset = static_cast<std::int64_t>(packet.offset());
        bool inside = true;
        if (kind.ranges) {
            for (unsigned i = 0; i < packet.detail(); ++i) {
                const std::uint64_t range =
                    packet.descriptor(kind.descriptor_words + i * kind.range_words);
                inside &= is_inside(static_cast<std::int64_t>(range_word::range_offset.of(range)),
                                    range_word::range_bytes.of(range), limit);
            }
        } else if (kind.blocks) {
            const std::uint64_t blocks = packet.descriptor(kind.payload ? 0 : 1);
            for (std::uint64_t i = 0; i < blocks_word::count.of(blocks); ++i)
                inside &= is_inside(
                    offset + static_cast<std::int64_t>(i) * blocks_word::stride.of(blocks),
                    blocks_word::block.of(blocks), limit);
        } else if (kind.extent) {
            inside = is_inside(
                offset,
                extent_word::last_asked.of(packet.descriptor(kind.descriptor_words - 1U)) + 1,
                limit);
        } else if (kind.atomic == 1) {
            inside = is_inside(offset, packet.width_bytes(), limit);
        } else {
            inside = is_inside(offset, packet.payload_bytes, limit);
        }
        if (kind.atomic == 2) {
            const std::uint64_t signal = packet.descriptor(0);
            inside &= is_inside(static_cast<std::int64_t>(signal_word::signal_offset.of(signal)), 8,
                                receiver_.segment(signal_word::signal_segment.of(signal)).limit);
        }
        return inside ? "" : "admitted outside the segment";
    }

    std::vector<char> memory_;
    SegmentEntry segments_[3];
    Receiver receiver_;
    Peer peer_;
    OpenToken token_;
};

// The same of a datagram.
inline std::string look_at_datagram(std::vector<std::byte>& owned, Node& node) {
    Delivery delivery;
    Bytes packets;
    const Verdict verdict = decode_delivery(owned, delivery, packets);
    if (name_of(verdict) == "unknown") return "a verdict without a name";
    if (verdict != Verdict::accepted) return "";
    if (packets.data() < owned.data() ||
        packets.data() + packets.size() + kMacBytes != owned.data() + owned.size() ||
        packets.size() % 8 != 0)
        return "packets outside";
    const std::vector<std::byte> before = owned;
    std::uint64_t sum = 0;
    const auto mac = [&](Bytes words) {
        for (std::size_t i = 0; i < words.size() / 8; ++i)
            sum = sum * 31 + load_word(words.data(), i);
        return sum;
    };
    has_right_mac(owned, 7, mac);
    if (owned != before) return "looking at the MAC has changed the datagram";
    std::byte room[kMostDeliveryBytes];
    const std::size_t written = encode_delivery(room, delivery);
    if (written + packets.size() + kMacBytes != owned.size() ||
        std::memcmp(room, owned.data(), written) != 0)
        return "the delivery comes out as another one";
    for (std::uint32_t i = 0; i < 64 * (kMostSackWords + 1); ++i) {
        if (delivery.has_received(i) && i + 2 > delivery.sack_end())
            return "received behind the end of the sack";
    }
    while (!packets.empty()) {
        const std::size_t bytes = packet_bytes(packets);
        const std::string wrong = node.look_at(packets);
        if (!wrong.empty()) return wrong;
        if (bytes == 0 || bytes > packets.size()) break;
        packets = packets.subspan(bytes);
    }
    return "";
}

}  // namespace isthmus::packet::test
