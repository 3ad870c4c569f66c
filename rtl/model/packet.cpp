#include "model/packet.hpp"

#include <cstring>

namespace isthmus::rtl {

std::array<std::uint32_t, 3> encode(const Packet& packet) {
    const unsigned unit = packet.tag >> 5, source_tag = packet.tag & 31;
    std::uint64_t low = packet.command | std::uint64_t{unit} << 8 |
                        std::uint64_t{packet.pass_posted} << 15 | std::uint64_t{source_tag} << 16 |
                        std::uint64_t{packet.count} << 22;
    std::uint32_t high = 0;
    if (packet.is_response()) {
        const unsigned error = static_cast<unsigned>(packet.error);
        low |= std::uint64_t{error & 1} << 21 | std::uint64_t{error >> 1} << 29;
    } else {
        low |= std::uint64_t{packet.sequence & 3} << 13 | std::uint64_t{packet.sequence >> 2} << 6;
        low |= (packet.address >> 2 & ((std::uint64_t{1} << 38) - 1)) << 26;
        high = static_cast<std::uint32_t>(packet.address >> 40) << 8;
        if (packet.address >> 40 != 0) high |= 0b111110;
    }
    return {static_cast<std::uint32_t>(low), static_cast<std::uint32_t>(low >> 32), high};
}

Packet decode(const std::uint32_t* words) {
    const std::uint64_t low = words[0] | std::uint64_t{words[1]} << 32;
    Packet packet;
    packet.command = low & 63;
    packet.tag = (low >> 8 & 31) << 5 | (low >> 16 & 31);
    packet.pass_posted = low >> 15 & 1;
    packet.count = low >> 22 & 15;
    if (packet.is_response()) {
        packet.error = static_cast<Error>((low >> 21 & 1) | (low >> 29 & 1) << 1);
    } else {
        packet.sequence = (low >> 13 & 3) | (low >> 6 & 3) << 2;
        packet.address = (low >> 26) << 2 | std::uint64_t{words[2] >> 8} << 40;
    }
    return packet;
}

void write_line(const Packet& packet, std::uint8_t* line) {
    const unsigned offset = packet.address & 63;
    if (packet.has_dwords()) {
        std::memcpy(line + offset, packet.data.data(), packet.dwords() * 4);
        return;
    }
    // The mask names bytes of the 32 B block; the dwords that follow begin at the address.
    std::uint8_t* const block = line + (offset & 32);
    const std::uint32_t mask = packet.data[0];
    for (unsigned i = 0; i + 1 < packet.dwords(); ++i) {
        const unsigned first = (offset & 31) + 4 * i;
        for (unsigned b = 0; b < 4 && first + b < 32; ++b) {
            if (mask >> (first + b) & 1) block[first + b] = packet.data[i + 1] >> (8 * b);
        }
    }
}

std::vector<std::uint32_t> read_line(const Packet& packet, const std::uint8_t* line) {
    std::vector<std::uint32_t> data(packet.response_dwords());
    std::memcpy(data.data(), line + (packet.address & 63), data.size() * 4);
    return data;
}

}  // namespace isthmus::rtl
