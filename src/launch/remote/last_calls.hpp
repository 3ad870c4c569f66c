// The last noted calls of the PEs of this host, whose memory the launcher has not made and has no
// file of: each PE holds that of the first PE of its host open, and it begins with all that is
// noted.
#pragma once

#include <utility>
#include <vector>

#include "base/routine.hpp"

namespace isthmus::launch {

// By number, of PEs first..first+count-1 as far as processes below this one know of them.
std::vector<std::pair<int, Routine>> find_last_calls(int first, int count);

}  // namespace isthmus::launch
