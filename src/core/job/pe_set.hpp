// PEs of the job: a bit a PE.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "core/job/job_layout.hpp"

namespace isthmus {

using PeSet = std::array<std::uint64_t, kMaxPes / 64>;

// In the word pe / 64.
inline std::uint64_t bit_of(int pe) {
    return std::uint64_t{1} << (pe % 64);
}
inline void add(PeSet& set, int pe) {
    set[static_cast<std::size_t>(pe) / 64] |= bit_of(pe);
}

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

// The same in little room: each bit stands for the PEs whose numbers are alike modulo kFold, so it
// unfolds to PEs that nobody has added, too: to those of them that `can_be`.
class FoldedSet {
  public:
    void add(int pe) { words_[word_of(pe)] |= bit_of(pe); }
    template <typename CanBe>
    PeSet unfold(int pes, const CanBe& can_be) const {
        PeSet set{};
        for (int pe = 0; pe < pes; ++pe) {
            if ((words_[word_of(pe)] & bit_of(pe)) != 0 && can_be(pe)) isthmus::add(set, pe);
        }
        return set;
    }

  private:
    static constexpr std::size_t kFold = 256;
    static std::size_t word_of(int pe) { return static_cast<std::size_t>(pe) % kFold / 64; }
    std::array<std::uint64_t, kFold / 64> words_;
};

}  // namespace isthmus
