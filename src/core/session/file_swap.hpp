// The PEs of a host under a process manager hand each other the files of their memory. Every PE
// calls those with lower numbers and is called by those with higher ones; who has called sends its
// file, and who was called answers with its own. Each message carries the secret of who is to take
// it, which came by the process manager.
//
// The system lets the processes of one user have as many files under way, sent and not received
// yet, as ulimit -n says, unless they have more rights than usual: for all jobs of that user
// together, and a job of 64 PEs has 4032. So nobody waits for room while others wait for what he
// has: whose file finds none sends it later, says so where he has called, and takes meanwhile what
// comes.
#pragma once

#include <sched.h>

#include <cstdint>
#include <string>
#include <vector>

#include "core/session/credentials.hpp"
#include "core/session/handshake.hpp"

namespace isthmus {

struct Mate {
    int pe;
    std::uint64_t socket;  // number in the name of its socket
    Secret secret;         // what who calls it has to know
};

// For a mate that has told where it is: it calls and answers at once, unless it has died.
constexpr int kMatesPatience = 60;  // seconds

// `mates`: all of this host in order, this PE among them. `processors` gets those of all. Their
// files are in host_table then. Returns why not; empty: all are there.
std::string swap_files(const Descriptor& listener, const std::vector<Mate>& mates,
                       cpu_set_t& processors);

// Of errno: "PE 3 says that it runs on this host, but its memory cannot be had: ...", or that it
// has ended.
std::string memory_failed(const char* call, int pe);

}  // namespace isthmus
