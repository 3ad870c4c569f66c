// Mates are the PEs of this host. Under our own launcher somebody else looks at their processes.
#pragma once

#include <cstdint>

#include "base/routine.hpp"

namespace isthmus {

// Ends the job if the process of one of them has ended without leaving it, which this wait in the
// routine would not outlive: core/session/dead_mates.hpp, which the session sets under a process
// manager. Called by a long wait again and again; `now` in nanoseconds.
using LookForDeadMates = void(Routine routine, std::uint64_t now);
extern LookForDeadMates* look_for_dead_mates __attribute__((visibility("hidden")));

}  // namespace isthmus
