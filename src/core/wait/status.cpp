#include "core/wait/status.hpp"

#include <cstdio>

#include "base/error.hpp"
#include "core/job/job.hpp"

namespace isthmus {
namespace {

// Without a destructor: those of a thread's variables, and of the main thread's, run before those
// of static objects, which may be refused something as well. Longer sentences are cut.
thread_local char text[768];
// Newer than `text` if not null.
thread_local const char* poll_routine = nullptr;
thread_local const char* poll_sentence = nullptr;

// A forked child's views and queues have ended: what it calls with them comes here, inlined or not,
// and its programmer hears the reason and not the consequence.
void require_pe(const char* routine) {
    if (forked_child) [[unlikely]]
        fail(routine, "called in a forked child, which is no PE");
}

}  // namespace

int refuse_with(isthmus_status status, const char* routine, const Text& sentence) {
    require_pe(routine);
    poll_routine = nullptr;
    std::snprintf(text, sizeof text, "%s: %s", routine, sentence.c_str());
    // Waiting in vain is part of life; the rest is a mistake in the program.
    const bool expected =
        status == ISTHMUS_AGAIN || status == ISTHMUS_TIMEOUT || status == ISTHMUS_CLOSED;
    if (job.checked && !expected) say_from(routine, sentence);
    return status;
}

Text seconds_text(double seconds) {
    char written[32];
    std::snprintf(written, sizeof written, "%g s", seconds);
    return Text(written);
}

int refuse_poll(isthmus_status status, const char* routine, const char* sentence) {
    require_pe(routine);
    poll_routine = routine;
    poll_sentence = sentence;
    return status;
}

const char* last_refusal() {
    if (poll_routine) {
        std::snprintf(text, sizeof text, "%s: %s", poll_routine, poll_sentence);
        poll_routine = nullptr;
    }
    return text;
}

}  // namespace isthmus
