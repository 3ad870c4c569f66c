// Waiting: polls, then yields the processor, then sleeps a little between polls; tells the user
// when nothing happens for long (the stall report).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/os.hpp"
#include "base/text.hpp"
#include "core/job/job.hpp"
#include "core/job/road.hpp"

namespace isthmus {

enum class WaitFor : std::uint8_t {
    program,  // of the peer, which does not come any more when it has left
    memory,   // of the peer, which is served until all leave
    room      // as program, and handlers of messages may wait for it
};

// Of a wait for one word: when it ends.
enum class Condition : std::uint8_t {
    none,  // or more than one word's
    equal,
    not_equal,
    greater,
    less_equal,
    less,
    greater_equal,
    any,  // of several words: `value` is the address of a WaitSet
    // Of no word: an operation of the library waits for another PE's answer.
    answer = kAwaitsAnswer
};

// Several words, of which a wait awaits one at least. All of it outlives the wait.
struct WaitSet {
    std::size_t size;
    const int* status;  // null, or non-zero for the elements left out
    Condition condition;
    std::uint64_t value;
    const void* values;  // null if `value` is for all
};

// What a wait is for: `peer` is a PE or -1, `address` a local address or null.
struct WaitTarget {
    Routine routine = Routine::none;
    int peer = -1;
    const void* address = nullptr;
    WaitFor what = WaitFor::program;
    // Of the word at `address`, for the stall report: its width in bytes, negative if it is signed.
    Condition condition = Condition::none;
    std::int8_t width = 0;
    std::uint64_t value = 0;
};

// Tells the user that a wait has made no progress since `since`: core/session/stall_report.hpp,
// which the session sets.
// When a wait was last reported, and since when the PEs of other hosts are asked what they do, for
// the next report: nanoseconds; 0: they are not.
struct StallReports {
    std::uint64_t last = 0;
    std::uint64_t asking = 0;
    std::uint64_t asked = 0;
};
using ReportStall = void(const WaitTarget& target, std::uint64_t since, std::uint64_t now);
extern ReportStall* report_stall __attribute__((visibility("hidden")));

// Whether this thread runs a handler of a message, which must not wait for another PE's program:
// src/message sets it; null until then.
using RunsHandler = bool();
extern RunsHandler* runs_handler __attribute__((visibility("hidden")));

// Adds to a stall report, in lines of its own, whose messages this PE has no room for: src/message
// sets it; null until then.
using DescribeRoom = void(std::string& report);
extern DescribeRoom* describe_room __attribute__((visibility("hidden")));

// What is wrong if this PE and another one have not allocated and freed as often as each other;
// empty if they have, or it is not known.
Text allocations_text(int pe);

// Behind the last barrier of such a call, this PE's `number`-th: ends the job if a PE of this host
// was in a barrier of its own, which looks the same. One that is ahead is right.
void require_allocation_of_all(std::string_view routine, std::uint64_t number);

// Loops of tests that fail: noted from the second such call on, with a second at most between two,
// and reported as a wait is; where several words are tested in turn, that of the first.
// test_succeeded() behind a test that was not in vain, lock_taken() behind one of a lock: who takes
// one lock and fails to take the other, again and again, waits for that.
void note_failed_test(const WaitTarget& target);
// Threads in such a loop.
extern std::atomic<int> tests_in_vain __attribute__((visibility("hidden")));
[[gnu::cold]] void forget_failed_tests();
inline void test_succeeded() {
    // Relaxed, as all of it: plain information.
    if (tests_in_vain.load(std::memory_order_relaxed) != 0) [[unlikely]]
        forget_failed_tests();
}
[[gnu::cold]] void forget_failed_tests_of(const void* address);
inline void lock_taken(const void* lock) {
    if (tests_in_vain.load(std::memory_order_relaxed) != 0) [[unlikely]]
        forget_failed_tests_of(lock);
}

class Waiter {
  public:
    explicit Waiter(const WaitTarget& target) : target_(target) {}
    Waiter(const Waiter&) = delete;
    Waiter& operator=(const Waiter&) = delete;
    ~Waiter();
    // One step of giving way. Ends the process if the job has ended meanwhile.
    void step();
    // From now on the wait is for this PE, or -1.
    void watch(int peer);
    // For a wait that sleeps by its own means: the looking around that belongs to a step.
    void look();

  private:
    void begin();
    void look_around(std::uint64_t now);
    void look_for_peer(std::uint64_t now);
    WaitTarget target_;
    Waiter* outer_ = nullptr;  // of this thread, told before this one
    std::uint64_t steps_ = 0;
    std::uint64_t first_step_ = 0;
    std::uint64_t since_ = 0;  // as others are told: once it is long
    StallReports reports_;
    bool peer_left_ = false;
};

// Returns when `done()` is true. `done` must read memory with acquire order.
template <typename Done>
inline void wait_for(const WaitTarget& target, Done&& done) {
    for (std::uint32_t polls = 0; polls < job.spin; ++polls) {
        if (done()) return;
        // A look at the network costs as much as a dozen pauses.
        if (far::present && polls % 16 == 0) far::progress();
        os::pause();
    }
    Waiter waiter(target);
    while (!done())
        waiter.step();
}

// The same where another PE may be missing each time: `peer()` says which, or -1.
template <typename Peer, typename Done>
inline void wait_for(const WaitTarget& target, Peer&& peer, Done&& done) {
    for (std::uint32_t polls = 0; polls < job.spin; ++polls) {
        if (done()) return;
        if (far::present && polls % 16 == 0) far::progress();
        os::pause();
    }
    Waiter waiter(target);
    while (!done()) {
        waiter.watch(peer());
        waiter.step();
    }
}

// One load and one store: short enough for a put of 2 KB.
inline void note(Routine routine) {
    job.noted->store(routine, std::memory_order_relaxed);
}

}  // namespace isthmus
