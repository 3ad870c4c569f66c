// Barriers for set-up, before teams exist.
#pragma once

namespace isthmus {

// All PEs of the job. On one host by counter and futex.
void start_barrier();
// The first one. In a job of `isthmus run`, which has no process manager to be watched, it ends the
// job if not all have come within ISTHMUS_JOIN_SECONDS.
void first_barrier();
// Likewise, where a later shmem_init begins.
void meet_again();
// Those that share the header.
void meet_on_host();

}  // namespace isthmus
