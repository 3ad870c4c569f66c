// Which PEs of a job that a process manager started share this host, and how they come by each
// other's memory.
//
// That two PEs are on one host is proved, not believed: each hands the other the file of its memory
// over a socket in the abstract namespace, which no other host (and no other network namespace) can
// reach.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace isthmus {

// Finds the size of the job, the PEs of this host and their files; the header of the lowest of them
// becomes the header of all. Empty, or why that is impossible; `problem` is a reason that this PE
// has already, and that the process manager can be told of once it is found.
std::string join_managed_job(const std::string& problem);

// What the first PE of a host tells of it.
struct HostFacts {
    std::array<char, 64> name;
    std::uint64_t prefers_ofi;  // 1: to packets
};
HostFacts own_host_facts();
// Those of all hosts: their names, for messages, and the road that they agree on. Nothing in a job
// of one host.
void note_host_facts(const std::vector<HostFacts>& all);

}  // namespace isthmus
