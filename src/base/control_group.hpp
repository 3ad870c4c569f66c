// The memory limit of the control group that this process is in, or of any group around it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace isthmus::os {

// The files that may hold such a limit, given the text of /proc/self/cgroup: of version 2 and of
// version 1, the innermost group first, each mount's root last.
std::vector<std::string> memory_limit_files(std::string_view groups);

// The smallest limit found; the largest number if there is none.
std::uint64_t memory_limit();

}  // namespace isthmus::os
