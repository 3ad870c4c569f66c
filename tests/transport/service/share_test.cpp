#include "transport/service/share.hpp"

#include <gtest/gtest.h>

#include <random>

using isthmus::transport::service::Share;

namespace {

constexpr std::uint64_t kMillisecond = 1'000'000;

TEST(Share, AnIdleThreadNeverRests) {
    Share share(0.01);
    for (std::uint64_t now = 1; now < 1000 * kMillisecond; now += kMillisecond)
        EXPECT_EQ(share.rest(now, now / 1000), 0u);
}

TEST(Share, WhatWasSavedIsBounded) {
    Share share(0.5);
    EXPECT_EQ(share.rest(1, 0), 0u);
    const std::uint64_t hour = 3'600'000 * kMillisecond;
    EXPECT_EQ(share.rest(hour, 0), 0u);
    // Ten milliseconds of work at once: five were earned meanwhile and two saved, three are owed.
    EXPECT_EQ(share.rest(hour + 10 * kMillisecond, 10 * kMillisecond), 6 * kMillisecond);
}

// A thread that works whenever it does not rest, in pieces of any length, gets its share.
TEST(Share, ABusyThreadGetsItsShare) {
    std::mt19937_64 random(1);
    for (const double wanted : {0.01, 0.1, 0.5, 0.9}) {
        Share share(wanted);
        std::uint64_t now = 1;
        std::uint64_t used = 0;
        while (now < 100'000 * kMillisecond) {
            const std::uint64_t piece = random() % (5 * kMillisecond);
            now += piece;
            used += piece;
            now += share.rest(now, used);
        }
        EXPECT_NEAR(static_cast<double>(used) / static_cast<double>(now), wanted,
                    wanted / 100 + 1e-4);
    }
}

}  // namespace
