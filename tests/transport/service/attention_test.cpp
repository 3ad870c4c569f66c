#include "transport/service/attention.hpp"

#include <gtest/gtest.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <thread>

namespace isthmus::transport::service {
namespace {

using std::chrono::milliseconds;

double seconds_of(const std::function<void()>& what) {
    const auto began = std::chrono::steady_clock::now();
    what();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
}

class AttentionTest : public ::testing::Test {
  protected:
    ~AttentionTest() override { ::close(stop_); }
    double pause_after(std::uint64_t nanoseconds) {
        return seconds_of([&] { attention_.pause(now_nanoseconds() - nanoseconds, stop_); });
    }
    Attention attention_;
    int stop_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
};

TEST_F(AttentionTest, IsPaidDuringACallAndAMomentLonger) {
    EXPECT_FALSE(attention_.is_paid());
    EXPECT_EQ(attention_.during([&] {
        std::this_thread::sleep_for(milliseconds(2));
        EXPECT_TRUE(attention_.is_paid());
        return 7;
    }),
              7);
    bool was_paid = false;
    for (int tries = 0; tries < 100 && !was_paid; ++tries) {
        attention_.looked(now_nanoseconds());
        was_paid = attention_.is_paid();
    }
    EXPECT_TRUE(was_paid);
    std::this_thread::sleep_for(milliseconds(2));
    EXPECT_FALSE(attention_.is_paid());
}

// A look that finds something may take long, and is one at its end.
TEST_F(AttentionTest, IsPaidByALook) {
    for (const bool finds : {false, true}) {
        bool was_paid = false;
        for (int tries = 0; tries < 100 && !was_paid; ++tries) {
            std::uint64_t told = 0;
            const std::uint64_t before = now_nanoseconds();
            attention_.looks([&](std::uint64_t began) {
                told = began;
                EXPECT_TRUE(attention_.is_paid());
                if (finds) std::this_thread::sleep_for(std::chrono::microseconds(200));
                return finds;
            });
            was_paid = attention_.is_paid();
            EXPECT_GE(told, before);
            EXPECT_LE(told, now_nanoseconds());
        }
        EXPECT_TRUE(was_paid) << finds;
        std::this_thread::sleep_for(milliseconds(2));
        EXPECT_FALSE(attention_.is_paid()) << finds;
    }
}

TEST_F(AttentionTest, IsPaidByOneSleeperAtATime) {
    EXPECT_TRUE(attention_.fall_asleep());
    EXPECT_FALSE(attention_.fall_asleep());
    EXPECT_TRUE(attention_.is_asleep());
    std::this_thread::sleep_for(milliseconds(2));
    EXPECT_TRUE(attention_.is_paid());
    attention_.wake_up();
    EXPECT_FALSE(attention_.is_asleep());
    EXPECT_TRUE(attention_.fall_asleep());
}

// What a busy machine adds is not the pause's: often enough one try is not disturbed.
constexpr int kTries = 300;

TEST_F(AttentionTest, PausesGrowWithTheTimeThatItWasPaid) {
    double first = 1;
    double later = 1;
    for (int tries = 0; tries < kTries && (tries < 5 || first >= 0.9e-3); ++tries) {
        first = std::min(first, pause_after(0));
        later = std::min(later, pause_after(8'000'000));
    }
    EXPECT_GE(first, 50e-6);
    EXPECT_LT(first, 0.9e-3);
    EXPECT_GE(later, 0.9e-3);
}

TEST_F(AttentionTest, ATimerEndsALongPauseUnlessItIsPutOff) {
    double left_alone = 1;
    double looked_at = 0;
    for (int tries = 0; tries < kTries && (tries < 5 || looked_at < 15e-3); ++tries) {
        left_alone = std::min(left_alone, pause_after(1'000'000'000));
        std::jthread program([&](const std::stop_token& stop) {
            while (!stop.stop_requested()) {
                attention_.looked(now_nanoseconds());
                std::this_thread::sleep_for(std::chrono::microseconds(100));
            }
        });
        looked_at = std::max(looked_at, pause_after(1'000'000'000));
    }
    EXPECT_GE(left_alone, 1.9e-3);
    EXPECT_LT(left_alone, 15e-3);
    EXPECT_GE(looked_at, 15e-3);
}

TEST_F(AttentionTest, WakingUpSetsTheTimer) {
    double slept = 0;
    double woken = 1;
    for (int tries = 0; tries < kTries && (slept < 15e-3 || woken >= 15e-3); ++tries) {
        ASSERT_TRUE(attention_.fall_asleep());
        slept = std::max(slept, pause_after(1'000'000'000));
        std::jthread program([&] {
            std::this_thread::sleep_for(milliseconds(1));
            attention_.wake_up();
        });
        woken = std::min(woken, pause_after(1'000'000'000));
        program.join();
    }
    EXPECT_GE(slept, 15e-3);
    EXPECT_LT(woken, 15e-3);
}

TEST_F(AttentionTest, TheEndOfTheThreadEndsAPause) {
    const std::uint64_t one = 1;
    ASSERT_EQ(write(stop_, &one, sizeof one), static_cast<ssize_t>(sizeof one));
    ASSERT_TRUE(attention_.fall_asleep());
    double least = 1;
    for (int tries = 0; tries < 20; ++tries)
        least = std::min(least, pause_after(1'000'000'000));
    EXPECT_LT(least, 10e-3);
}

}  // namespace
}  // namespace isthmus::transport::service
