// Joining and leaving (isthmus.h).
#include <cstring>
#include <string>

#include "api/isthmus/export.hpp"
#include "base/error.hpp"
#include "core/copy/settle.hpp"
#include "core/session/arenas.hpp"
#include "core/session/session.hpp"
#include "core/teams/collective.hpp"
#include "core/teams/collective/kernels.hpp"
#include "core/wait/in_handler.hpp"
#include "core/wait/sleep.hpp"
#include "core/wait/status.hpp"
#include "message/post.hpp"
#include "message/traced.hpp"

namespace isthmus::native {

void require_session(const char* routine) {
    if (window.pes != 0 && job.native && attached()) [[likely]]
        return;
    fail(routine, forked_child ? "called in a forked child, which is no PE"
                               : "called before isthmus_init or after the last isthmus_finalize");
}

}  // namespace isthmus::native

using namespace isthmus;
using namespace isthmus::native;

ISTHMUS_API void isthmus_init(void) {
    whole("isthmus_init", [] {
        enter_session(3);
        note(Routine::native_init);
        register_for_wakeups();
        open_arenas();
        messages::open_post();
        barrier_world();  // nobody clones before everybody can be reached
    });
}

ISTHMUS_API void isthmus_finalize(void) {
    whole(begin(Routine::native_finalize), [] { leave_session(); });
}

ISTHMUS_API int isthmus_pe(void) {
    if (window.pes == 0) require_session("isthmus_pe");
    return static_cast<int>(window.me);
}

ISTHMUS_API int isthmus_pes(void) {
    if (window.pes == 0) require_session("isthmus_pes");
    return static_cast<int>(window.pes);
}

ISTHMUS_API void isthmus_barrier(void) {
    const char* routine = begin(Routine::native_barrier);
    if (is_wait_in_handler()) [[unlikely]]
        refuse_wait_in_handler(routine);
    whole(routine, [] { barrier_world(); });
}

ISTHMUS_API void isthmus_exit(int status) {
    messages::end_tracing();
    exit_job(status);
}

namespace {

// Texts that a tool asks for, once: kept until the process ends.
const char* copies_text() {
    static const std::string text = describe_copies(find_parameters());
    return text.c_str();
}
// Measures. The first line says what was chosen; the others have a figure each: where, bytes, way,
// GB/s.
const char* tuned_text() {
    static const std::string text = [] {
        CopyMeasurement measurement;
        const CopyStory story = tune_copies(measurement);
        std::string lines = describe_copies(story);
        for (const CopyFigure& figure : measurement.figures)
            lines += std::string("\n") + figure.where + " " + std::to_string(figure.bytes) + " " +
                     way_name(figure.way) + " " + std::to_string(figure.gigabytes);
        return lines;
    }();
    return text.c_str();
}

}  // namespace

ISTHMUS_API const char* isthmus_choice(const char* what) {
    if (std::strcmp(what, "copy") == 0) return copies_text();
    if (std::strcmp(what, "tune") == 0) return tuned_text();
    if (std::strcmp(what, "reduction") == 0) return collective::kernels().name;
    return nullptr;
}

ISTHMUS_API const char* isthmus_error_text(void) {
    return last_refusal();
}

ISTHMUS_API const char* isthmus_status_name(int status) {
    static constexpr const char* kNames[] = {
        "ISTHMUS_OK",     "ISTHMUS_AGAIN",     "ISTHMUS_TIMEOUT",  "ISTHMUS_CLOSED",
        "ISTHMUS_BOUNDS", "ISTHMUS_RIGHTS",    "ISTHMUS_PROTOCOL", "ISTHMUS_STALE",
        "ISTHMUS_EXISTS", "ISTHMUS_NO_MEMORY", "ISTHMUS_ARGUMENT", "ISTHMUS_TOO_LARGE"};
    static_assert(sizeof kNames / sizeof *kNames == ISTHMUS_TOO_LARGE + 1);
    return status >= 0 && status <= ISTHMUS_TOO_LARGE ? kNames[status] : "unknown status";
}
