// How much of a processor the thread that makes progress may use.
#pragma once

#include <algorithm>
#include <cstdint>

namespace isthmus::transport::service {

// Counts what the thread has used against its share of the time that passed. Times are in
// nanoseconds. What it did not use it may use later, for up to kBurst; what it used too much it
// rests for.
class Share {
  public:
    static constexpr std::int64_t kBurst = 2'000'000;
    // Of a processor: above 0, up to 1.
    explicit Share(double share) : share_(share) {}
    bool is_all() const { return share_ >= 1; }
    // How long to rest, given the time and what the thread has used since it began.
    std::uint64_t rest(std::uint64_t now, std::uint64_t used) {
        if (last_ != 0) {
            const double earned = share_ * static_cast<double>(now - last_);
            balance_ += static_cast<std::int64_t>(earned) - static_cast<std::int64_t>(used - used_);
            balance_ = std::min(balance_, kBurst);
        }
        last_ = now;
        used_ = used;
        return balance_ >= 0 ? 0
                             : static_cast<std::uint64_t>(static_cast<double>(-balance_) / share_);
    }

  private:
    double share_;
    std::int64_t balance_ = kBurst;
    std::uint64_t last_ = 0;
    std::uint64_t used_ = 0;
};

}  // namespace isthmus::transport::service
