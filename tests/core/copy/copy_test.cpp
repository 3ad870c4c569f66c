// Every loop against the plainest model: byte i of dest becomes byte i of source, and the bytes
// around stay as they were.
#include "core/copy/copy.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "core/copy/choose.hpp"
#if defined(__x86_64__)
#include "core/copy/loops_x86.hpp"
#endif

namespace isthmus {
namespace {

constexpr std::size_t kGuard = 192;  // bytes before and behind dest that must not change

// Buffers at the start of a page, filled with bytes that tell position and buffer.
class Arena {
  public:
    explicit Arena(std::size_t bytes) : source_(bytes + 2 * 4096), dest_(source_.size()) {
        for (std::size_t i = 0; i < source_.size(); ++i)
            source_[i] = static_cast<char>(i * 7 + i / 251 + 1);
    }

    // Copies with `copy_bytes` and says what is wrong, or nothing.
    template <typename Copy>
    std::string check(Copy&& copy_bytes, std::size_t source_at, std::size_t dest_at,
                      std::size_t bytes) {
        const char* const from = page(source_) + source_at;
        char* const to = page(dest_) + dest_at;
        char* const begin = to - std::min(kGuard, dest_at);
        char* const end = to + bytes + kGuard;
        std::fill(begin, end, '\x5a');
        copy_bytes(to, from, bytes);
        const auto wrong = [&](const char* where, const char* at) {
            return std::string(where) + " at " + std::to_string(at - to) + ": " +
                   std::to_string(bytes) + " bytes from page+" + std::to_string(source_at) +
                   " to page+" + std::to_string(dest_at);
        };
        for (const char* at = begin; at != to; ++at) {
            if (*at != '\x5a') return wrong("byte before dest changed", at);
        }
        for (std::size_t i = 0; i < bytes; ++i) {
            if (to[i] != from[i]) return wrong("wrong byte", to + i);
        }
        for (const char* at = to + bytes; at != end; ++at) {
            if (*at != '\x5a') return wrong("byte behind dest changed", at);
        }
        return {};
    }

    char* in_place() { return page(dest_); }

  private:
    static char* page(std::vector<char>& buffer) {
        const auto address = reinterpret_cast<std::uintptr_t>(buffer.data());
        return buffer.data() + (-address & 4095);
    }
    std::vector<char> source_;
    std::vector<char> dest_;
};

// Lengths and alignments that meet every branch of a loop, at random beyond the small ones.
template <typename Copy>
void expect_copies(Copy&& copy_bytes, std::size_t least, std::size_t most, int samples) {
    Arena arena(most + 4096 + kGuard);
    std::mt19937 random(20240611);
    const auto up_to = [&](std::size_t limit) { return random() % (limit + 1); };
    for (int i = 0; i < samples; ++i) {
        // Half of the samples are short, so that they are many.
        const std::size_t bytes =
            i % 2 ? least + up_to(most - least) : std::min(most, least + up_to(2048));
        const std::size_t source_at = up_to(4095);
        // Near aliases modulo 4096 are the ones loops treat apart.
        const std::size_t dest_at = i % 3 == 0   ? (source_at + up_to(600)) % 4096
                                    : i % 3 == 1 ? source_at
                                                 : up_to(4095);
        ASSERT_EQ(arena.check(copy_bytes, source_at, dest_at, bytes), "");
    }
}

TEST(Copy, EveryShortLengthAtEveryAlignment) {
    Arena arena(1024);
    for (std::size_t bytes = 0; bytes <= 300; ++bytes) {
        for (std::size_t dest_at = 64; dest_at < 128; ++dest_at) {
            for (const std::size_t source_at : {0, 1, 7, 8, 31, 32, 63})
                ASSERT_EQ(arena.check(copy, source_at, dest_at, bytes), "");
        }
    }
}

TEST(Copy, LongLengths) {
    expect_copies(copy, 0, std::size_t{3} << 20, 300);
}

TEST(Copy, ToItself) {
    Arena arena(8 << 20);
    char* const place = arena.in_place();
    for (const std::size_t bytes : {1, 8, 17, 64, 100, 300, 5000, 70000, 8 << 20}) {
        for (std::size_t i = 0; i < bytes; ++i)
            place[i + 3] = static_cast<char>(i * 13);
        copy(place + 3, place + 3, bytes);
        for (std::size_t i = 0; i < bytes; ++i)
            ASSERT_EQ(place[i + 3], static_cast<char>(i * 13)) << bytes << " bytes, at " << i;
    }
}

// Whatever loop was chosen: a flag that is set after a copy is seen after the copied bytes.
TEST(Copy, FlagDoesNotOvertake) {
    constexpr std::size_t kBytes = std::size_t{4} << 20;
    std::vector<char> source(kBytes), dest(kBytes);
    std::atomic<int> flag{0}, seen{0};
    int wrong = 0;
    constexpr int kRounds = 8;
    std::thread reader([&] {
        for (int round = 1; round <= kRounds; ++round) {
            while (flag.load(std::memory_order_acquire) != round)
                std::this_thread::yield();
            wrong += dest[kBytes - 1] != round || dest[kBytes / 2] != round || dest[0] != round;
            seen.store(round, std::memory_order_release);
        }
    });
    for (int round = 1; round <= kRounds; ++round) {
        std::fill(source.begin(), source.end(), static_cast<char>(round));
        copy(dest.data(), source.data(), kBytes);
        flag.store(round, std::memory_order_release);
        while (seen.load(std::memory_order_acquire) != round)
            std::this_thread::yield();
    }
    reader.join();
    EXPECT_EQ(wrong, 0);
}

TEST(Copy, SaysWhichLoop) {
    EXPECT_STRNE(copy_loop_name(), "");
}

#if defined(__x86_64__)
struct Loop {
    const char* name;
    LongCopy copy;
    LongCopy copy_any;
    PartCopy copy_part;
    RoadCopy copy_by;
    bool supported;
};
constexpr Road kRoads[] = {
    Road::plain,  Road::plain_downwards, Road::claimed, Road::claimed_downwards,
    Road::string, Road::streamed_narrow, Road::streamed};

class CopyLoops : public ::testing::TestWithParam<int> {};

// Every loop of this processor on every road, whatever the choice would have been.
TEST_P(CopyLoops, CopyWhatTheyShould) {
    const Loop loops[] = {
        {"avx2", copy_avx2, copy_any_avx2, copy_within_avx2, copy_by_avx2,
         __builtin_cpu_supports("avx2") != 0},
        {"avx512", copy_avx512, copy_any_avx512, copy_within_avx512, copy_by_avx512,
         __builtin_cpu_supports("avx512bw") != 0},
    };
    const Loop& loop = loops[GetParam()];
    if (!loop.supported) GTEST_SKIP() << "this processor (or valgrind) has no " << loop.name;
    for (const Road road : kRoads) {
        SCOPED_TRACE(std::string(loop.name) + ", road " + std::to_string(static_cast<int>(road)));
        const auto copy_by = [&](void* dest, const void* source, std::size_t bytes) {
            loop.copy_by(road, dest, source, bytes);
        };
        expect_copies(copy_by, 513, 300'000, 300);
    }
    expect_copies(loop.copy, kMediumCopy + 1, 300'000, 300);
    expect_copies(loop.copy_any, 0, 2 * kMediumCopy, 300);
    const auto copy_part = [&](void* dest, const void* source, std::size_t bytes) {
        loop.copy_part(std::size_t{1} << 30, dest, source, bytes);
    };
    expect_copies(copy_part, kPartOfWhole, 2 * kPartOfWhole, 100);
}
INSTANTIATE_TEST_SUITE_P(X86, CopyLoops, ::testing::Values(0, 1));
#endif

}  // namespace
}  // namespace isthmus
