// Who sees to the completion queue: the program while it looks there itself, else the thread. Both
// would wake for each completion and be in each other's way.
//
// The thread comes back when the program has not looked for a moment. To find that out it looks
// after pauses, which grow, because each takes the processor from somebody; in the end it sleeps on
// a timer that the program puts off as long as it looks, and so is not woken at all.
#pragma once

#include <atomic>
#include <cstdint>

namespace isthmus::transport::service {

std::uint64_t now_nanoseconds();

class Attention {
  public:
    Attention();
    Attention(const Attention&) = delete;
    Attention& operator=(const Attention&) = delete;
    ~Attention();

    // ---- the program, any thread of it

    // A call that serves others in some way.
    template <typename Call>
    auto during(Call&& call) {
        calling_.fetch_add(1, std::memory_order_relaxed);
        const auto result = call();
        looked(now_nanoseconds());
        calling_.fetch_sub(1, std::memory_order_relaxed);
        return result;
    }
    // One that looks at the queue, and is told when it began. Most find nothing and are short: the
    // clock is read once for all of it.
    template <typename Look>
    void looks(Look&& look) {
        calling_.fetch_add(1, std::memory_order_relaxed);
        const std::uint64_t began = now_nanoseconds();
        const bool found = look(began);
        looked(found ? now_nanoseconds() : began);
        calling_.fetch_sub(1, std::memory_order_relaxed);
    }
    void looked(std::uint64_t now) {
        looked_.store(now, std::memory_order_relaxed);
        if (awaited_.load(std::memory_order_relaxed) &&
            now - put_off_.load(std::memory_order_relaxed) > kPutOff) [[unlikely]]
            put_off(now);
    }
    // One thread of the program at a time sleeps on the queue. False: another one does.
    bool fall_asleep() {
        bool nobody = false;
        return asleep_.compare_exchange_strong(nobody, true, std::memory_order_relaxed);
    }
    void wake_up() {
        // Sequentially consistent, this and the load behind it: partners are those of pause(). One
        // of the two threads sees what the other has written, and sets the timer.
        asleep_.store(false, std::memory_order_seq_cst);
        const bool awaited = awaited_.load(std::memory_order_seq_cst);
        const std::uint64_t now = now_nanoseconds();
        looked_.store(now, std::memory_order_relaxed);
        if (awaited) put_off(now);
    }
    bool is_asleep() const { return asleep_.load(std::memory_order_relaxed); }

    // ---- the thread

    // The program sees to the queue.
    bool is_paid() const;
    // A pause after the program has seen to it since `began`; ends early when `stop` rings.
    void pause(std::uint64_t began, int stop);

  private:
    // Nanoseconds. A moment is no longer than a thread's wake-up on a busy machine, since what
    // comes in it waits.
    static constexpr std::uint64_t kMoment = 50'000;
    static constexpr std::uint64_t kLongest = 2'000'000;
    static constexpr std::uint64_t kPutOff = kLongest / 2;
    static constexpr int kSleep_ms = 20;  // others want something of the thread, too

    void put_off(std::uint64_t now);

    // Relaxed where nothing else is said: hints about when.
    std::atomic<std::uint64_t> looked_{0};
    // Threads in during(), which may take longer than a moment.
    std::atomic<int> calling_{0};
    std::atomic<bool> asleep_{false};
    std::atomic<bool> awaited_{false};  // the thread sleeps on the timer
    std::atomic<std::uint64_t> put_off_{0};
    int timer_;  // -1: the system has none, and pauses do not grow further
};

}  // namespace isthmus::transport::service
