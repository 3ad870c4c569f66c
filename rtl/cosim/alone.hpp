// The same program once more on the simulator by itself, and its memory at the end.
#pragma once

#include <string>
#include <vector>

#include "cosim/machine.hpp"

namespace isthmus::rtl {

struct AloneResult {
    int exit_code = 0;
    u64 compared = 0, differ = 0;    // words of 8 bytes
    std::vector<std::string> where;  // the first that differ
};

/// Behind a run of `gates`, all of whose nodes have ended. The simulator runs nodes in another
/// order, so the program has to leave the same whoever comes first. Its stack, which it names stack
/// and stack_end, tohost and a node's namespace table are left out.
AloneResult compare_alone(CoreMachine& gates, const std::string& program, u64 memory_bytes);

}  // namespace isthmus::rtl
