// What every file of this face shares.
#pragma once

#include <isthmus.h>

#include "core/job.hpp"
#include "core/wait.hpp"
#include "core/window.hpp"

#define ISTHMUS_API extern "C" __attribute__((visibility("default")))

namespace isthmus::native {

// Ends the job with a message if isthmus_init has not been called (or the last finalize has).
void require_session(const char* routine);

// Notes the call for the reports, and requires a session.
inline const char* begin(Routine routine) {
    require_session(routine_name(routine));
    note(routine);
    return routine_name(routine);
}

}  // namespace isthmus::native
