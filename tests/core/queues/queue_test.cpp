#include "core/queues/queue.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <memory>
#include <thread>
#include <vector>

#include "core/queues/ring_reader.hpp"
#include "core/session/attach.hpp"

namespace isthmus {
namespace {

constexpr std::uint64_t kRing = 4096;

// A ring in this process' own memory, in a job of one PE.
class QueueTest : public testing::Test {
  protected:
    void SetUp() override {
        setenv("SHMEM_SYMMETRIC_SIZE", "1M", 1);
        attach_job();
        memory_ = static_cast<char*>(std::aligned_alloc(4096, kRingOffset + kRing));
        std::memset(memory_, 0, kRingOffset + kRing);
        control_ = format_ring(memory_, kRing);
    }
    void TearDown() override {
        std::free(memory_);
        detach_job();
        unsetenv("SHMEM_SYMMETRIC_SIZE");
    }
    RingProducer producer() { return {control_, memory_ + kRingOffset, 0}; }
    RingConsumer consumer() { return {control_, memory_ + kRingOffset}; }

    char* memory_ = nullptr;
    RingControl* control_ = nullptr;
};

// Against a list, from positions whose number of laps needs 32 bits, or comes round in them.
TEST_F(QueueTest, KeepsMessagesOnEveryLap) {
    for (const std::uint64_t lap : {std::uint64_t{0}, std::uint64_t{0x7ffffffe},
                                    std::uint64_t{0xfffffffd}, std::uint64_t{1} << 40}) {
        std::memset(memory_, 0, kRingOffset + kRing);
        control_ = format_ring(memory_, kRing);
        control_->tail.store(lap * kRing);
        control_->head.store(lap * kRing);
        RingProducer producer = this->producer();
        RingConsumer consumer = this->consumer();
        std::deque<std::vector<char>> expected;
        std::uint64_t state = 1 + lap;
        for (int step = 0; step < 8000; ++step) {
            state = state * 6364136223846793005 + 1442695040888963407;
            const std::uint64_t wanted = (state >> 33) % 300;
            // More is taken than sent, so that the ring is often found empty.
            if (void* place = (state >> 60) < 7 ? producer.reserve(wanted) : nullptr) {
                // What looks like a mark most easily: words that are small, or positions.
                std::vector<char> bytes(wanted);
                for (std::uint64_t at = 0; at + 8 <= wanted; at += 8) {
                    const std::uint64_t word = (control_->tail.load() + at) | kVisible;
                    std::memcpy(&bytes[at], &word, 8);
                }
                std::copy(bytes.begin(), bytes.end(), static_cast<char*>(place));
                std::uint64_t size = 0;
                if (expected.empty()) {
                    ASSERT_EQ(consumer.peek(size), nullptr) << "not yet committed";
                }
                producer.commit(place, wanted);
                expected.push_back(bytes);
                continue;
            }
            std::uint64_t size = 0;
            const void* const message = consumer.take(size);
            ASSERT_EQ(message == nullptr, expected.empty()) << "lap " << lap << " step " << step;
            if (!message) continue;
            ASSERT_EQ(size, expected.front().size());
            ASSERT_TRUE(std::equal(expected.front().begin(), expected.front().end(),
                                   static_cast<const char*>(message)));
            expected.pop_front();
            ASSERT_TRUE(consumer.release());
        }
    }
}

// A message that is read from a page that faults: at the fault nothing of it is to be seen.
char* faulting_page = nullptr;
RingConsumer* watching = nullptr;
int faults = 0;
int seen_early = 0;
void on_fault(int, siginfo_t*, void*) {
    std::uint64_t size = 0;
    ++faults;
    if (watching->peek(size) != nullptr) ++seen_early;
    mprotect(faulting_page, 4096, PROT_READ | PROT_WRITE);
}
TEST_F(QueueTest, ShowsAMessageWhenItIsWhole) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "the fault would be the sanitizer's";
#endif
    RingProducer producer = this->producer();
    RingConsumer consumer = this->consumer();
    watching = &consumer;
    faulting_page = static_cast<char*>(
        mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    struct sigaction action {};
    struct sigaction before {};
    action.sa_sigaction = on_fault;
    action.sa_flags = SA_SIGINFO | SA_NODEFER;
    sigaction(SIGSEGV, &action, &before);
    for (const std::uint64_t bytes : {1, 8, 48, 200, 1500}) {
        mprotect(faulting_page, 4096, PROT_NONE);
        faults = seen_early = 0;
        ASSERT_TRUE(producer.send(faulting_page, bytes));
        EXPECT_GT(faults, 0);
        EXPECT_EQ(seen_early, 0) << bytes << " bytes";
        std::uint64_t size = 0;
        ASSERT_NE(consumer.take(size), nullptr);
        EXPECT_EQ(size, bytes);
        ASSERT_TRUE(consumer.release());
    }
    sigaction(SIGSEGV, &before, nullptr);
    munmap(faulting_page, 4096);
}

// What is left in a cell of a frame that was released is not taken for a message on the next lap,
// though it looks like the mark that is waited for.
TEST_F(QueueTest, ForgetsTheCellsOfWhatWasReleased) {
    constexpr std::uint64_t kCells = 4;
    RingProducer producer = this->producer();
    RingConsumer consumer = this->consumer();
    std::uint64_t size = 0;
    for (std::uint64_t turn = 0; turn < 3 * kRing / kCell; turn += kCells) {
        ASSERT_EQ(consumer.peek(size), nullptr) << "cell " << turn;
        const std::uint64_t position = control_->tail.load();
        std::uint64_t bytes[(kCells * kCell - sizeof(FrameHead)) / sizeof(std::uint64_t)];
        for (std::uint64_t i = 0; i < std::size(bytes); ++i) {
            const std::uint64_t place = sizeof(FrameHead) + i * sizeof(std::uint64_t);
            bytes[i] = (position + place + kRing) | kVisible;
        }
        ASSERT_TRUE(producer.send(bytes, sizeof bytes));
        ASSERT_NE(consumer.take(size), nullptr);
        ASSERT_TRUE(consumer.release());
    }
    for (std::uint64_t cell = 0; cell < kRing / kCell; ++cell) {
        ASSERT_EQ(consumer.peek(size), nullptr) << "cell " << cell << " was left as it was";
        ASSERT_TRUE(producer.send(&cell, sizeof cell));
        ASSERT_NE(consumer.take(size), nullptr);
        ASSERT_TRUE(consumer.release());
    }
}

// Two producers that never have more than one message each in the ring always find room in it,
// whatever the other does between their looks at tail and head. Where they share a core with others
// a message takes a time slice; then fewer must do.
TEST_F(QueueTest, IsNotFullWhileOthersGoOn) {
    constexpr int kMessages = 300000;
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    std::atomic<int> handled{0};
    std::atomic<bool> done{false};
    int refused_other = 0;
    int refused_here = 0;
    std::thread other([&] {
        RingProducer producer = this->producer();
        for (int i = 0; i < kMessages && std::chrono::steady_clock::now() < end; ++i) {
            const std::uint64_t message = 1;
            if (!producer.send(&message, sizeof message)) {
                ++refused_other;
                break;
            }
            while (handled.load(std::memory_order_acquire) <= i)
                std::this_thread::yield();
        }
        done.store(true, std::memory_order_release);
    });
    RingProducer producer = this->producer();
    RingConsumer consumer = this->consumer();
    while (!done.load(std::memory_order_acquire)) {
        void* const place = producer.reserve(8);
        bool own = place != nullptr;
        if (place) {
            std::memset(place, 0, 8);
            producer.commit(place, 8);
        } else {
            ++refused_here;
        }
        std::uint64_t size = 0;
        while (own) {  // again if the other is in the middle of a message that comes before ours
            const void* const message = consumer.take(size);
            if (!message) continue;
            const bool others = *static_cast<const char*>(message) == 1;
            if (!others) own = false;
            consumer.release();
            if (others) handled.fetch_add(1, std::memory_order_release);
        }
    }
    other.join();
    EXPECT_EQ(refused_other, 0);
    EXPECT_EQ(refused_here, 0);
}

// What the consumer finds at once when it drains, and what is still being written.
TEST_F(QueueTest, DrainWaitsForWhatIsReserved) {
    RingProducer producer = this->producer();
    RingConsumer consumer = this->consumer();
    void* const first = producer.reserve(8);
    void* const second = producer.reserve(2000);
    producer.commit(second, 2000);
    close_ring(*control_, 0, kDestroyed);
    EXPECT_EQ(producer.reserve(8), nullptr);
    EXPECT_TRUE(producer.closed() && producer.destroyed());
    std::thread late([&] { producer.commit(first, 8); });
    EXPECT_EQ(consumer.drain(Routine::native_queue_destroy), 2u);
    late.join();
    EXPECT_TRUE(consumer.over());
}

// Room that messages leave to notices, whatever has been sent.
TEST_F(QueueTest, KeepsRoomForNotices) {
    RingProducer producer = this->producer();
    producer.keep_for_notices(2 * kCell);
    const std::uint64_t message = 7;
    std::uint64_t messages = 0;
    while (producer.send(&message, sizeof message))
        ++messages;
    EXPECT_EQ(messages, kRing / kCell - 2);
    std::uint64_t position = 0;
    FrameHead* frame = nullptr;
    EXPECT_FALSE(producer.claim_cell(position, frame));
    for (std::uint64_t notice : {11, 12})
        producer.send_notice(&notice, sizeof notice);
    RingReader reader;
    reader.open(control_, memory_ + kRingOffset);
    std::vector<std::uint64_t> notices;
    const int used = reader.serve(1000, [&](const FrameHead& head) {
        std::uint64_t word = 0;
        std::memcpy(&word, &head + 1, sizeof word);
        if (head.size == kNotice) notices.push_back(word);
        return head.size != kNotice;
    });
    EXPECT_EQ(static_cast<std::uint64_t>(used), messages);
    EXPECT_EQ(notices, (std::vector<std::uint64_t>{11, 12}));
    EXPECT_TRUE(producer.send(&message, sizeof message));
}

// The reader of a stream, against a list: messages of one cell and of several, and paddings, on
// many laps.
TEST_F(QueueTest, ReadsStreamInOrder) {
    RingProducer producer = this->producer();
    RingReader reader;
    reader.open(control_, memory_ + kRingOffset);
    std::deque<std::vector<char>> expected;
    std::uint64_t state = 5;
    const auto random = [&state](std::uint64_t below) {
        state = state * 6364136223846793005 + 1442695040888963407;
        return (state >> 33) % below;
    };
    for (int step = 0; step < 4000; ++step) {
        // Most often there is a run of one cell each, which lines are fetched ahead for.
        const bool is_run = random(4) != 0;
        for (std::uint64_t left = random(70); left > 0; --left) {
            const std::vector<char> message(8 + random(is_run ? 40 : 400),
                                            static_cast<char>(1 + random(100)));
            if (!producer.send(message.data(), message.size())) break;
            expected.push_back(message);
        }
        const auto most = static_cast<int>(random(70));
        const auto before = expected.size();
        const int used = reader.serve_stream(most, [&](const FrameHead& head) {
            if (head.size == kPadding) return false;
            EXPECT_FALSE(expected.empty());
            const auto* const begin = reinterpret_cast<const char*>(&head + 1);
            EXPECT_EQ(std::vector<char>(begin, begin + head.size), expected.front());
            expected.pop_front();
            return true;
        });
        ASSERT_EQ(static_cast<std::size_t>(used), before - expected.size());
        ASSERT_EQ(used,
                  static_cast<int>(std::min<std::size_t>(before, static_cast<std::size_t>(most))));
    }
}

// The shortest way fails when it is to be looked at what goes on, though there is room.
TEST_F(QueueTest, FailsWhereItsProducerIsToLook) {
    RingProducer producer = this->producer();
    RingProducer other = this->producer();
    const auto cells_taken = [&] {
        std::uint64_t cells = 0;
        std::uint64_t position = 0;
        FrameHead* frame = nullptr;
        for (; producer.claim_cell(position, frame); ++cells)
            producer.publish_cell(*frame, position, 8);
        EXPECT_TRUE(producer.fails(kCell));
        return cells;
    };
    const std::uint64_t message = 7;
    producer.fail_after_first(8 * kCell);
    EXPECT_TRUE(other.send(&message, sizeof message));
    EXPECT_EQ(cells_taken(), 7u);
    EXPECT_TRUE(producer.send(&message, sizeof message));
    EXPECT_TRUE(producer.has_room_for(8));
    producer.fail_after(4 * kCell);
    EXPECT_FALSE(producer.fails(kCell));
    EXPECT_EQ(cells_taken(), 4u);
    producer.stop();
    producer.fail_after(4 * kCell);  // somebody else's look
    EXPECT_EQ(cells_taken(), 0u);
    EXPECT_TRUE(producer.send(&message, sizeof message));
    producer.go_on(2 * kCell);
    EXPECT_EQ(cells_taken(), 2u);
    // No further than there is room.
    producer.fail_after(kRing);
    EXPECT_EQ(cells_taken(), kRing / kCell - 16);
}

}  // namespace
}  // namespace isthmus
