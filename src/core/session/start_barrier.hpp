// Barriers for set-up, before teams exist.
#pragma once

#include <vector>

namespace isthmus {

// All PEs of the job. On one host by counter and futex. Within shmem_init of a job of `isthmus
// run`, which has no process manager to be watched, it ends the job if not all have called that
// within ISTHMUS_JOIN_SECONDS, or some do not go on in it.
void start_barrier();
// Likewise, where a later shmem_init begins.
void meet_again();
// Those that share the header.
void meet_on_host();

// Those of them that are in shmem_init, and wait there for nobody, while this one has waited long.
std::vector<int> stuck_pes();

}  // namespace isthmus
