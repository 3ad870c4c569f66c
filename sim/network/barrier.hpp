// A barrier for the simulator's threads. Waiters spin for a while, because a window of simulated
// time takes about a microsecond, then sleep, because the host may have fewer cores than the run
// has threads.
#pragma once

#include <atomic>
#include <cstdint>
#include <thread>

namespace isthmus::sim {

class Barrier {
  public:
    explicit Barrier(unsigned threads)
        : threads_(threads),
          waiting_(threads),
          spins_(threads <= std::thread::hardware_concurrency() ? 1000 : 0) {}

    /// Waits for all threads. The last to come runs `last()` alone, while the others still wait:
    /// what it writes is seen by all of them.
    template <class Last>
    void wait(Last&& last) {
        if (threads_ == 1) {
            last();
            return;
        }
        const std::uint32_t epoch =
            epoch_.load(std::memory_order_relaxed);  // cannot change before this thread arrives
        // acq_rel: the last arrival acquires what every earlier arrival released.
        if (waiting_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
            last();
            waiting_.store(threads_, std::memory_order_relaxed);  // ordered by the release below
            epoch_.store(epoch + 1, std::memory_order_release);   // pairs with the acquires below
            epoch_.notify_all();
            return;
        }
        for (unsigned i = 0; i < spins_; ++i) {
            if (epoch_.load(std::memory_order_acquire) != epoch) return;
            pause();
        }
        while (epoch_.load(std::memory_order_acquire) == epoch)
            epoch_.wait(epoch, std::memory_order_acquire);
    }
    void wait() {
        wait([] {});
    }

  private:
    static void pause() {
#if defined(__x86_64__)
        __builtin_ia32_pause();
#elif defined(__aarch64__)
        asm volatile("isb");
#endif
    }

    const std::uint32_t threads_;
    alignas(64) std::atomic<std::uint32_t> waiting_;
    alignas(64) std::atomic<std::uint32_t> epoch_{0};
    const unsigned spins_;
};

}  // namespace isthmus::sim
