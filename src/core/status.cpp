#include "core/status.hpp"

#include "base/error.hpp"
#include "core/job.hpp"

namespace isthmus {
namespace {

thread_local std::string text;

}  // namespace

int refuse(isthmus_status status, const char* routine, const std::string& sentence) {
    text = std::string(routine) + ": " + sentence;
    // Waiting in vain is part of life; the rest is a mistake in the program.
    const bool expected =
        status == ISTHMUS_AGAIN || status == ISTHMUS_TIMEOUT || status == ISTHMUS_CLOSED;
    if (job.checked && !expected) say_from(routine, sentence);
    return status;
}

const char* last_refusal() {
    return text.c_str();
}

}  // namespace isthmus
