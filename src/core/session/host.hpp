// Which PEs of a job that a process manager started share this host, and how they come by each
// other's memory.
//
// That two PEs are on one host is proved, not believed: each hands the other the file of its memory
// over a socket in the abstract namespace, which no other host (and no other network namespace) can
// reach.
#pragma once

#include <string>

namespace isthmus {

// Finds the size of the job, the PEs of this host and their files; the header of the lowest of them
// becomes the header of all. Empty, or why that is impossible.
std::string join_managed_job();

// The names of the hosts, for messages, and the road that they agree on: collective, once.
void exchange_host_facts();

}  // namespace isthmus
