// How often a thread has had a processor, as the system tells it.
#include "core/session/last_thread.hpp"

#include <gtest/gtest.h>

using namespace isthmus;

namespace {

TEST(TurnsOfThreads, AreTheLastOfThreeNumbers) {
    EXPECT_EQ(turns_in("168443 20531 7"), "7");
    EXPECT_EQ(turns_in("0 0 20\n"), "20");
}

// Two looks that find nothing alike tell nothing.
TEST(TurnsOfThreads, AreNotKnownWhereTheSystemCountsNone) {
    EXPECT_EQ(turns_in("0 0 0\n"), "");
    EXPECT_EQ(turns_in("168443 20531"), "");
    EXPECT_EQ(turns_in(""), "");
}

}  // namespace
