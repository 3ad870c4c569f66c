// Of a wait the name of the call: reductions and scans by their types, as their PE has noted them.
#pragma once

#include "base/routine.hpp"
#include "core/job/job.hpp"

namespace isthmus {

inline const char* called_as(Routine waits) {
    const Routine noted = job.status().routine.load(std::memory_order_relaxed);
    return routine_name(waits_as(noted) == waits ? noted : waits);
}

}  // namespace isthmus
