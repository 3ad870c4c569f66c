// Which PEs of a job that a process manager started share this host, and how they come by each
// other's memory.
//
// That two PEs are on one host is proved, not believed: each hands the other the file of its memory
// over a socket in the abstract namespace, which no other host (and no other network namespace) can
// reach.
#pragma once

#include <string>
#include <vector>

#include "core/exchange.hpp"

namespace isthmus {

// Finds the size of the job, the PEs of this host and their files; the header of the lowest of them
// becomes the header of all. Empty, or why that is impossible.
std::string join_managed_job();

// The file that holds the memory of a PE of this host.
int memory_file(int pe);

// Those that share a header count as a host here, also where the window is forbidden. Hosts are
// numbered by their first PEs.
const std::vector<int>& first_pes();
int host_number(int pe);
int header_owner();  // the first PE of this host

// The names of the hosts, for messages: collective, once.
void exchange_host_names();

// Null if our own launcher has started the job, or nobody.
Exchange* process_manager();

// A barrier of those that share the header.
void meet_on_host();

// The part of a barrier that goes beyond the header; nothing if all PEs share it.
void meet_other_hosts();

// The last word to the process manager of a PE that exits; nothing without one.
void leave_manager();

// Tells the process manager that the job ends badly; nothing without one.
void end_managed_job(int status);

}  // namespace isthmus
