// A small random sequence (splitmix64): equal on every host and cheap enough to have one per node.
#pragma once

#include <cstdint>

namespace isthmus::sim {

class Random {
  public:
    explicit Random(std::uint64_t seed) : state_(seed) {}
    /// A sequence of its own for each (seed, stream) pair.
    Random(std::uint64_t seed, std::uint64_t stream)
        : state_(mix(seed + 0x632be59bd9b4e019u) ^ mix(~stream)) {}

    std::uint64_t next() { return mix(state_ += 0x9e3779b97f4a7c15u); }
    /// Even over 0..limit-1; limit is not zero. The bias is below limit / 2^64.
    std::uint64_t below(std::uint64_t limit) {
        return static_cast<std::uint64_t>(static_cast<unsigned __int128>(next()) * limit >> 64);
    }
    /// True with the given probability.
    bool chance(double probability) {
        return static_cast<double>(next() >> 11) * 0x1p-53 < probability;
    }

  private:
    static std::uint64_t mix(std::uint64_t z) {
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        return z ^ (z >> 31);
    }
    std::uint64_t state_;
};

}  // namespace isthmus::sim
