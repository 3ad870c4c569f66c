// Handlers of signals that libraries of networks would replace.
#pragma once

#include <array>
#include <csignal>
#include <optional>
#include <utility>

#include "base/blocked_signals.hpp"

namespace isthmus {

// Libraries of networks install handlers of their own when they are loaded (one prints backtraces
// of faults and exits, and would keep ours from explaining them). What was there comes back, and
// signals wait until then: no handler of theirs ends this process.
class KeptSignals {
  public:
    KeptSignals() {
        current = this;
        for (int signal = 1; signal < kSignals; ++signal)
            known_[static_cast<std::size_t>(signal)] =
                sigaction(signal, nullptr, &actions_[static_cast<std::size_t>(signal)]) == 0;
    }
    KeptSignals(const KeptSignals&) = delete;
    KeptSignals& operator=(const KeptSignals&) = delete;
    ~KeptSignals() {
        current = nullptr;
        restore();
    }
    // The library that others come with is loaded: what it does now may crash.
    void put_back() const {
        for (int signal = 1; signal < kSignals; ++signal) {
            if (known_[static_cast<std::size_t>(signal)])
                sigaction(signal, &actions_[static_cast<std::size_t>(signal)], nullptr);
        }
    }
    // All libraries are loaded, and what comes now may take long.
    void restore() {
        put_back();
        blocked_.reset();
    }
    static inline KeptSignals* current = nullptr;
    static bool are_libraries_loading() { return current && current->blocked_; }

  private:
    static constexpr int kSignals = 32;  // those with names
    std::optional<BlockedSignals> blocked_{std::in_place};
    std::array<struct sigaction, kSignals> actions_{};
    std::array<bool, kSignals> known_{};
};

}  // namespace isthmus
