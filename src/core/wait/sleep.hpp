// Sleeping until somebody writes this PE's memory, without losing a wake-up and without making the
// writers pay for it.
//
// The writer: store the data, then look at the target's `sleepers`; if not zero, wake. The sleeper:
// add itself to `sleepers`, then look at the data once more, then sleep on `wake_word`. Between the
// two steps of each a full barrier is needed, or both look too early (Dekker). The writer's is left
// out: the sleeper makes the kernel run one on every processor (membarrier), because writing is
// frequent and falling asleep is not.
#pragma once

#include <cstdint>

#include "base/os.hpp"
#include "core/job/job.hpp"

namespace isthmus {

// Allows this process to be the target of others' membarrier; at initialisation.
void register_for_wakeups();

// Wakes the sleeping waits of `pe`, if any. After the store that they may wait for.
inline void wake(int pe) {
    PeStatus& status = job.header->pe[pe];
    __asm__ __volatile__("" ::: "memory");  // the processor's half is the sleeper's membarrier
    if (status.sleepers.load(std::memory_order_relaxed) == 0) [[likely]]
        return;
    status.wake_word.fetch_add(1, std::memory_order_release);  // partner: Sleeper::sleep, acquire
    os::futex_wake_all(reinterpret_cast<const std::uint32_t*>(&status.wake_word));
}

// For words whose writers do the writer's barrier themselves, by wake_fenced().
struct FencedWriters {};

// As wake(), with the writer's barrier: partner is Sleeper(FencedWriters).
inline void wake_fenced(int pe) {
    std::atomic_thread_fence(std::memory_order_seq_cst);
    wake(pe);
}

// The sleeper's half of the barrier, for whoever leaves a mark for writers and looks once more
// afterwards: they look at the mark without a barrier of their own. False: the kernel has none.
bool fence_writers();

class Sleeper {
  public:
    Sleeper();
    explicit Sleeper(FencedWriters);
    Sleeper(const Sleeper&) = delete;
    Sleeper& operator=(const Sleeper&) = delete;
    ~Sleeper();
    // Sleeps until woken or `nanoseconds` have passed, unless `done()`. True if done.
    template <typename Done>
    bool sleep(std::uint64_t nanoseconds, Done&& done) {
        const std::uint32_t seen = word().load(std::memory_order_acquire);
        if (done()) return true;
        os::futex_wait(reinterpret_cast<const std::uint32_t*>(&word()), seen, nanoseconds);
        return done();
    }
    // The two halves, for whose condition is the program's: what wakings() gives before the look,
    // and a sleep that a waking since then keeps from happening.
    std::uint32_t wakings() const { return word().load(std::memory_order_acquire); }
    void sleep_since(std::uint32_t seen, std::uint64_t nanoseconds) const {
        os::futex_wait(reinterpret_cast<const std::uint32_t*>(&word()), seen, nanoseconds);
    }

  private:
    static std::atomic<std::uint32_t>& word() { return job.status().wake_word; }
};

}  // namespace isthmus
