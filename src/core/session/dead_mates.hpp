// PEs of this host whose processes have ended without having left the job, as /proc tells.
#pragma once

#include <cstdint>

namespace isthmus {

// Which numbers of processes this PE's is one of (PeStatus::process_space).
std::uint64_t own_process_space();

struct DeadMates {
    int only = -1;          // the one that there is; -1: none is known, or several
    bool has_told = false;  // one of them has said why it ends
};
DeadMates find_dead_mates();

}  // namespace isthmus
