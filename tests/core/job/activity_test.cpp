// What a PE does, as one word between hosts.
#include "core/job/activity.hpp"

#include <gtest/gtest.h>

#include <memory>

using namespace isthmus;

namespace {

constexpr std::uint64_t kSecond = 1'000'000'000;
constexpr std::uint64_t kNow = 1000000 * kSecond;

struct CoreActivity : testing::Test {
    std::unique_ptr<PeStatus> status = std::make_unique<PeStatus>();
};

TEST_F(CoreActivity, ComesAsItWasSaid) {
    // Another thread of it has noted something else since.
    status->routine.store(Routine::barrier_all, std::memory_order_relaxed);
    status->waiting_in.store(Routine::set_lock, std::memory_order_relaxed);
    status->waiting_since.store(kNow - 7 * kSecond, std::memory_order_relaxed);
    for (const int peer : {-1, 0, 5, static_cast<int>(kMaxPes) - 1}) {
        status->waiting_for.store(peer, std::memory_order_relaxed);
        const std::uint64_t word = state_word(*status, kNow);
        ASSERT_TRUE(is_activity(word));
        EXPECT_FALSE(is_departure(word));
        const Activity activity = activity_in(word);
        EXPECT_EQ(activity.kind, Activity::Kind::waits);
        EXPECT_EQ(activity.routine, Routine::set_lock);
        EXPECT_EQ(activity.waited, 7 * kSecond);
        EXPECT_EQ(activity.peer, peer);
        EXPECT_EQ(activity.place, place_of(nullptr));
    }
}

TEST_F(CoreActivity, SaysThatItComputes) {
    status->waiting_for.store(-1, std::memory_order_relaxed);
    const std::uint64_t word = state_word(*status, kNow);
    ASSERT_TRUE(is_activity(word));
    EXPECT_EQ(activity_in(word).kind, Activity::Kind::computes);
    EXPECT_EQ(activity_in(word).peer, -1);
    EXPECT_EQ(activity_in(word).waited, 0u);
}

TEST_F(CoreActivity, WaitsByTestsUntilItGivesThemUp) {
    status->waiting_since.store(kNow - 2 * kSecond, std::memory_order_relaxed);
    status->tested_at.store(kNow - kSecond / 2, std::memory_order_relaxed);
    EXPECT_EQ(activity_in(state_word(*status, kNow)).kind, Activity::Kind::tests);
    status->tested_at.store(kNow - 2 * kSecond, std::memory_order_relaxed);
    EXPECT_EQ(activity_in(state_word(*status, kNow)).kind, Activity::Kind::computes);
}

// Also of a PE that is stopped amid that.
TEST_F(CoreActivity, ReadsAWaitAsItWasWritten) {
    PublishedWait wait;
    wait.since = 5;
    wait.at = 16;
    wait.value = 7;
    wait.routine = Routine::test_lock;
    wait.peer = 3;
    wait.words = 2;
    wait.condition = 4;
    wait.width = 8;
    wait.tested_at = 9;
    for (const bool amid : {false, true}) {
        write_wait(*status, wait);
        if (amid) status->waits_told.fetch_add(1, std::memory_order_relaxed);
        const PublishedWait read = wait_of(*status);
        EXPECT_EQ(read.since, 5u);
        EXPECT_EQ(read.at, 16u);
        EXPECT_EQ(read.value, 7u);
        EXPECT_EQ(read.routine, Routine::test_lock);
        EXPECT_EQ(read.peer, 3);
        EXPECT_EQ(read.words, 2u);
        EXPECT_EQ(read.condition, 4);
        EXPECT_EQ(read.width, 8);
        EXPECT_EQ(read.tested_at, 9u);
    }
    write_no_wait(*status);
    EXPECT_EQ(wait_of(*status).since, 0u);
    EXPECT_EQ(wait_of(*status).tested_at, 0u);
}

// The routine says nothing of an operation that waits for its answer.
TEST_F(CoreActivity, ComputesWhereItAwaitsAnAnswer) {
    status->waiting_condition.store(kAwaitsAnswer, std::memory_order_relaxed);
    status->waiting_since.store(kNow - 3 * kSecond, std::memory_order_relaxed);
    status->waiting_for.store(4, std::memory_order_relaxed);
    const Activity activity = activity_in(state_word(*status, kNow));
    EXPECT_EQ(activity.kind, Activity::Kind::computes);
    EXPECT_EQ(activity.waited, 3 * kSecond);
    EXPECT_EQ(activity.peer, 4);
}

TEST_F(CoreActivity, SaysHowItLeavesBeforeWhatItDoes) {
    status->routine.store(Routine::finalize, std::memory_order_relaxed);
    status->departures.store(3, std::memory_order_relaxed);
    status->departure.store(Departure::exit, std::memory_order_relaxed);
    const std::uint64_t word = state_word(*status, kNow);
    EXPECT_TRUE(is_departure(word));
    EXPECT_FALSE(is_activity(word));
    EXPECT_STREQ(departure_text(word).c_str(), "exited");
    status->departure.store(Departure::finalize, std::memory_order_relaxed);
    status->allocations.store(0x12345, std::memory_order_relaxed);
    const std::uint64_t other = state_word(*status, kNow);
    EXPECT_STREQ(departure_text(other).c_str(), "called shmem_finalize");
    EXPECT_EQ(nearest_count(0x12346, other >> 48, 16), 0x12345u);
}

TEST_F(CoreActivity, CountsAllocationsFromTheOwnOnes) {
    for (const std::uint64_t mine : {0, 1, 9, 100, 1000}) {
        for (std::uint64_t theirs = mine < 15 ? 0 : mine - 15; theirs < mine + 15; ++theirs) {
            status->allocations.store(theirs, std::memory_order_relaxed);
            const Activity activity = activity_in(state_word(*status, kNow));
            EXPECT_EQ(nearest_count(mine, activity.allocations, Activity::kCountBits), theirs);
        }
    }
}

TEST_F(CoreActivity, NothingIsNeither) {
    EXPECT_FALSE(is_activity(0));
    EXPECT_FALSE(is_departure(0));
}

// To a tenth of a second, later to an eighth of what it is.
TEST_F(CoreActivity, TellsLongTimesRoughly) {
    for (const std::uint64_t waited : {kSecond / 10, 51 * kSecond, 52 * kSecond, 3600 * kSecond,
                                       86400 * kSecond, 365 * 86400 * kSecond}) {
        status->waiting_since.store(kNow * 100 - waited, std::memory_order_relaxed);
        const std::uint64_t told = activity_in(state_word(*status, kNow * 100)).waited;
        EXPECT_LE(told, waited);
        EXPECT_GE(told, waited <= 51 * kSecond ? waited : waited - waited / 8);
    }
}

TEST_F(CoreActivity, AnyWordFromANetworkIsRead) {
    for (unsigned bit = 0; bit < 64; ++bit)
        for (unsigned other = 0; other < 64; ++other) {
            const std::uint64_t word = std::uint64_t{1} << bit | std::uint64_t{1} << other;
            EXPECT_FALSE(is_activity(word) && is_departure(word));
            EXPECT_NE(routine_name(activity_in(word).routine), nullptr);
        }
}

}  // namespace
