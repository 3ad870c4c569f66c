// A few words of every PE of a team at every PE: for set-up routines and checked mode.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/routine.hpp"
#include "core/job/team.hpp"

namespace isthmus {

// Everyone's `bytes` (at most 56) at everyone: all[i * bytes] is from PE i of the team. The team
// has a slot.
void share_words(Team& team, Routine routine, const void* mine, std::size_t bytes, void* all);

}  // namespace isthmus
