// What a PE does, as another one sees it without asking: from its status, or, of another host's,
// as it has answered.
#pragma once

#include <cstdint>
#include <string>

#include "base/routine.hpp"
#include "core/session/stall_groups.hpp"

namespace isthmus {

inline constexpr const char* kComputing = "computing";
inline constexpr const char* kAsleep = "asleep in a call of the system";

// Of what all PEs do together: " (every PE must call it)"; else empty.
const char* everybody_text(Routine routine);

// Of a wait for no word and no PE: ", waiting for 5 replies"; else empty. `value`: that of its
// target, 0 where it is not known.
std::string awaited_text(Routine routine, std::uint64_t value);

// Of one of this host that has exited within its session: by which call it was to leave.
std::string exited_text(int pe);

// As far as this PE can see.
Doing look_at(int pe, std::uint64_t now);

}  // namespace isthmus
