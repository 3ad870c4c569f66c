// The handle of the road to PEs that the window does not reach, as far as waits need it: whether
// there is one, and to help it along. core/reach has the operations on it, core/session opens it.
#pragma once

#include <cstdint>

#include "core/job/job.hpp"
#include "transport/transport.hpp"

namespace isthmus::far {

// True if the job has PEs that are not near, or ISTHMUS_DELAY takes this one for far.
extern bool present __attribute__((visibility("hidden")));
// And none of this PE's threads serves them but those that call the library (ISTHMUS_PROGRESS=0):
// who waits must not sleep where only a near PE could wake it. The window is closed, since an
// inlined load or atomic would be no call: a program may poll its own memory by one.
extern bool served_by_calls __attribute__((visibility("hidden")));
// Null without far PEs, and outside a session. Not destroyed at exit: a process that ends without
// finalising, or a forked child, must not wait for its thread.
extern transport::Transport* road __attribute__((visibility("hidden")));
// The same for progress(), and null where calls on the road are marked.
extern transport::Transport* quick_road __attribute__((visibility("hidden")));

// While this thread serves a request: the road is not to be entered again. Waits there give way,
// and no more.
class Serving {
  public:
    Serving();
    Serving(const Serving&) = delete;
    Serving& operator=(const Serving&) = delete;
    ~Serving();
};

// Whether calls on the road are marked: in checked mode, and with ISTHMUS_DELAY.
extern bool marks_calls __attribute__((visibility("hidden")));
// Whether one of this thread's is, or waits for others there. To be asked by handlers of signals.
bool is_marked();

// A call of this thread that is on the road. A handler of a signal that calls the library meanwhile
// may wait for a lock that this thread holds: its call is told, and ends the job. Not while it
// waits for others, where it holds none.
class OnRoad {
  public:
    // Without a name: the call last noted.
    explicit OnRoad(const char* routine = nullptr) {
        if (marks_calls) [[unlikely]]
            enter(routine);
    }
    OnRoad(const OnRoad&) = delete;
    OnRoad& operator=(const OnRoad&) = delete;
    ~OnRoad() {
        if (entered_) [[unlikely]]
            leave();
    }

  private:
    [[gnu::cold, gnu::noinline]] void enter(const char* routine);
    [[gnu::cold, gnu::noinline]] void leave() const;
    bool entered_ = false;
    const char* before_ = nullptr;
};
// While it waits: on the road only to look whether it may go on.
class OffRoad {
  public:
    OffRoad();
    OffRoad(const OffRoad&) = delete;
    OffRoad& operator=(const OffRoad&) = delete;
    ~OffRoad();
    template <typename Look>
    bool back_for(Look&& look) const {
        const Back back(before_);
        return look();
    }

  private:
    struct Back {
        explicit Back(const char* routine);
        Back(const Back&) = delete;
        Back& operator=(const Back&) = delete;
        ~Back();
    };
    const char* before_;
};

// Helps the road along where no thread does. From the waits.
void progress();
// The same from what the road itself calls when it has failed, on top of this thread's own call:
// that call's mark is no sign of a handler.
void progress_beneath();
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
// The same for a stall report, for which the PE looks at what it does.
std::uint64_t ask_for_report(int pe);

}  // namespace isthmus::far
