#include "base/alarm.hpp"

#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "base/os.hpp"

namespace isthmus::os {
namespace {

constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();

constexpr std::uint64_t kSkew = 1'000'000;  // between this clock and the one of alarms

struct Slot {
    std::atomic<std::uint64_t> due{kNever};  // monotonic nanoseconds
    std::atomic<void (*)(int)> called{nullptr};
    std::atomic<int> argument{0};
};
constinit Slot slots[static_cast<std::size_t>(Limit::crash) + 1];

Slot& slot_of(Limit limit) {
    return slots[static_cast<std::size_t>(limit)];
}
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

// The program's.
struct sigaction before {};
unsigned seconds_before = 0;
bool was_blocked = false;

std::uint64_t next_due() {
    std::uint64_t next = kNever;
    // Relaxed, here and below: whoever sets it writes the handler before, and what looks is this
    // thread or runs behind the signal.
    for (const Slot& slot : slots)
        next = std::min(next, slot.due.load(std::memory_order_relaxed));
    return next;
}

// Another thread or a handler of a signal may change what is next meanwhile.
void set_timer() {
    constexpr std::uint64_t kMicrosecond = 1000;
    constexpr std::uint64_t kMicroseconds = 1'000'000;
    std::uint64_t next = 0;
    do {
        next = next_due();
        const std::uint64_t now = monotonic_nanoseconds();
        const std::uint64_t rest =
            next == kNever ? 0 : (std::max(next, now) - now + kSkew) / kMicrosecond;
        itimerval timer{};
        timer.it_value = {static_cast<time_t>(rest / kMicroseconds),
                          static_cast<suseconds_t>(rest % kMicroseconds)};
        setitimer(ITIMER_REAL, &timer, nullptr);
    } while (next_due() != next);
}

// Of any thread. A timer of the program's that ticks would call it long before.
void hear(int) {
    const std::uint64_t now = monotonic_nanoseconds();
    bool is_heard = false;
    for (Slot& slot : slots) {
        std::uint64_t due = slot.due.load(std::memory_order_relaxed);
        if (now < due || !slot.due.compare_exchange_strong(due, kNever, std::memory_order_relaxed))
            continue;
        is_heard = true;
        // It may not return, and the others hold for what it does.
        set_timer();
        slot.called.load(std::memory_order_relaxed)(slot.argument.load(std::memory_order_relaxed));
    }
    // Of the program's; or the last of several came too early by the other clock.
    if (!is_heard && next_due() != kNever) set_timer();
}

int mask_of_alarm(int how, sigset_t* old) {
    sigset_t alarms;
    sigemptyset(&alarms);
    sigaddset(&alarms, SIGALRM);
    return pthread_sigmask(how, &alarms, old);
}

}  // namespace

void call_after(Limit limit, double seconds, void (*handler)(int), int argument) {
    constexpr double kSecond = 1e9;
    Slot& slot = slot_of(limit);
    slot.due.store(kNever, std::memory_order_relaxed);
    const unsigned left = alarm(0);
    struct sigaction action {};
    struct sigaction replaced {};
    action.sa_handler = hear;
    // What the program or another library is at goes on behind a signal that counts for nothing.
    action.sa_flags = SA_RESTART | SA_ONSTACK;
    sigaction(SIGALRM, &action, &replaced);
    sigset_t mask;
    sigemptyset(&mask);
    mask_of_alarm(SIG_UNBLOCK, &mask);
    if (replaced.sa_handler != hear) {
        before = replaced;
        seconds_before = left;
        was_blocked = sigismember(&mask, SIGALRM) == 1;
    }
    slot.called.store(handler, std::memory_order_relaxed);
    slot.argument.store(argument, std::memory_order_relaxed);
    slot.due.store(monotonic_nanoseconds() + static_cast<std::uint64_t>(seconds * kSecond) - kSkew,
                   std::memory_order_relaxed);
    set_timer();
}

void call_no_more(Limit limit) {
    slot_of(limit).due.store(kNever, std::memory_order_relaxed);
    set_timer();
}

void give_alarm_back(Limit limit) {
    struct sigaction now {};
    if (sigaction(SIGALRM, nullptr, &now) != 0 || now.sa_handler != hear) return;
    call_no_more(limit);
    if (next_due() != kNever) return;
    // First: without a handler of the program's the signal ends the process.
    if (was_blocked) mask_of_alarm(SIG_BLOCK, nullptr);
    sigaction(SIGALRM, &before, nullptr);
    alarm(seconds_before);
}

}  // namespace isthmus::os
