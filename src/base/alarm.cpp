#include "base/alarm.hpp"

#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdint>
#include <limits>

#include "base/os.hpp"

namespace isthmus::os {
namespace {

constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();

constinit std::atomic<std::uint64_t> due = kNever;  // monotonic nanoseconds
constinit std::atomic<void (*)(int)> called = nullptr;
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

// The program's.
struct sigaction before {};
unsigned seconds_before = 0;
bool was_blocked = false;

// Of any thread. A timer of the program's that ticks would call it long before.
void hear(int signal) {
    // Relaxed: whoever sets it writes the handler before, and this thread runs behind the signal.
    if (monotonic_nanoseconds() >= due.load(std::memory_order_relaxed))
        called.load(std::memory_order_relaxed)(signal);
}

int mask_of_alarm(int how, sigset_t* old) {
    sigset_t alarms;
    sigemptyset(&alarms);
    sigaddset(&alarms, SIGALRM);
    return pthread_sigmask(how, &alarms, old);
}

}  // namespace

void call_after(unsigned seconds, void (*handler)(int)) {
    constexpr std::uint64_t kSecond = 1'000'000'000;
    constexpr std::uint64_t kSkew = 1'000'000;  // between this clock and the one of alarms
    due.store(kNever, std::memory_order_relaxed);
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
    called.store(handler, std::memory_order_relaxed);
    due.store(monotonic_nanoseconds() + seconds * kSecond - kSkew, std::memory_order_relaxed);
    alarm(seconds);
}

void call_no_more() {
    due.store(kNever, std::memory_order_relaxed);
    alarm(0);
}

void give_alarm_back() {
    struct sigaction now {};
    if (sigaction(SIGALRM, nullptr, &now) != 0 || now.sa_handler != hear) return;
    call_no_more();
    // First: without a handler of the program's the signal ends the process.
    if (was_blocked) mask_of_alarm(SIG_BLOCK, nullptr);
    sigaction(SIGALRM, &before, nullptr);
    alarm(seconds_before);
}

}  // namespace isthmus::os
