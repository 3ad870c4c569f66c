// Leaving: a PE that finalises, or exits without, waits until all others do the same. No other
// routine's barrier counts, so a PE that waits in one for a PE that is here waits in vain, and ends
// the job. On its host that is seen in the job file; between hosts a PE that has waited for a while
// asks the other one (far::ask_state).
#pragma once

#include <cstdint>

#include "base/text.hpp"
#include "core/job_layout.hpp"

namespace isthmus {

// Returns when every PE of the job has come to it.
void leave_together(Departure how);

// How a PE has left or is leaving: 0 if it is not, else for departure_text().
inline std::uint64_t departure_word(const PeStatus& pe) {
    // Acquire: partner is leave_together.
    const auto how = static_cast<std::uint32_t>(pe.departure.load(std::memory_order_acquire));
    const auto routine = static_cast<std::uint32_t>(pe.routine.load(std::memory_order_relaxed));
    return how == 0 ? 0 : std::uint64_t{routine} << 32 | how;
}

// "exited", "called shmem_finalize". The word may come from a network.
Text departure_text(std::uint64_t word);

}  // namespace isthmus
