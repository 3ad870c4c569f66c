// quick_exit in front of the system's, which takes its last step within itself: behind its handlers
// alone is it known that this PE leaves, and only here with which status. In the shared library
// alone; where a program holds all of the C library there is no other one to go on to.
#include <dlfcn.h>

#include <cstdlib>

#include "core/session/session.hpp"

namespace {

using QuickExit = void (*)(int) noexcept;
// Looked for before it is needed: that may be in a handler of a signal.
QuickExit next = nullptr;

__attribute__((constructor)) void find_next() {
    next = reinterpret_cast<QuickExit>(dlsym(RTLD_NEXT, "quick_exit"));
}

}  // namespace

extern "C" __attribute__((visibility("default"))) void quick_exit(int status) noexcept {
    isthmus::note_quick_exit(status & 0xff);
    if (next) next(status);
    std::abort();
}
