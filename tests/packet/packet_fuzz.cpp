// Packets and datagrams as nobody would send them. The first byte chooses: `r` the bytes as they
// are; anything else a legal packet of the seed in the next eight bytes, changed as the others say.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "check.hpp"
#include "random_packet.hpp"

using namespace isthmus::packet;
using namespace isthmus::packet::test;

namespace {

void demand(const std::string& wrong) {
    if (wrong.empty()) return;
    std::fprintf(stderr, "packet_fuzz: %s\n", wrong.c_str());
    std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static Node node;
    if (size == 0) return 0;
    const auto* const bytes = reinterpret_cast<const std::byte*>(data);
    std::vector<std::byte> owned(bytes + 1, bytes + size);
    if (data[0] != 'r') {
        std::uint64_t seed = 0;
        std::memcpy(&seed, data + 1, std::min<std::size_t>(size - 1, sizeof seed));
        Random random(seed);
        std::vector<std::byte> packet = random_packet(random).bytes();
        if (packet.empty()) std::abort();
        // Each change is a place and a value; the last odd byte cuts the end off.
        std::size_t at = 9;
        for (; at + 1 < size; at += 2)
            packet[data[at] % packet.size()] = bytes[at + 1];
        if (at < size) packet.resize(packet.size() - data[at] % (packet.size() + 1));
        owned = std::move(packet);
        owned.shrink_to_fit();
    }
    demand(node.look_at(owned));
    // The same bytes as a datagram, whose first half-word is right.
    if (owned.size() >= 8) {
        const auto magic = static_cast<std::uint16_t>(kMagic);
        std::memcpy(owned.data(), &magic, sizeof magic);
        demand(look_at_datagram(owned, node));
    }
    return 0;
}
