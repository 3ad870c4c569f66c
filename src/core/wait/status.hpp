// Refusals of the native interface: a status and a sentence.
#pragma once

#include <isthmus/status.h>

#include <new>
#include <type_traits>

#include "base/error.hpp"
#include "base/text.hpp"

namespace isthmus {

// Remembers the sentence for isthmus_error_text(), prints it in checked mode, returns the status.
int refuse_with(isthmus_status status, const char* routine, const Text& sentence);

// The same of the parts of a sentence (base/text.hpp). They are put together here, out of the way
// of what is not refused, and without memory: a refusal throws nothing.
template <typename... Parts>
[[gnu::cold, gnu::noinline]] int refuse(isthmus_status status, const char* routine,
                                        Parts... parts) {
    static_assert((std::is_trivially_copyable_v<Parts> && ...), "a copy may want memory");
    return refuse_with(status, routine, Text(parts...));
}

// "2.5 s", "1e-09 s"
Text seconds_text(double seconds);

// The same for what is part of polling, where making a sentence each time would cost more than the
// poll: it is put together when somebody asks. Both texts must last for ever.
int refuse_poll(isthmus_status status, const char* routine, const char* sentence);

const char* last_refusal();

// What the C++ library throws when there is no memory does not cross the border to C.
inline constexpr const char* kNoMemory =
    "the system has no memory for what the library keeps about it";

// For calls of which nothing is left then.
template <typename Call>
int without_exceptions(const char* routine, Call&& call) {
    try {
        return call();
    } catch (const std::bad_alloc&) {
        return refuse_poll(ISTHMUS_NO_MEMORY, routine, kNoMemory);
    }
}

// For calls that something would be left of, or that other PEs wait in: ends the job.
template <typename Call>
decltype(auto) whole(const char* routine, Call&& call) {
    try {
        return call();
    } catch (const std::bad_alloc&) {
        fail(routine, Text(kNoMemory, ", and it cannot be left undone"));
    }
}

}  // namespace isthmus
