// What a PE tells those of other hosts of its wait, beside the word that it answers (Activity): the
// variable, what it holds and what would end the wait, or what it fetches again and again.
//
// It writes that into its part of the library's own memory whenever it answers, and who reports a
// stall reads it there, by whatever road leads to it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/job/internal_layout.hpp"
#include "core/job/job_layout.hpp"

namespace isthmus {

struct ToldWait {
    static constexpr std::size_t kMostNow = 8;  // a report lists no more
    std::uint64_t since = 0;  // by its own clock: of one wait always the same; 0: it has none
    std::uint64_t at = 0;     // PeStatus::waiting_at
    std::uint64_t value = 0;  // PeStatus::waiting_value
    // What the words from `at` on hold, the first of them, one behind the other.
    std::uint64_t now[kMostNow] = {};
    std::uint32_t words = 0;  // PeStatus::waiting_words
    std::uint32_t peer = 0;   // PeStatus::waiting_for
    std::uint8_t width = 0;   // PeStatus::waiting_width
    std::uint8_t condition = 0;
    std::uint8_t fetches = 0;  // fetch_watch::Answer
    std::uint8_t has_now = 0;
    std::uint8_t sleeps = 0;  // it waits for nothing of ours, in a call of the system
    std::uint8_t nothing[3] = {};
};
static_assert(sizeof(ToldWait) <= kToldWaitSize && sizeof(ToldWait) % 8 == 0);

// As a PE of this host shows it; of one that does not wait what it fetches.
ToldWait told_wait_of(const PeStatus& status);

// Of this PE, for the others; from the thread that answers. For a report it begins to watch what it
// fetches, if it waits for nothing, and looks whether it sleeps.
void tell_own_wait(bool for_report);

// By PE: of those that have not answered nothing.
struct ToldWaits {
    std::vector<ToldWait> told;
    std::vector<bool> is_silent;  // was asked, now or for an earlier report, and has not answered
};
// Reads those of these PEs, all at once, for a moment at most.
ToldWaits read_told_waits(const std::vector<int>& pes);

}  // namespace isthmus
