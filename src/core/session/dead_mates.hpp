// PEs of this host whose processes have ended without having left the job, as /proc tells.
#pragma once

#include <sys/types.h>

#include <cstdint>

#include "base/routine.hpp"

namespace isthmus {

// Which numbers of processes this PE's is one of (PeStatus::process_space).
std::uint64_t own_process_space();

// The process of one of this host; 0 where its number may be another process's here.
pid_t process_of_mate(int pe);

// It has said why it ends.
bool has_told_end(int pe);

struct DeadMates {
    int count = 0;
    int only = -1;          // the one that there is; -1: none is known, or several
    bool has_told = false;  // one of them has said why it ends
};
DeadMates find_dead_mates();
// Behind one that has said why.
void end_if_told(const DeadMates& dead);
bool has_died(int pe);  // of this host
// Ends the job if there are some twice, a second apart: a process manager that ends one for another
// has ended this one by then. For waits (core/wait/mates.hpp).
void end_if_mates_have_died(Routine routine, std::uint64_t now);

}  // namespace isthmus
