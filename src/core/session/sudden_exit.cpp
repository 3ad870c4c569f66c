// The ways out of a program on which no handler or destructor runs, in front of the system's
// library: a PE that takes one of them has left the job, and who waits for it should learn of that
// by its name. What that library calls within itself does not come by here: exit() has been seen to
// by then.
#include <unistd.h>

#include <cstdlib>

#include "base/exit_now.hpp"
#include "core/session/session.hpp"

namespace {

[[noreturn]] void leave(int status) {
    isthmus::leave_at_once(isthmus::Text("exited with status ", status & 0xff), status & 0xff);
    isthmus::exit_now(status);
}

}  // namespace

extern "C" {

__attribute__((visibility("default"))) void _exit(int status) {
    leave(status);
}

__attribute__((visibility("default"))) void _Exit(int status) noexcept {
    leave(status);
}
}
