// Events: conditions on words of this PE's memory, and waiting for them.
#pragma once

#include <isthmus/event.h>

#include <cstddef>
#include <cstdint>

#include "core/wait/flight.hpp"
#include "core/wait/sleep.hpp"
#include "core/wait/wait.hpp"

namespace isthmus {

using Event = ::isthmus_event;

// Of an event whose watched word is one of 4 bytes, or a get's under way.
bool is_true_narrow(const Event& event);
// As isthmus_event_test(), which is the program's. Acquire: pairs with whatever release made the
// condition true.
inline bool is_true(const Event& event) {
    const auto word = static_cast<std::uint64_t>(__atomic_load_n(event.address, __ATOMIC_ACQUIRE));
    if (word - static_cast<std::uint64_t>(event.first) <= event.span) return true;
    return event.narrow && is_true_narrow(event);
}

// The event "*address condition value".
Event make_event(const std::int64_t* address, int condition, std::int64_t value);
Event make_event(const std::int32_t* address, int condition, std::int32_t value);

// Of an operation that is complete. On one host all are when they return, so an event is true at
// once, and what it stood for before has been completed. Between hosts gets may be under way, for
// which the event may stand as well: they are in what it becomes.
inline void complete(Event* event) {
    if (!event) return;
    const Event& now = event_of_issued;
    // Relaxed: another thread begins a get, which is none of this operation's. The rest is
    // constant.
    *event = {now.address, __atomic_load_n(&now.first, __ATOMIC_RELAXED), now.span, now.narrow};
}

// Monotonic time at which a wait of `timeout` seconds ends; negative: never.
inline constexpr std::uint64_t kNoDeadline = ~std::uint64_t{0};
std::uint64_t deadline_after(double timeout);

// What a look of a wait has found: `served` is that it ran handlers of messages, or the like, and
// what it waits for is not there.
enum class Look : std::uint8_t { nothing, served, done };
inline Look look_of(bool done, int handled) {
    return done ? Look::done : handled != 0 ? Look::served : Look::nothing;
}
inline Look look_of(bool done) {
    return look_of(done, 0);
}
inline Look look_of(Look look) {
    return look;
}

// Waits until look() has found what it waits for, or the deadline; sleeps when the wait gets long.
// True if found. `look` gives a Look, or a bool; it must read with acquire order, and what it reads
// must be written by operations that wake, or it is seen within ISTHMUS_WAKE_MILLISECONDS. Looks
// once at least, and once only if the deadline has passed. Begins anew whenever it has served: more
// may follow soon, and whoever sends to one that sleeps pays for a wake-up. Not with more PEs than
// cores, where those who send need the core.
template <typename LookFor>
bool wait_wakeable(const WaitTarget& target, std::uint64_t deadline, LookFor&& look);

// The target of a wait for it: its word, and when it is true.
WaitTarget target_of(const Event& event, Routine routine);

bool wait_for_event(const Event& event, std::uint64_t deadline, Routine routine);
// Until one of them is true; `index` is then the first that is. At least one.
bool wait_for_any_event(const Event* events, std::size_t count, std::size_t& index,
                        std::uint64_t deadline, Routine routine);

// ---- implementation

// How long a wait polls and yields before it sleeps, and how long it sleeps at most; nanoseconds.
std::uint64_t patience_before_sleep();
std::uint64_t longest_sleep();

// Until look() finds more than nothing or, which gives nothing, the deadline.
template <typename LookFor>
Look wait_for_look(const WaitTarget& target, std::uint64_t deadline, LookFor& look) {
    const bool ends = deadline != kNoDeadline;  // a look at the clock is short beside a poll
    for (std::uint32_t polls = 0; polls < job.spin; ++polls) {
        const Look seen = look_of(look());
        if (seen == Look::done) return seen;
        if (ends && os::monotonic_nanoseconds() >= deadline) return Look::nothing;
        if (seen == Look::served) return seen;
        // A look at the network costs as much as a dozen pauses.
        if (far::present && polls % 16 == 0) far::progress();
        os::pause();
    }
    const std::uint64_t sleep_at = os::monotonic_nanoseconds() + patience_before_sleep();
    Waiter waiter(target);
    for (;;) {
        const Look seen = look_of(look());
        if (seen == Look::done) return seen;
        const std::uint64_t now = os::monotonic_nanoseconds();
        if (now >= deadline) return Look::nothing;
        if (seen == Look::served && job.spin != 0) return seen;
        if (now >= sleep_at && !far::served_by_calls) break;
        waiter.step();
    }
    Sleeper sleeper;
    for (;;) {
        const std::uint32_t wakings = sleeper.wakings();
        const Look seen = look_of(look());
        if (seen == Look::done) return seen;
        const std::uint64_t now = os::monotonic_nanoseconds();
        if (now >= deadline) return Look::nothing;
        if (seen == Look::served && job.spin != 0) return seen;
        waiter.look();
        if (seen == Look::served) continue;  // it may have left some
        const std::uint64_t left = deadline - now;
        sleeper.sleep_since(wakings, left < longest_sleep() ? left : longest_sleep());
    }
}

template <typename LookFor>
bool wait_wakeable(const WaitTarget& target, std::uint64_t deadline, LookFor&& look) {
    for (;;) {
        const Look seen = wait_for_look(target, deadline, look);
        if (seen != Look::served) return seen == Look::done;
    }
}

}  // namespace isthmus
