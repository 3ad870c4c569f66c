// The handle of the road to PEs that the window does not reach, as far as waits need it: whether
// there is one, and to help it along. core/reach has the operations on it, core/session opens it.
#pragma once

#include <cstdint>

#include "transport/transport.hpp"

namespace isthmus::far {

// True if the job has PEs that are not near.
extern bool present __attribute__((visibility("hidden")));
// And none of this PE's threads serves them but those that call the library (ISTHMUS_PROGRESS=0):
// who waits must not sleep where only a near PE could wake it. The window is closed, since an
// inlined load or atomic would be no call: a program may poll its own memory by one.
extern bool served_by_calls __attribute__((visibility("hidden")));
// Null without far PEs, and outside a session. Not destroyed at exit: a process that ends without
// finalising, or a forked child, must not wait for its thread.
extern transport::Transport* road __attribute__((visibility("hidden")));

// While this thread serves a request: the road is not to be entered again. Waits there give way,
// and no more.
class Serving {
  public:
    Serving();
    Serving(const Serving&) = delete;
    Serving& operator=(const Serving&) = delete;
    ~Serving();
};

// Helps the road along where no thread does. From the waits.
void progress();
// The same from operations on memory that is near, where they serve others: a program that polls by
// them looks at the network now and then.
[[gnu::cold, gnu::noinline]] void progress_by_call();
inline void serve_by_call() {
    if (served_by_calls) [[unlikely]]
        progress_by_call();
}
// Sleeps until the network has something for this PE, a millisecond at most; behind progress().
// False at once if the network cannot do that or another thread is asleep already.
bool sleep();
// What a far PE says of itself (core/job/departure_word.hpp), 0 until it has answered; 0 without a
// road. For waits: a PE that does not answer for ISTHMUS_DETECT_SECONDS ends the job.
std::uint64_t ask_state(int pe);

}  // namespace isthmus::far
