#include <gtest/gtest.h>

#include "xbgas/share.hpp"

namespace isthmus::bench {
namespace {

TEST(Share, OfSoftwareIsWhatLiesBesideTheNetwork) {
    EXPECT_NEAR(software_share(100, 91).value(), 9, 1e-9);
    EXPECT_EQ(software_share(100, 100), 0);
}

// Both clocks round: a hair is none, more is an error that must not pass as no software at all.
TEST(Share, OfANetworkLongerThanTheWholeIsNone) {
    EXPECT_EQ(software_share(100, 100.05), 0);
    EXPECT_FALSE(software_share(100, 101).has_value());
    EXPECT_FALSE(software_share(100, 250).has_value());
}

TEST(Share, SavedIsNegativeWhereOursIsMore) {
    EXPECT_EQ(saved(1, 4), 75);
    EXPECT_EQ(saved(4, 2), -100);
}

}  // namespace
}  // namespace isthmus::bench
