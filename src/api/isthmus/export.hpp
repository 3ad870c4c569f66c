// What every file of this face shares.
#pragma once

#include <isthmus.h>

#include "core/job/job.hpp"
#include "core/job/window.hpp"
#include "core/wait/status.hpp"
#include "core/wait/wait.hpp"

#define ISTHMUS_API extern "C" __attribute__((visibility("default")))

namespace isthmus::native {

// Ends the job with a message if isthmus_init has not been called (or the last finalize has).
void require_session(const char* routine);

// Notes the call for the reports, and requires a session. `routine`: its name where several are one
// to the reports.
inline const char* begin(Routine noted, const char* routine) {
    require_session(routine);
    note(noted);
    return routine;
}
inline const char* begin(Routine routine) {
    return begin(routine, routine_name(routine));
}

}  // namespace isthmus::native
