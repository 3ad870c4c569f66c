// Leaving: a PE that finalises, or exits without, waits until all others do the same. No other
// routine's barrier counts, so a PE that waits in one for a PE that is here waits in vain, and ends
// the job. On its host that is seen in the job file; between hosts a PE that has waited for a while
// asks the other one (far::ask_state).
#pragma once

#include "core/job/job_layout.hpp"

namespace isthmus {

// Returns when every PE of the job has come to it.
void leave_together(Departure how);
// The same for an inner one of several sessions, behind which this PE is there as before. Where
// several threads may call the library, the others learn that this one leaves once it is the only
// one of the program.
void leave_inner_session(bool calls_by_threads);

}  // namespace isthmus
