// Heads and bytes that the tests of streams and of datagrams send.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "packet/encode.hpp"

namespace isthmus::transport::packet {

using ::isthmus::packet::Head;

inline Head put_at(std::uint64_t offset) {
    Head head;
    head.kind = ::isthmus::packet::Kind::put;
    head.offset = offset;
    return head;
}

inline Head message_head() {
    Head head;
    head.kind = ::isthmus::packet::Kind::core_request;
    return head;
}

inline std::vector<char> pattern(std::size_t bytes, unsigned seed) {
    std::mt19937 random(seed);
    std::vector<char> made(bytes);
    for (char& byte : made)
        byte = static_cast<char>(random());
    return made;
}

}  // namespace isthmus::transport::packet
