// How late an operation comes, drawn by a seed. The draw of an operation depends on its number
// alone and on no clock: with the same seed the same operations come late.
#pragma once

#include <cstdint>

namespace isthmus::transport::late {

class Draw {
  public:
    // `stream`: of the PE and the channel; each draws for itself.
    Draw(std::uint64_t seed, std::uint64_t stream) : state_(mix(mix(seed) + stream)) {}

    // Of so many.
    std::uint64_t below(std::uint64_t count) { return next() % count; }

    // In nanoseconds. Half of all come at once, so that they overtake; a quarter as late as may
    // be, so that they are overtaken by all that comes at once for a while; the rest in between.
    std::uint64_t lateness(std::uint64_t longest) {
        const std::uint64_t choice = below(4);
        const std::uint64_t between = next();
        if (choice < 2 || longest == 0) return 0;
        return choice == 2 ? longest : between % longest + 1;
    }

    // How long a quiet lets the others look before all goes, in nanoseconds. Half of them do not.
    std::uint64_t pause(std::uint64_t longest) {
        const std::uint64_t choice = below(4);
        return choice < 2 ? 0 : choice == 2 ? longest / 8 : longest;
    }

  private:
    // SplitMix64.
    static std::uint64_t mix(std::uint64_t word) {
        word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9u;
        word = (word ^ (word >> 27)) * 0x94d049bb133111ebu;
        return word ^ (word >> 31);
    }
    std::uint64_t next() { return mix(state_ += 0x9e3779b97f4a7c15u); }

    std::uint64_t state_;
};

}  // namespace isthmus::transport::late
