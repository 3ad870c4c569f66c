// Lists of packets for the mesh: when, from where, to where, class and length.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace isthmus::rtl {

/// A packet as its source offers it.
struct Offer {
    std::uint64_t when;
    std::uint16_t source, destination;
    std::uint8_t message_class;
    std::uint8_t flits;
};

/// The patterns that a mesh of this size can have.
std::vector<std::string_view> patterns(unsigned width, unsigned height);

/// `count` packets in order of time. Loads change every few hundred cycles, from a quiet network to
/// twice what the busiest link carries and back, so that queues fill and drain. Equal for equal
/// `start`. An unknown pattern gives an empty list.
std::vector<Offer> make_traffic(std::string_view pattern, unsigned width, unsigned height,
                                std::uint64_t count, std::uint64_t start);

}  // namespace isthmus::rtl
