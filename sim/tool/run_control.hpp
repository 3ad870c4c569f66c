// How a long run shows that it goes on, and how it ends in order when the user has seen enough.
#pragma once

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <string>

namespace isthmus::sim {

/// One line at a terminal that is written anew twice a second, from two seconds on.
class ProgressLine {
  public:
    using Clock = std::chrono::steady_clock;

    explicit ProgressLine(bool wanted) : wanted_(wanted && isatty(STDERR_FILENO)) {}

    double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }
    bool due() {
        if (!wanted_ || seconds() < 2 || Clock::now() - last_ < std::chrono::milliseconds(500))
            return false;
        last_ = Clock::now();
        return true;
    }
    void show(const std::string& line) {
        std::fprintf(stderr, "\r%s ", line.c_str());
        shown_ = true;
    }
    /// Before anything else is written.
    void end() {
        if (shown_) std::fputc('\n', stderr);
        shown_ = false;
    }

  private:
    const bool wanted_;
    bool shown_ = false;
    const Clock::time_point start_ = Clock::now();
    Clock::time_point last_ = start_;
};

/// While it lives, the first SIGINT is only noted, for the run to stop and to write what was asked
/// for; a later one ends the process. One at a time.
class InterruptGuard {
  public:
    InterruptGuard() {
        noted_.store(0, std::memory_order_relaxed);
        sigaction(SIGINT, nullptr, &before_);
        if (before_.sa_handler == SIG_IGN) return;
        struct sigaction action {};
        // No SA_RESTART: a program that waits for input is to notice.
        action.sa_handler = note;
        sigaction(SIGINT, &action, nullptr);
    }
    ~InterruptGuard() { sigaction(SIGINT, &before_, nullptr); }
    InterruptGuard(const InterruptGuard&) = delete;
    InterruptGuard& operator=(const InterruptGuard&) = delete;

    static bool interrupted() { return noted_.load(std::memory_order_relaxed) != 0; }
    static constexpr int kExitCode = 128 + SIGINT;

  private:
    /// timeout(1) sends its signal to the process and to its group: one wish, two signals.
    static constexpr std::int64_t kSameWish = 200'000'000;

    static void note(int) {
        timespec time;
        clock_gettime(CLOCK_MONOTONIC, &time);
        const std::int64_t now = time.tv_sec * std::int64_t{1'000'000'000} + time.tv_nsec;
        std::int64_t first = 0;
        if (noted_.compare_exchange_strong(first, now, std::memory_order_relaxed) ||
            now - first < kSameWish)
            return;
        signal(SIGINT, SIG_DFL);
        raise(SIGINT);
    }

    /// When, in nanoseconds; 0: not yet. Relaxed: it tells of nothing else.
    inline static std::atomic<std::int64_t> noted_{0};
    static_assert(std::atomic<std::int64_t>::is_always_lock_free);

    struct sigaction before_ {};
};

}  // namespace isthmus::sim
