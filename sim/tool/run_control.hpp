// How a long run shows that it goes on, and how it ends in order when the user has seen enough.
#pragma once

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
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
/// for; a second one ends the process. One at a time.
class InterruptGuard {
  public:
    InterruptGuard() {
        noted_ = false;
        sigaction(SIGINT, nullptr, &before_);
        if (before_.sa_handler == SIG_IGN) return;
        struct sigaction action {};
        action.sa_handler = [](int) { noted_ = true; };
        // No SA_RESTART: a program that waits for input is to notice.
        action.sa_flags = static_cast<int>(SA_RESETHAND);
        sigaction(SIGINT, &action, nullptr);
    }
    ~InterruptGuard() { sigaction(SIGINT, &before_, nullptr); }
    InterruptGuard(const InterruptGuard&) = delete;
    InterruptGuard& operator=(const InterruptGuard&) = delete;

    static bool interrupted() { return noted_; }
    static constexpr int kExitCode = 128 + SIGINT;

  private:
    inline static std::atomic<bool> noted_{false};
    static_assert(std::atomic<bool>::is_always_lock_free);

    struct sigaction before_ {};
};

}  // namespace isthmus::sim
