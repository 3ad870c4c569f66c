// A histogram of cycle counts with a relative error below 1/16: exact below 16, then sixteen steps
// an octave.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>

namespace isthmus::sim {

class Histogram {
  public:
    void add(std::uint64_t value) {
        ++counts_[index(value)];
        ++count_;
        sum_ += value;
        maximum_ = std::max(maximum_, value);
        minimum_ = std::min(minimum_, value);
    }
    void merge(const Histogram& other) {
        for (std::size_t i = 0; i < counts_.size(); ++i)
            counts_[i] += other.counts_[i];
        count_ += other.count_;
        sum_ += other.sum_;
        maximum_ = std::max(maximum_, other.maximum_);
        minimum_ = std::min(minimum_, other.minimum_);
    }
    std::uint64_t count() const { return count_; }
    std::uint64_t maximum() const { return maximum_; }
    std::uint64_t minimum() const { return count_ == 0 ? 0 : minimum_; }
    double mean() const {
        return count_ == 0 ? 0 : static_cast<double>(sum_) / static_cast<double>(count_);
    }
    /// What the given share (0..1) of the values does not exceed: the last value of a step, but not
    /// more than the greatest there was.
    std::uint64_t quantile(double share) const {
        const auto target = static_cast<std::uint64_t>(share * static_cast<double>(count_));
        std::uint64_t seen = 0;
        for (std::size_t i = 0; i < counts_.size(); ++i) {
            seen += counts_[i];
            if (seen > target)
                return i + 1 == counts_.size() ? maximum_
                                               : std::min(lower_edge(i + 1) - 1, maximum_);
        }
        return maximum_;
    }
    /// {"count", "mean", "minimum", "p50", "p90", "p99", "maximum", "steps": [[lower edge, count],
    /// ...]}
    nlohmann::ordered_json to_json() const;

    static std::size_t index(std::uint64_t value) {
        if (value < 16) return value;
        const auto octave = static_cast<std::size_t>(std::bit_width(value) - 5);  // 0 for 16..31
        return 16 + octave * 16 + ((value >> octave) & 15);
    }
    static std::uint64_t lower_edge(std::size_t index) {
        if (index < 16) return index;
        return (std::uint64_t{16} + index % 16) << (index / 16 - 1);
    }

  private:
    std::array<std::uint64_t, 16 + 60 * 16> counts_{};
    std::uint64_t count_ = 0, sum_ = 0, maximum_ = 0, minimum_ = ~std::uint64_t{0};
};

}  // namespace isthmus::sim
