// Fields of the Verilated model's packed ports, whatever their width makes them: integers, or
// arrays of words for more than 64 bits. Both are little-endian bits one after the other.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace isthmus::rtl {

static_assert(std::endian::native == std::endian::little, "ports are read as bytes");

/// `width` bits (at most 57) of `port` from bit `at` on.
template <class Port>
std::uint64_t get(const Port& port, std::size_t at, unsigned width) {
    std::uint64_t word = 0;
    const std::size_t byte = at / 8;
    std::memcpy(&word, reinterpret_cast<const unsigned char*>(&port) + byte,
                std::min(sizeof word, sizeof port - byte));
    return word >> at % 8 & ((std::uint64_t{1} << width) - 1);
}

template <class Port>
void put(Port& port, std::size_t at, unsigned width, std::uint64_t value) {
    std::uint64_t word = 0;
    const std::size_t byte = at / 8, size = std::min(sizeof word, sizeof port - byte);
    auto* const first = reinterpret_cast<unsigned char*>(&port) + byte;
    const std::uint64_t mask = ((std::uint64_t{1} << width) - 1) << at % 8;
    std::memcpy(&word, first, size);
    word = (word & ~mask) | (value << at % 8 & mask);
    std::memcpy(first, &word, size);
}

}  // namespace isthmus::rtl
