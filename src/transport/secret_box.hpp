// How the job's secret gets from PE 0 to the other hosts: sealed for each of them, since what goes
// through a process manager may be heard on the network between its parts.
//
// The first PE of a host draws a pair of keys and shows one of them. What PE 0 has sealed for that
// one, the other one alone opens. Roads have a library that does it, and the core has none, so each
// road's module gives these calls.
#pragma once

#include <array>
#include <cstddef>

#include "transport/transport.hpp"

namespace isthmus::transport {

using HostKey = std::array<unsigned char, 32>;
struct KeyPair {
    HostKey shown{};
    HostKey kept{};
};
// With a key that was drawn for it alone in front, and a hash.
using SealedSecret = std::array<unsigned char, 32 + 16 + sizeof(JobSecret)>;

struct SecretBox {
    // Each is false if it cannot be done, and what it was to make is then as before.
    bool (*draw)(KeyPair& pair);
    bool (*seal)(const JobSecret& secret, const HostKey& shown, SealedSecret& sealed);
    bool (*open)(const void* sealed, std::size_t bytes, const KeyPair& pair, JobSecret& secret);
};

// What a module exports, under the name kSecretBoxSymbol.
inline constexpr const char* kSecretBoxSymbol = "isthmus_secret_box";

}  // namespace isthmus::transport
