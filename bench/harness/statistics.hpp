// Medians and their spread; means.
#pragma once

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

namespace isthmus::bench {

// The value below which `share` of the samples lie; samples must not be empty.
inline double quantile(std::vector<double> samples, double share) {
    const auto at = static_cast<std::size_t>(share * static_cast<double>(samples.size() - 1) + 0.5);
    std::nth_element(samples.begin(), samples.begin() + static_cast<std::ptrdiff_t>(at),
                     samples.end());
    return samples[at];
}
inline double median(const std::vector<double>& samples) {
    return quantile(samples, 0.5);
}

// Of values of different things; samples of one thing have a median.
inline double mean(const std::vector<double>& values) {
    double sum = 0;
    for (const double value : values)
        sum += value;
    return sum / static_cast<double>(values.size());
}

// "10th to 90th percentile 0.98..1.04 of 60 batches".
inline std::string spread_text(const std::vector<double>& samples) {
    char text[96];
    std::snprintf(text, sizeof text, "10th to 90th percentile %.4g..%.4g of %zu batches",
                  quantile(samples, 0.1), quantile(samples, 0.9), samples.size());
    return text;
}

}  // namespace isthmus::bench
