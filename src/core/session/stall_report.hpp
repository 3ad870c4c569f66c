// What a wait that makes no progress prints: who waits for what, since when, and what all other PEs
// of this host do.
#pragma once

#include "core/wait/wait.hpp"

namespace isthmus {

ReportStall say_stall;

}  // namespace isthmus
