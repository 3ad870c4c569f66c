// Leaving: a PE that finalises, or exits without, waits until all others do the same. No other
// routine's barrier counts, so a PE that waits in one for a PE that is here waits in vain, and ends
// the job. On its host that is seen in the job file; between hosts a PE that has waited for a while
// asks the other one (far::ask_state).
#pragma once

#include "core/job/job_layout.hpp"

namespace isthmus {

// Returns when every PE of the job has come to it.
void leave_together(Departure how);
// The same for an inner one of several sessions, behind which this PE is there as before.
void leave_inner_session(bool other_threads);

}  // namespace isthmus
