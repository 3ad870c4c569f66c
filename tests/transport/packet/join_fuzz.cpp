// What strangers say at a PE's port, and what they answer to a call: no proof, so nobody gets in,
// and no more is read or kept than a line has.
#include <sodium.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "transport/packet/join.hpp"

using namespace isthmus::transport;
using namespace isthmus::transport::packet;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const bool is_ready = sodium_init() >= 0;
    if (!is_ready || size == 0) return 0;
    const JobSecret secret{1, 2, 3};
    const Self self{&secret, 0, 1, 4, 0x55};
    const std::array<unsigned char, 32> nonce{5};
    const bool calls = (data[0] & 1) != 0;
    const std::size_t piece = 1 + data[0] / 2;
    Join join = calls ? Join::call(self, 2, nonce) : Join::listen(self, nonce);
    for (std::size_t at = 1; at < size && join.state() == JoinState::more;) {
        if (join.wanted() == 0 || join.wanted() > sizeof(Reply)) std::abort();
        const std::size_t part = std::min({piece, size - at, join.wanted()});
        // Of its own, so that a sanitizer sees a byte too many.
        const std::vector<unsigned char> line(data + at, data + at + part);
        join.take(line.data(), line.size());
        at += part;
        join.sent(join.unsent_bytes());
        if (join.peer() >= self.pes) std::abort();
    }
    if (join.state() != JoinState::more && join.state() != JoinState::refused) std::abort();
    return 0;
}
