// A bit a PE.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "core/job_layout.hpp"

namespace isthmus {

using PeSet = std::array<std::uint64_t, kMaxPes / 64>;

inline bool is_empty(const PeSet& set) {
    std::uint64_t any = 0;
    for (const std::uint64_t word : set)
        any |= word;
    return any == 0;
}

// Calls each(pe) for every PE of the set, by number.
template <typename Each>
inline void for_each_pe(const PeSet& set, Each&& each) {
    for (std::size_t word = 0; word < set.size(); ++word) {
        for (std::uint64_t bits = set[word]; bits != 0; bits &= bits - 1)
            each(static_cast<int>(word) * 64 + __builtin_ctzll(bits));
    }
}

}  // namespace isthmus
