// The packets that are most of all, each written and read by a function of its own, which callgrind
// counts (tests/bench/packet_counts.py).
#include <cstdlib>

#include "packet/admit.hpp"
#include "packet/encode.hpp"

using namespace isthmus::packet;

#define PROBE extern "C" [[gnu::noinline]]

namespace {

constexpr int kCalls = 6;

struct Call {
    std::span<std::byte> room;
    std::uint16_t destination;
    std::uint16_t credits;
    std::uint32_t token;
    std::uint64_t offset;
    std::span<const std::byte> payload;  // 8 bytes
    std::uint32_t arguments[2];
};

}  // namespace

PROBE std::size_t probe_encode_put8(const Call& call) {
    return encode(call.room,
                  {.kind = Kind::put,
                   .destination = call.destination,
                   .source = 1,
                   .offset = call.offset,
                   .credits = call.credits,
                   .token = call.token},
                  {}, {}, call.payload);
}

PROBE std::size_t probe_encode_get(const Call& call) {
    const std::uint64_t descriptor[] = {make_place(0, 0), make_extent(8)};
    return encode(call.room,
                  {.kind = Kind::get,
                   .destination = call.destination,
                   .source = 1,
                   .offset = call.offset,
                   .credits = call.credits,
                   .token = call.token},
                  descriptor);
}

PROBE std::size_t probe_encode_data8(const Call& call) {
    return encode(call.room,
                  {.kind = Kind::data,
                   .stream = Stream::reply,
                   .destination = call.destination,
                   .source = 1,
                   .offset = call.offset,
                   .credits = call.credits,
                   .token = call.token},
                  {}, {}, call.payload);
}

PROBE std::size_t probe_encode_short2(const Call& call) {
    return encode(call.room,
                  {.kind = Kind::short_message,
                   .destination = call.destination,
                   .source = 1,
                   .handler = 130,
                   .credits = call.credits,
                   .token = call.token},
                  {}, call.arguments);
}

PROBE Verdict probe_decode_put8(Bytes bytes, Packet& packet) {
    return decode(bytes, packet);
}
PROBE Verdict probe_decode_get(Bytes bytes, Packet& packet) {
    return decode(bytes, packet);
}
PROBE Verdict probe_decode_data8(Bytes bytes, Packet& packet) {
    return decode(bytes, packet);
}
PROBE Verdict probe_decode_short2(Bytes bytes, Packet& packet) {
    return decode(bytes, packet);
}
PROBE Verdict probe_admit_put8(const Packet& packet, const Receiver& receiver, const Peer& peer) {
    return admit(packet, receiver, peer, {});
}

int main() {
    std::byte room[128];
    const std::byte payload[8] = {};
    const Call call{room, 2, 0, 77, 4096, payload, {5, 6}};
    const SegmentEntry segments[] = {{65536, kReadRight | kWriteRight | kChangeRight}};
    Receiver receiver;
    receiver.pes = 4;
    receiver.segments = segments;
    Peer peer;
    peer.pes = 4;
    Packet packet;
    const auto demand = [](Verdict verdict) {
        if (verdict != Verdict::accepted) std::abort();
    };
    for (int i = 0; i < kCalls; ++i) {
        demand(probe_decode_put8({room, probe_encode_put8(call)}, packet));
        demand(probe_admit_put8(packet, receiver, peer));
        demand(probe_decode_get({room, probe_encode_get(call)}, packet));
        demand(probe_decode_data8({room, probe_encode_data8(call)}, packet));
        demand(probe_decode_short2({room, probe_encode_short2(call)}, packet));
    }
    return 0;
}
