// Agreement of all PEs of a team on a few words: for set-up routines and checked mode.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/routine.hpp"
#include "core/team.hpp"

namespace isthmus {

// Everyone's `bytes` (at most 56) at everyone: all[i * bytes] is from PE i of the team. The team
// has a slot.
void share_words(Team& team, Routine routine, const void* mine, std::size_t bytes, void* all);

// Checked mode, collective over the job: ends it with a message if the PEs' values differ.
// `routine` is the name of the routine, `what` the value's.
void check_agreement(const char* routine, const char* what, std::uint64_t value);

}  // namespace isthmus
