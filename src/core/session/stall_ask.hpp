// For a stall report PEs are asked what they do: those of this host that seem to compute may poll,
// those of others tell beside their answer what they watch.
#pragma once

#include <vector>

#include "core/session/stall_groups.hpp"

namespace isthmus {

// PEs of this host that run and wait for nothing of ours are asked, for a moment. Returns whether
// of one that computes, as far as it shows, not all could be seen: it may fetch again and again.
bool ask_those_here(std::vector<Doing>& all);

// What those of other hosts have told beside their answers: of some of them, so that a network that
// may be full is not filled.
void ask_those_far(std::vector<Doing>& all);

}  // namespace isthmus
