// Time that was waited for, slice by slice.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/os.hpp"

namespace isthmus {

// From one look to the next, the first from the making; in seconds. Half a second at most: a job
// that was stopped as a whole, or a machine that slept, was not waited for.
class Slices {
  public:
    double next() {
        constexpr double kLongest = 0.5;
        const std::uint64_t now = os::monotonic_nanoseconds();
        const double slice = static_cast<double>(now - before_) * 1e-9;
        before_ = now;
        return std::min(slice, kLongest);
    }

  private:
    std::uint64_t before_ = os::monotonic_nanoseconds();
};

}  // namespace isthmus
