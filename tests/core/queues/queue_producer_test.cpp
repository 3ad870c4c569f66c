#include "core/queues/queue_producer.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>

#include "core/session/attach.hpp"

namespace isthmus {
namespace {

constexpr std::uint64_t kRing = 4096;
using Outcome = QueueProducer::Outcome;
using Commit = QueueProducer::Commit;

// Of a ring in this process' own memory, in a job of one PE.
class QueueProducerTest : public testing::Test {
  protected:
    void SetUp() override {
        setenv("SHMEM_SYMMETRIC_SIZE", "1M", 1);
        attach_job();
        memory_ = static_cast<char*>(std::aligned_alloc(4096, kRingOffset + kRing));
        std::memset(memory_, 0, kRingOffset + kRing);
        control_ = format_ring(memory_, kRing);
        producer_ = QueueProducer(control_, memory_ + kRingOffset, 0);
    }
    void TearDown() override {
        std::free(memory_);
        detach_job();
        unsetenv("SHMEM_SYMMETRIC_SIZE");
    }
    void* reserve(std::uint64_t size, Outcome& outcome) {
        return producer_.reserve_wait(size, Routine::native_enqueue, outcome, [&] { ++begun_; });
    }
    Commit commit(void* message, std::uint64_t size) {
        return producer_.commit(message, size, Routine::native_enqueue, reserved_);
    }

    char* memory_ = nullptr;
    RingControl* control_ = nullptr;
    QueueProducer producer_;
    std::uint64_t reserved_ = 0;
    int begun_ = 0;
};

TEST_F(QueueProducerTest, SendsUntilTheRingIsFullAndSaysWhy) {
    const char message[100] = "m";
    int sent = 0;
    while (producer_.send(message, sizeof message))
        ++sent;
    EXPECT_EQ(sent, static_cast<int>(kRing / frame_bytes(sizeof message)));
    EXPECT_EQ(producer_.try_send(message, sizeof message), Outcome::full);
    EXPECT_EQ(producer_.close(control_, 0), Outcome::done);
    EXPECT_EQ(producer_.try_send(message, sizeof message), Outcome::closed);
    EXPECT_FALSE(producer_.destroyed());
    close_ring(*control_, 0, kDestroyed);
    EXPECT_EQ(producer_.try_send(message, sizeof message), Outcome::destroyed);
    EXPECT_EQ(producer_.close(control_, 0), Outcome::destroyed);
}

TEST_F(QueueProducerTest, CommitsWhatIsReservedOnce) {
    Outcome outcome{};
    void* const message = reserve(40, outcome);
    ASSERT_NE(message, nullptr);
    EXPECT_EQ(outcome, Outcome::done);
    EXPECT_EQ(begun_, 0) << "nothing was waited for";
    std::memset(message, 7, 40);
    EXPECT_EQ(commit(message, 41), Commit::too_large);
    EXPECT_EQ(reserved_, 40u);
    EXPECT_EQ(commit(message, 24), Commit::done);
    EXPECT_EQ(commit(message, 24), Commit::not_reserved);
    RingConsumer consumer(control_, memory_ + kRingOffset);
    std::uint64_t size = 0;
    ASSERT_NE(consumer.take(size), nullptr);
    EXPECT_EQ(size, 24u);
}

TEST_F(QueueProducerTest, DoesNotWaitForRoomInAClosedRing) {
    close_ring(*control_, 0);
    Outcome outcome{};
    EXPECT_EQ(reserve(40, outcome), nullptr);
    EXPECT_EQ(outcome, Outcome::closed);
    EXPECT_EQ(producer_.send_wait("", 0, Routine::native_enqueue, [&] { ++begun_; }),
              Outcome::closed);
    EXPECT_EQ(begun_, 0);
}

TEST_F(QueueProducerTest, KeepsTheLimitAndNothingElseWhereTheRingIsNotHere) {
    EXPECT_EQ(producer_.limit(), message_limit(kRing));
    producer_ = QueueProducer(memory_, 1, 0, kRing * 4);
    EXPECT_EQ(producer_.limit(), message_limit(kRing * 4));
    EXPECT_FALSE(producer_.send("", 0));
    EXPECT_FALSE(producer_.destroyed()) << "its owner has not said so";
    producer_ = QueueProducer::ended();
    EXPECT_FALSE(producer_.send("", 0));
    EXPECT_TRUE(producer_.destroyed());
    EXPECT_EQ(producer_.try_send("", 0), Outcome::destroyed);
}

}  // namespace
}  // namespace isthmus
