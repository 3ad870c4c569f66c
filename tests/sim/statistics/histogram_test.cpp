#include "sim/statistics/histogram.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace isthmus::sim {
namespace {

TEST(Histogram, EdgesHoldTheirValues) {
    for (std::uint64_t value :
         {0ull, 1ull, 15ull, 16ull, 17ull, 31ull, 32ull, 1000ull, 123456789ull, ~0ull}) {
        const std::size_t i = Histogram::index(value);
        EXPECT_LE(Histogram::lower_edge(i), value);
        if (value != ~0ull) {
            EXPECT_GT(Histogram::lower_edge(i + 1), value);
        }
        EXPECT_LE(static_cast<double>(value - Histogram::lower_edge(i)),
                  static_cast<double>(value) / 16 + 1);
    }
}

TEST(Histogram, QuantilesAreNotBelowTheValues) {
    Histogram one;
    EXPECT_EQ(one.quantile(0.5), 0u);
    one.add(67);
    for (const double share : {0.0, 0.5, 0.99, 1.0})
        EXPECT_EQ(one.quantile(share), 67u) << share;
    Histogram many;
    for (std::uint64_t value = 1; value <= 10000; ++value)
        many.add(value);
    for (const double share : {0.1, 0.5, 0.9, 0.99}) {
        const auto exact = static_cast<std::uint64_t>(share * 10000);
        EXPECT_GE(many.quantile(share), exact) << share;
        EXPECT_LE(many.quantile(share), exact + exact / 16 + 1) << share;
    }
    EXPECT_EQ(many.quantile(1), 10000u);
    Histogram greatest;
    greatest.add(~std::uint64_t{0});
    EXPECT_EQ(greatest.quantile(0.5), ~std::uint64_t{0});
}

TEST(Histogram, MergedOnesAreAsIfTheValuesHadBeenAddedToOne) {
    Histogram low, high, all;
    for (std::uint64_t value = 3; value < 3000; value += 7) {
        (value < 1000 ? low : high).add(value);
        all.add(value);
    }
    for (const bool upwards : {true, false}) {
        Histogram merged = upwards ? low : high;
        merged.merge(upwards ? high : low);
        EXPECT_EQ(merged.count(), all.count());
        EXPECT_EQ(merged.mean(), all.mean());
        EXPECT_EQ(merged.minimum(), all.minimum());
        EXPECT_EQ(merged.maximum(), all.maximum());
        for (const double share : {0.0, 0.2, 0.5, 0.9, 1.0})
            EXPECT_EQ(merged.quantile(share), all.quantile(share)) << share;
    }
}

}  // namespace
}  // namespace isthmus::sim
