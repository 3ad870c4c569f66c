// The order in which operations go that are kept back (transport/late/backlog.hpp), by many seeds.
#include "transport/late/backlog.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "base/os.hpp"
#include "transport/late/schedule.hpp"

using namespace isthmus::transport;
using namespace isthmus::transport::late;

namespace {

constexpr std::uint64_t kLongest = 1'000'000;  // nanoseconds; the tests have a clock of their own
constexpr std::uint64_t kSeeds = 200;

// Writes down what goes by it.
class Recorder : public Channel {
  public:
    struct Went {
        std::string what;
        int pe;
        std::uint64_t offset;
        std::uint64_t value;
        std::size_t bytes;
    };
    void put(int pe, Place dest, const void* source, std::size_t bytes) override {
        note("put", pe, dest.offset, source, bytes);
    }
    void put_nbi(int pe, Place dest, const void* source, std::size_t bytes) override {
        note("put_nbi", pe, dest.offset, source, bytes);
    }
    void get_nbi(int pe, void*, Place source, std::size_t) override {
        note("get_nbi", pe, source.offset, nullptr, 0);
    }
    void post_atomic(int pe, Place word, const Atomic& atomic) override {
        note("atomic", pe, word.offset, &atomic.operand, 8);
    }
    void put_signal(int pe, Place dest, const void* source, std::size_t bytes, Place,
                    const Atomic&) override {
        note("put_signal", pe, dest.offset, source, bytes);
    }
    void request(int pe, std::uint32_t handler, const void* payload, std::size_t bytes) override {
        note("request", pe, handler, payload, bytes);
    }
    void fence() override { note("fence", -1, 0, nullptr, 0); }
    void get(int, void*, Place, std::size_t) override {}
    std::uint64_t fetch_atomic(int, Place, const Atomic&) override { return 0; }
    void order_puts() override {}
    void quiet() override {}
    void quiet(const int*, std::size_t) override {}
    void begin_put(int, Place, const void*, std::size_t, Completion&) override {}
    void begin_get(int, void*, Place, std::size_t, Completion&) override {}
    void begin_quiet(int, Completion&) override {}
    bool test(Completion&) override { return true; }
    void await(Completion&) override {}
    const std::atomic<int>* before_quiet() const override { return nullptr; }
    const std::atomic<int>* before_fence() const override { return nullptr; }
    const std::atomic<std::uint8_t>* written() const override { return nullptr; }
    void wrote(int) override {}

    std::vector<Went> went;
    // Where it stands among what went; -1: it has not gone.
    int place(const std::string& what, int pe, std::uint64_t offset) const {
        for (std::size_t i = 0; i < went.size(); ++i) {
            if (went[i].what == what && went[i].pe == pe && went[i].offset == offset)
                return static_cast<int>(i);
        }
        return -1;
    }

  private:
    void note(const char* what, int pe, std::uint64_t offset, const void* source,
              std::size_t bytes) {
        std::uint64_t value = 0;
        if (source) std::memcpy(&value, source, std::min(bytes, sizeof value));
        went.push_back({what, pe, offset, value, bytes});
    }
};

Manner by_seed(std::uint64_t seed) {
    Manner manner;
    manner.seed = seed;
    manner.longest = kLongest;
    manner.pes = 4;
    return manner;
}

struct Job {
    explicit Job(std::uint64_t seed) : manner(by_seed(seed)), backlog(base, manner, 1) {}
    void put(int pe, std::uint64_t offset, const std::uint64_t& value, Kind kind = Kind::put) {
        backlog.add({.kind = kind,
                     .pe = pe,
                     .place = {kHeap, offset},
                     .source = &value,
                     .bytes = sizeof value},
                    now);
    }
    void post(int pe, std::uint64_t offset) {
        backlog.add({.kind = Kind::atomic,
                     .pe = pe,
                     .place = {kHeap, offset},
                     .atomic = {AtomicKind::set, 8, 1, 0}},
                    now);
    }
    const Manner manner;
    Recorder base;
    Backlog backlog;
    std::uint64_t now = 1;
};

const std::uint64_t kOne = 1;

TEST(Late, WhatNothingOrdersGoesInEveryOrder) {
    int in_order = 0;
    int overtaken = 0;
    int between_pes = 0;
    for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
        Job job(seed);
        job.put(1, 10, kOne);
        job.post(1, 20);
        job.put(2, 30, kOne);
        job.backlog.release(Channel::kAll);
        ASSERT_EQ(job.base.went.size(), 3u);
        const bool first = job.base.place("put", 1, 10) < job.base.place("atomic", 1, 20);
        (first ? in_order : overtaken) += 1;
        between_pes += job.base.place("put", 2, 30) < job.base.place("put", 1, 10) ? 1 : 0;
    }
    EXPECT_GT(in_order, 40);
    EXPECT_GT(overtaken, 40);
    EXPECT_GT(between_pes, 40);
}

TEST(Late, AFenceOrdersWhatGoesToOnePe) {
    for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
        Job job(seed);
        job.put(1, 10, kOne);
        job.backlog.fence();
        job.post(1, 20);
        job.backlog.fence();
        job.put(1, 30, kOne);
        job.backlog.release_due(job.now + kLongest);
        const int first = job.base.place("put", 1, 10);
        const int second = job.base.place("atomic", 1, 20);
        const int third = job.base.place("put", 1, 30);
        ASSERT_GE(first, 0) << seed;
        ASSERT_LT(first, second) << seed;
        ASSERT_LT(second, third) << seed;
        // The road below keeps no order without one.
        EXPECT_EQ(std::count_if(job.base.went.begin(), job.base.went.end(),
                                [](const auto& went) { return went.what == "fence"; }),
                  2)
            << seed;
    }
}

// Its target may be anything's but a quiet's.
TEST(Late, AFenceCompletesNothing) {
    int kept = 0;
    for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
        Job job(seed);
        job.put(2, 10, kOne);
        job.backlog.fence();
        job.post(1, 20);
        if (job.base.place("atomic", 1, 20) >= 0 && job.base.place("put", 2, 10) < 0) ++kept;
    }
    EXPECT_GT(kept, 20);
}

TEST(Late, WhatIsWaitedForComesBehindAFence) {
    int overtook = 0;
    for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
        Job job(seed);
        job.put(1, 10, kOne);
        job.backlog.precede(1);
        if (job.base.went.empty()) ++overtook;
        job.backlog.fence();
        job.put(2, 10, kOne);
        job.backlog.precede(1);
        EXPECT_GE(job.base.place("put", 1, 10), 0) << seed;
        ASSERT_FALSE(job.base.went.empty());
        // The fence of the road stands behind it.
        EXPECT_TRUE(std::any_of(job.base.went.begin(), job.base.went.end(),
                                [](const auto& went) { return went.what == "fence"; }));
    }
    EXPECT_GT(overtook, 40);
}

TEST(Late, TheSourceOfAPutMayChangeThatOfANonBlockingOneMayNot) {
    int read_late = 0;
    for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
        Job job(seed);
        std::uint64_t value = 7;
        job.put(1, 10, value);
        job.put(1, 20, value, Kind::put_nbi);
        value = 8;
        job.backlog.release(Channel::kAll);
        EXPECT_EQ(job.base.went[static_cast<std::size_t>(job.base.place("put", 1, 10))].value, 7u);
        read_late +=
            job.base.went[static_cast<std::size_t>(job.base.place("put_nbi", 1, 20))].value == 8;
    }
    EXPECT_GT(read_late, 60);
}

// Of a put of several words any may come first, in whole words, each once.
TEST(Late, TheWordsOfAPutComeInAnyOrder) {
    int cut = 0;
    int last_first = 0;
    for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
        Job job(seed);
        const std::vector<char> words(40);
        job.backlog.add({.pe = 1, .place = {kHeap, 24}, .source = words.data(), .bytes = 36}, 1);
        job.backlog.release_due(1 + kLongest);
        std::size_t bytes = 0;
        for (const auto& went : job.base.went) {
            EXPECT_EQ(went.offset % 8, 0u) << seed;
            bytes += went.bytes;
        }
        ASSERT_EQ(bytes, 36u) << seed;
        ASSERT_LE(job.base.went.size(), 2u);
        cut += job.base.went.size() == 2;
        last_first += job.base.went.size() == 2 && job.base.went[0].offset != 24;
    }
    EXPECT_GT(cut, 100);
    EXPECT_LT(cut, 180);
    EXPECT_GT(last_first, 30);
}

TEST(Late, TheSourceOfASignalMayChangeThatOfANonBlockingOneMayNot) {
    int read_late = 0;
    for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
        Job job(seed);
        std::uint64_t value = 7;
        job.put(1, 8, value, Kind::put_signal);
        job.put(1, 16, value, Kind::put_signal_nbi);
        value = 8;
        job.backlog.release(Channel::kAll);
        EXPECT_EQ(job.base.went[static_cast<std::size_t>(job.base.place("put_signal", 1, 8))].value,
                  7u);
        read_late +=
            job.base.went[static_cast<std::size_t>(job.base.place("put_signal", 1, 16))].value == 8;
    }
    EXPECT_GT(read_late, 60);
}

TEST(Late, ARequestComesBehindThePutsBeforeIt) {
    for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
        Job job(seed);
        job.put(1, 10, kOne);
        job.backlog.add({.kind = Kind::request, .pe = 1, .source = &kOne, .bytes = 8, .handler = 5},
                        job.now);
        job.backlog.release_due(job.now + kLongest);
        ASSERT_LT(job.base.place("put", 1, 10), job.base.place("request", 1, 5)) << seed;
    }
}

TEST(Late, ASeedDrawsTheSameWhateverTheClockSays) {
    const auto at_once = [](std::uint64_t seed, std::uint64_t step) {
        Job job(seed);
        std::vector<std::uint64_t> gone;
        for (std::uint64_t i = 0; i < 50; ++i, job.now += step) {
            job.put(1, i, kOne);
            if (!job.base.went.empty() && job.base.went.back().offset == i) gone.push_back(i);
            job.backlog.release_due(job.now);
        }
        return gone;
    };
    for (std::uint64_t seed = 1; seed <= 20; ++seed)
        EXPECT_EQ(at_once(seed, 1), at_once(seed, kLongest / 3));
    EXPECT_NE(at_once(1, 1), at_once(2, 1));
}

TEST(Late, NoMoreIsKeptThanThereIsRoomFor) {
    Job job(1);
    for (std::uint64_t i = 0; i < 10 * Backlog::kMost; ++i)
        job.put(1, i, kOne);
    EXPECT_LE(job.backlog.size(), Backlog::kMost);
    const std::vector<char> large(Backlog::kMostBytes / 2);
    for (int i = 0; i < 40; ++i)
        job.backlog.add({.pe = 1, .source = large.data(), .bytes = large.size()}, job.now);
    EXPECT_LE(job.backlog.size(), 2u + Backlog::kMost);
    job.backlog.release(Channel::kAll);
    std::size_t bytes = 0;  // some of the large ones go in two parts
    for (const auto& went : job.base.went)
        bytes += went.bytes;
    EXPECT_EQ(bytes, 10 * Backlog::kMost * sizeof kOne + 40 * large.size());
}

// What a PE has put comes in the end, though its program never calls again.
TEST(Late, AThreadSeesToWhatIsDue) {
    Schedule schedule(by_seed(3));
    Recorder base;
    Backlog backlog(base, schedule.manner(), schedule.next_number());
    schedule.add(backlog);
    constexpr std::size_t kPuts = 20;
    for (std::uint64_t i = 0; i < kPuts; ++i) {
        schedule.with(backlog, [&](Backlog& to) {
            to.add({.pe = 1, .place = {kHeap, i}, .source = &kOne, .bytes = 8}, Schedule::now());
        });
    }
    std::size_t gone = 0;
    for (int look = 0; look < 5000 && gone < kPuts; ++look) {
        isthmus::os::sleep_nanoseconds(1'000'000);
        schedule.with(backlog, [&](Backlog&) { gone = base.went.size(); });
    }
    EXPECT_EQ(gone, kPuts);
    schedule.remove(backlog);
}

}  // namespace
