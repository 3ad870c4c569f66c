// Barriers for set-up, before teams exist.
#pragma once

namespace isthmus {

// All PEs of the job. On one host by counter and futex.
void start_barrier();
// Those that share the header.
void meet_on_host();

}  // namespace isthmus
