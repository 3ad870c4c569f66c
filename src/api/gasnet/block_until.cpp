// GASNET_BLOCKUNTIL and handler-safe locks. The condition is the program's, looked at between the
// steps of the wait: so the wait is taken apart (core/wait/event.hpp has the same in one piece).
#include <new>
#include <optional>

#include "api/gasnet/face.hpp"
#include "base/os.hpp"
#include "core/wait/event.hpp"
#include "core/wait/in_handler.hpp"
#include "message/handler_lock.hpp"
#include "message/post.hpp"

using namespace isthmus;
using namespace isthmus::gasnet;
using namespace isthmus::messages;

namespace {

class BlockedWait {
  public:
    void step() {
        if (has_come()) {
            const int handled = poll_both();
            note_handled(handled);
            if (handled != 0) return begin_anew();
        }
        if (is_beyond(kFaceWorks)) progress();
        if (sleeper_) {
            sleeper_->sleep_since(wakings_, longest_sleep());
            wakings_ = sleeper_->wakings();
            waiter_->look();
            return;
        }
        if (polls_ < job.spin) {
            if (far::present && polls_ % 16 == 0) far::progress();
            ++polls_;
            return os::pause();
        }
        const std::uint64_t now = os::monotonic_nanoseconds();
        if (!waiter_) {
            waiter_.emplace(WaitTarget{Routine::GASNET_BLOCKUNTIL});
            sleep_at_ = now + patience_before_sleep();
        }
        if (now < sleep_at_ || far::served_by_calls) return waiter_->step();
        // The condition, and what has come, are looked at once more before it sleeps.
        sleeper_.emplace();
        wakings_ = sleeper_->wakings();
    }

  private:
    // What was waited for may be there, or there is hope.
    void begin_anew() {
        sleeper_.reset();
        waiter_.reset();
        polls_ = 0;
    }
    std::uint32_t polls_ = 0;
    std::uint32_t wakings_ = 0;
    std::uint64_t sleep_at_ = 0;
    std::optional<Waiter> waiter_;
    std::optional<Sleeper> sleeper_;
};
static_assert(sizeof(BlockedWait) <= sizeof(isthmus_gasnet_wait) && alignof(BlockedWait) <= 8);

BlockedWait& of(isthmus_gasnet_wait* wait) {
    return *std::launder(reinterpret_cast<BlockedWait*>(wait));
}

}  // namespace

ISTHMUS_API void isthmus_gasnet_wait_begin(isthmus_gasnet_wait* wait) {
    require_attached("GASNET_BLOCKUNTIL");
    if (is_in_handler()) refuse_wait_in_handler("GASNET_BLOCKUNTIL");
    note(Routine::GASNET_BLOCKUNTIL);
    new (wait) BlockedWait;
}
ISTHMUS_API void isthmus_gasnet_wait_step(isthmus_gasnet_wait* wait) {
    of(wait).step();
}
ISTHMUS_API void isthmus_gasnet_wait_end(isthmus_gasnet_wait* wait) {
    of(wait).~BlockedWait();
}

ISTHMUS_API void(gasnet_hsl_init)(gasnet_hsl_t* hsl) {
    __atomic_store_n(&hsl->taken, 0, __ATOMIC_RELAXED);  // nobody else has it yet
}
ISTHMUS_API void(gasnet_hsl_destroy)(gasnet_hsl_t*) {}

ISTHMUS_API void(gasnet_hsl_lock)(gasnet_hsl_t* hsl) {
    take_lock(hsl->taken, "gasnet_hsl_lock");
}
ISTHMUS_API int(gasnet_hsl_trylock)(gasnet_hsl_t* hsl) {
    return try_lock(hsl->taken) ? GASNET_OK : GASNET_ERR_NOT_READY;
}
ISTHMUS_API void(gasnet_hsl_unlock)(gasnet_hsl_t* hsl) {
    give_back_lock(hsl->taken, "gasnet_hsl_unlock");
}
