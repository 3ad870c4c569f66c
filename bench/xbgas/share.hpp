// Shares of a whole, in per cent.
#pragma once

#include <algorithm>
#include <optional>

namespace isthmus::bench {

inline double saved(double ours, double theirs) {
    return 100 * (1 - ours / theirs);
}

// Nothing if the network's part is longer than the whole by more than the rounding of clocks: then
// one of the two was not measured rightly.
inline std::optional<double> software_share(double whole, double network) {
    constexpr double kRounding = 1.001;
    if (network > whole * kRounding) return {};
    return std::max(0.0, saved(network, whole));
}

}  // namespace isthmus::bench
