#include "core/wait/told.hpp"

#include <atomic>
#include <cstddef>

#include "base/os.hpp"
#include "core/job/job.hpp"

namespace isthmus {
namespace {

// More threads that wait are not told. Copies: a thread may leave a wait by a jump.
constexpr std::size_t kMost = 64;
constexpr std::uint64_t kGivenUp = 1'000'000'000;  // nanoseconds without a test

// All of it by who holds the lock. Only long waits come here.
constinit PublishedWait waits[kMost];  // `since` 0: free
constinit PublishedWait tests;
constinit const void* tester = nullptr;  // a thread, by its holds_lock
constinit std::atomic<bool> is_locked = false;

constinit thread_local std::size_t my_place = kMost;
constinit thread_local bool holds_lock = false;

// A signal's handler may have interrupted this thread in it: then it is not had.
class Lock {
  public:
    Lock() : has_(!holds_lock) {
        if (!has_) return;
        holds_lock = true;
        // Before the lock, for a handler of this thread.
        std::atomic_signal_fence(std::memory_order_seq_cst);
        // Acquire: partner is the release below.
        while (is_locked.exchange(true, std::memory_order_acquire))
            os::yield();
    }
    ~Lock() {
        if (!has_) return;
        is_locked.store(false, std::memory_order_release);
        std::atomic_signal_fence(std::memory_order_seq_cst);
        holds_lock = false;
    }
    Lock(const Lock&) = delete;
    Lock& operator=(const Lock&) = delete;
    explicit operator bool() const { return has_; }

  private:
    bool has_;
};

// What outweighs: a wait or a loop of tests, then an operation's wait for its answer; of those the
// longest.
bool outweighs(const PublishedWait& one, const PublishedWait& other) {
    const auto is_answer = [](const PublishedWait& wait) {
        return wait.condition == kAwaitsAnswer && wait.tested_at == 0;
    };
    if (is_answer(one) != is_answer(other)) return is_answer(other);
    return one.since < other.since;
}

void show() {
    const PublishedWait* longest = nullptr;
    for (const PublishedWait& told : waits) {
        if (told.since != 0 && (!longest || outweighs(told, *longest))) longest = &told;
    }
    if (tests.since != 0 && (!longest || outweighs(tests, *longest))) longest = &tests;
    // Who looks at what it fetches finds that in the other fields of who does not wait.
    if (longest)
        write_wait(job.status(), *longest);
    else
        write_no_wait(job.status());
}

}  // namespace

bool tell_wait(const PublishedWait& wait) {
    const Lock lock;
    if (!lock) return false;
    for (std::size_t i = 0; my_place == kMost && wait.since != 0 && i < kMost; ++i) {
        if (waits[i].since == 0) my_place = i;
    }
    if (my_place == kMost) return false;
    waits[my_place] = wait;
    if (wait.since == 0) my_place = kMost;
    // The loop has another wait in it, or is over.
    if (wait.since != 0 && wait.condition != kAwaitsAnswer && tester == &holds_lock) tests = {};
    show();
    return true;
}

void tell_tests(const PublishedWait& now) {
    const Lock lock;
    if (!lock || (now.since == 0 && tester != &holds_lock)) return;
    const bool other_goes_on =
        tester != &holds_lock && tests.since != 0 && now.tested_at <= tests.tested_at + kGivenUp;
    if (other_goes_on && !outweighs(now, tests)) return;
    tests = now;
    tester = &holds_lock;
    show();
}

void tell_tests_go_on(std::uint64_t now) {
    const Lock lock;
    if (!lock || tester != &holds_lock || tests.since == 0) return;
    tests.tested_at = now;
    show();
}

void forget_old_tests(std::uint64_t now) {
    // Relaxed: only whether there may be some.
    const std::uint64_t last = job.status().tested_at.load(std::memory_order_relaxed);
    if (last == 0 || now <= last + kGivenUp) return;
    const Lock lock;
    if (!lock || now <= tests.tested_at + kGivenUp) return;
    tests = {};
    show();
}

}  // namespace isthmus
