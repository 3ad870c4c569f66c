// The frames of a crash, as far as anything tells them.
#pragma once

#include <cstdint>

#include "core/session/crash_report.hpp"
#include "core/session/frame_names.hpp"

namespace isthmus {

// Of a handler's context.
std::uintptr_t stack_pointer(const void* context);

struct FoundFrames {
    int count;
    // From here on they were found by what lies on the stack: the function that has faulted is of
    // a C library without tables for unwinding (musl's, linked with -static).
    int certain;
    // The first one is the library's, in which the program's call has faulted; the program's calls
    // follow, none of them if a thread of the library's has faulted.
    bool is_in_library;
};
// From the faulting one on. In the handler; allocates nothing.
FoundFrames find_frames(const Crash& crash, Frames& frames);

}  // namespace isthmus
