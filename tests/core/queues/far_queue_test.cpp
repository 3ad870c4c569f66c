// The owner's side of queues between hosts, asked as the transport asks it: with what others send,
// right or not.
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "core/queues/far_queue_wire.hpp"
#include "core/reach/request.hpp"
#include "core/session/attach.hpp"

namespace isthmus {
namespace {

using namespace queue_wire;
using Outcome = FarQueueProducer::Outcome;

constexpr std::uint64_t kRing = 4096;
constexpr std::uint32_t kGeneration = 5;
constexpr int kProducer = 1;

class FarQueueTest : public testing::Test {
  protected:
    void SetUp() override {
        setenv("SHMEM_SYMMETRIC_SIZE", "1M", 1);
        attach_job();
        memory_ = static_cast<char*>(std::aligned_alloc(4096, kRingOffset + kRing));
        std::memset(memory_, 0, kRingOffset + kRing);
        control_ = format_ring(memory_, kRing);
        far::present = true;  // or nothing is served
        open_to_far(memory_);
        name_to_far(memory_, kGeneration);
    }
    void TearDown() override {
        close_to_far(memory_);
        far::present = false;
        std::free(memory_);
        detach_job();
        unsetenv("SHMEM_SYMMETRIC_SIZE");
    }
    RingName name(bool waits = false) const {
        return {reinterpret_cast<std::uint64_t>(memory_), kGeneration, waits ? 1u : 0u};
    }
    RingConsumer consumer() { return {control_, memory_ + kRingOffset}; }

    std::size_t serve(RequestId id, const void* payload, std::size_t bytes, int from = kProducer) {
        return serve_request(from, static_cast<std::uint32_t>(id), payload, bytes, answer_);
    }
    template <typename Answer, typename Question>
    Answer ask(RequestId id, const Question& question) {
        Answer answer{};
        EXPECT_EQ(serve(id, &question, sizeof question), sizeof answer);
        std::memcpy(&answer, answer_, sizeof answer);
        return answer;
    }
    Outcome enqueue(const RingName& ring, const std::string& message) {
        const Enqueue head{ring};
        std::string request(reinterpret_cast<const char*>(&head), sizeof head);
        request += message;
        EXPECT_EQ(serve(RequestId::queue_enqueue, request.data(), request.size()),
                  sizeof(Enqueued));
        Enqueued answer{};
        std::memcpy(&answer, answer_, sizeof answer);
        return answer.outcome;
    }

    char* memory_ = nullptr;
    RingControl* control_ = nullptr;
    alignas(8) char answer_[transport::kAnswerBytes];
};

TEST_F(FarQueueTest, EnqueuesInOrder) {
    EXPECT_EQ(enqueue(name(), "one"), Outcome::done);
    EXPECT_EQ(enqueue(name(), ""), Outcome::done);
    const auto reserved = ask<Reserved>(RequestId::queue_reserve, Reserve{name(), 100});
    ASSERT_EQ(reserved.outcome, Outcome::done);
    EXPECT_EQ(enqueue(name(), "four"), Outcome::done);
    RingConsumer taker = consumer();
    std::uint64_t size = 0;
    const void* message = taker.take(size);
    ASSERT_TRUE(message);
    EXPECT_EQ(std::string(static_cast<const char*>(message), size), "one");
    ASSERT_TRUE(taker.take(size));
    EXPECT_EQ(size, 0u);
    EXPECT_FALSE(taker.take(size)) << "the reserved one comes first";
    char* const place = memory_ + kRingOffset + reserved.position + sizeof(FrameHead);
    std::memcpy(place, "three", 5);
    const Commit commit{name(), reserved.position, 5};
    EXPECT_NE(serve(RequestId::queue_commit, &commit, sizeof commit), transport::kRefused);
    message = taker.take(size);
    ASSERT_TRUE(message);
    EXPECT_EQ(std::string(static_cast<const char*>(message), size), "three");
    ASSERT_TRUE(taker.take(size));
    EXPECT_EQ(size, 4u);
}

TEST_F(FarQueueTest, KnowsWhichRing) {
    RingName other = name();
    other.generation += 2;
    EXPECT_EQ(enqueue(other, "x"), Outcome::destroyed);
    other = name();
    other.memory += 64;
    EXPECT_EQ(enqueue(other, "x"), Outcome::destroyed);
    open_to_far(memory_);
    EXPECT_EQ(enqueue(name(), "x"), Outcome::not_named);
    name_to_far(memory_, kGeneration);
    EXPECT_EQ(enqueue(name(), "x"), Outcome::done);
    close_to_far(memory_);
    EXPECT_EQ(enqueue(name(), "x"), Outcome::destroyed);
}

TEST_F(FarQueueTest, TellsWhoWaits) {
    const std::string message(1000, 'm');
    Outcome outcome = Outcome::done;
    for (int i = 0; i < 5 && outcome == Outcome::done; ++i)
        outcome = enqueue(name(), message);
    EXPECT_EQ(outcome, Outcome::full);
    EXPECT_EQ(control_->blocked_count.load(), 0u) << "it does not wait";
    EXPECT_EQ(enqueue(name(true), message), Outcome::full);
    EXPECT_EQ(enqueue(name(true), message), Outcome::full);
    EXPECT_EQ(control_->blocked_count.load(), 1u) << "one PE, however often it asks";
    const auto closed = ask<Closed>(RequestId::queue_close, Close{name()});
    EXPECT_EQ(closed.outcome, Outcome::done);
    EXPECT_EQ(closed.waiting[0], std::uint64_t{1} << kProducer);
    EXPECT_EQ(control_->blocked_count.load(), 0u);
    EXPECT_EQ(enqueue(name(true), message), Outcome::closed);
    EXPECT_EQ(control_->blocked_count.load(), 0u);
    EXPECT_TRUE(is_empty(close_ring_here(*control_, job.me, kDestroyed)));
    EXPECT_EQ(enqueue(name(), message), Outcome::destroyed);
    EXPECT_EQ(ask<Closed>(RequestId::queue_close, Close{name()}).outcome, Outcome::destroyed);
}

TEST_F(FarQueueTest, RefusesWhatIsNoRequest) {
    const std::vector<char> bytes(transport::kRequestBytes);
    for (const RequestId id : {RequestId::queue_enqueue, RequestId::queue_reserve,
                               RequestId::queue_commit, RequestId::queue_close})
        EXPECT_EQ(serve(id, bytes.data(), 3), transport::kRefused);
    const Reserve large{name(), message_limit(kRing) + 1};
    EXPECT_EQ(serve(RequestId::queue_reserve, &large, sizeof large), transport::kRefused);
    const auto reserved = ask<Reserved>(RequestId::queue_reserve, Reserve{name(), 40});
    const Commit right{name(), reserved.position, 40};
    const Commit long_one{name(), reserved.position, 41};
    const Commit elsewhere{name(), reserved.position + kCell, 1};
    EXPECT_EQ(serve(RequestId::queue_commit, &long_one, sizeof long_one), transport::kRefused);
    EXPECT_EQ(serve(RequestId::queue_commit, &elsewhere, sizeof elsewhere), transport::kRefused);
    EXPECT_EQ(serve(RequestId::queue_commit, &right, sizeof right, kProducer + 1),
              transport::kRefused)
        << "another PE's";
    EXPECT_NE(serve(RequestId::queue_commit, &right, sizeof right), transport::kRefused);
    EXPECT_EQ(serve(RequestId::queue_commit, &right, sizeof right), transport::kRefused) << "twice";
}

// Whatever comes, the ring stays one that can be drained.
TEST_F(FarQueueTest, SurvivesAnything) {
    std::mt19937_64 random(7);
    std::vector<char> bytes(transport::kRequestBytes);
    RingConsumer taker = consumer();
    std::vector<std::uint64_t> reserved;
    for (int round = 0; round < 20000; ++round) {
        for (char& byte : bytes)
            byte = static_cast<char>(random());
        const RingName right = name(random() % 2 != 0);
        if (random() % 8 != 0) std::memcpy(bytes.data(), &right, sizeof right);
        const auto id = static_cast<RequestId>(
            static_cast<std::uint32_t>(RequestId::queue_enqueue) + random() % 3);
        std::size_t length = random() % bytes.size();
        if (id == RequestId::queue_reserve && random() % 2 != 0) {
            const Reserve reserve{right, random() % 3000};
            std::memcpy(bytes.data(), &reserve, length = sizeof reserve);
        } else if (id == RequestId::queue_commit && !reserved.empty() && random() % 2 != 0) {
            const Commit commit{right, reserved.front(), random() % 64};
            std::memcpy(bytes.data(), &commit, length = sizeof commit);
            if (serve(id, bytes.data(), length) != transport::kRefused)
                reserved.erase(reserved.begin());
            length = 0;
        }
        if (serve(id, bytes.data(), length) == sizeof(Reserved) && id == RequestId::queue_reserve) {
            Reserved answer{};
            std::memcpy(&answer, answer_, sizeof answer);
            if (answer.outcome == Outcome::done) reserved.push_back(answer.position);
        }
        control_->blocked_count.store(0);  // nobody is there to be told
        for (auto& word : control_->blocked)
            word.store(0);
        std::uint64_t size = 0;
        while (taker.take(size)) {
            ASSERT_LE(size, message_limit(kRing));
            taker.release();
        }
    }
    for (const std::uint64_t position : reserved) {
        const Commit commit{name(), position, 0};
        EXPECT_NE(serve(RequestId::queue_commit, &commit, sizeof commit), transport::kRefused);
    }
    taker.messages_left();
    while (taker.release()) {
    }
    EXPECT_EQ(control_->head.load(), control_->tail.load());
}

}  // namespace
}  // namespace isthmus
