#include "core/copy/aside.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <deque>
#include <random>
#include <vector>

namespace isthmus {
namespace {

TEST(Aside, FirstInFirstOut) {
    std::mt19937 random(1);
    Aside aside;
    std::deque<char> model;
    for (int step = 0; step < 200'000; ++step) {
        // Now it grows, now it shrinks.
        const bool more = random() % 1000 < (step / 20'000 % 2 == 0 ? 700u : 300u);
        std::vector<char> bytes(random() % 64);
        if (more) {
            for (char& byte : bytes)
                byte = static_cast<char>(random());
            aside.append(bytes.data(), bytes.size());
            model.insert(model.end(), bytes.begin(), bytes.end());
        } else {
            const std::size_t count = std::min(bytes.size(), model.size());
            const auto waiting = aside.waiting();
            ASSERT_TRUE(std::equal(model.begin(), model.begin() + static_cast<long>(count),
                                   waiting.begin()));
            aside.take(count);
            model.erase(model.begin(), model.begin() + static_cast<long>(count));
        }
        ASSERT_EQ(aside.waiting().size(), model.size());
        ASSERT_EQ(aside.is_empty(), model.empty());
    }
}

// 64 MB that leave by 512 bytes: moving up what is left each time would be 4 TB.
TEST(Aside, EachByteIsMovedAFewTimesAtMost) {
    constexpr std::size_t kAll = std::size_t{64} << 20;
    const std::vector<char> bytes(4096);
    const auto begin = std::chrono::steady_clock::now();
    Aside aside;
    for (std::size_t left = kAll; left != 0; left -= bytes.size())
        aside.append(bytes.data(), bytes.size());
    while (!aside.is_empty())
        aside.take(512);
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
}

}  // namespace
}  // namespace isthmus
