// What every file of this face shares.
#pragma once

#include <isthmus.h>

#include <new>

#include "core/job.hpp"
#include "core/status.hpp"
#include "core/wait.hpp"
#include "core/window.hpp"

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

// What the C++ library throws when there is no memory does not cross the border.
template <typename Call>
int without_exceptions(const char* routine, Call&& call) {
    try {
        return call();
    } catch (const std::bad_alloc&) {
        return refuse_poll(ISTHMUS_NO_MEMORY, routine,
                           "the system has no memory for what the library keeps about it");
    }
}

}  // namespace isthmus::native
