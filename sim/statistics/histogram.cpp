#include "sim/statistics/histogram.hpp"

#include <nlohmann/json.hpp>

namespace isthmus::sim {

nlohmann::ordered_json Histogram::to_json() const {
    nlohmann::ordered_json steps = nlohmann::ordered_json::array();
    for (std::size_t i = 0; i < counts_.size(); ++i) {
        if (counts_[i] != 0) steps.push_back({lower_edge(i), counts_[i]});
    }
    return {{"count", count_},      {"mean", mean()},           {"minimum", minimum()},
            {"p50", quantile(0.5)}, {"p90", quantile(0.9)},     {"p99", quantile(0.99)},
            {"maximum", maximum_},  {"steps", std::move(steps)}};
}

}  // namespace isthmus::sim
