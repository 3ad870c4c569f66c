#include "core/job/block_map.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace isthmus {
namespace {

constexpr std::uintptr_t kBase = 0x2000'0000'0000;
constexpr std::uint64_t kSize = 64 * 64;

const void* at(std::uint64_t offset) {
    return reinterpret_cast<const void*>(kBase + offset);
}

// A map that is closed covers nothing.
TEST(BlockMap, CoversNothingWhileClosed) {
    BlockMap map;
    EXPECT_FALSE(map.covers(at(0), 1));
    EXPECT_FALSE(map.contains(at(0)));
    ASSERT_TRUE(map.open({kBase, kSize}));
    map.add(kBase, 64);
    EXPECT_TRUE(map.covers(at(0), 64));
    map.close();
    EXPECT_FALSE(map.covers(at(0), 1));
}

TEST(BlockMap, OneBlockOfEachLength) {
    BlockMap map;
    for (std::uint64_t bytes = 1; bytes <= 300; ++bytes) {
        ASSERT_TRUE(map.open({kBase, kSize}));
        map.add(kBase + 128, bytes);
        for (std::uint64_t from = 0; from < 512; ++from) {
            for (const std::uint64_t length : {1, 7, 8, 64, 65, 200, 300}) {
                const bool inside = from >= 128 && from + length <= 128 + bytes;
                ASSERT_EQ(map.covers(at(from), length), inside)
                    << bytes << " bytes, " << length << " from " << from;
                ASSERT_EQ(map.covers_few(at(from), length), inside)
                    << bytes << " bytes, " << length << " from " << from << ", by one look";
            }
        }
    }
}

TEST(BlockMap, OutsideTheRange) {
    BlockMap map;
    ASSERT_TRUE(map.open({kBase, kSize}));
    map.add(kBase, kSize);
    EXPECT_TRUE(map.covers(at(0), kSize));
    EXPECT_TRUE(map.covers(at(kSize - 1), 1));
    EXPECT_FALSE(map.covers(at(kSize), 1));
    EXPECT_FALSE(map.covers(reinterpret_cast<const void*>(kBase - 1), 2));
    EXPECT_FALSE(map.covers(at(kSize - 8), 9));
    EXPECT_FALSE(map.covers_few(at(kSize - 8), 9));
    EXPECT_TRUE(map.covers_few(at(kSize - BlockMap::kFew), BlockMap::kFew));
    EXPECT_FALSE(map.covers_few(at(kSize - BlockMap::kFew + 1), BlockMap::kFew));
    EXPECT_FALSE(map.covers(at(8), ~std::uint64_t{0}));
    EXPECT_FALSE(map.covers(at(8), ~std::uint64_t{0} - 7));
}

// Blocks come and go; a byte is one of a block or not.
TEST(BlockMap, LikeAFlagForEachByte) {
    BlockMap map;
    ASSERT_TRUE(map.open({kBase, kSize}));
    std::vector<bool> used(kSize, false);
    struct Block {
        std::uint64_t begin;
        std::uint64_t bytes;
    };
    std::vector<Block> blocks;
    std::mt19937 draw(5);
    for (int step = 0; step < 3000; ++step) {
        if (draw() % 2 == 0 && !blocks.empty()) {
            const std::size_t which = draw() % blocks.size();
            const auto [begin, bytes] = blocks[which];
            map.remove(kBase + begin, bytes);
            std::fill_n(used.begin() + static_cast<std::ptrdiff_t>(begin), bytes, false);
            blocks.erase(blocks.begin() + static_cast<std::ptrdiff_t>(which));
        } else {
            const std::uint64_t begin = draw() % 60 * 64;
            const std::uint64_t bytes = 1 + draw() % 200;
            const std::uint64_t room = std::min((bytes + 63) / 64 * 64 + 64, kSize - begin);
            const auto first = used.begin() + static_cast<std::ptrdiff_t>(begin);
            // The one before leaves a granule as well.
            const auto before = begin == 0 ? first : first - 64;
            if (begin + bytes > kSize ||
                std::find(before, first + static_cast<std::ptrdiff_t>(room), true) !=
                    first + static_cast<std::ptrdiff_t>(room))
                continue;
            map.add(kBase + begin, bytes);
            std::fill_n(first, bytes, true);
            blocks.push_back({begin, bytes});
        }
        const std::uint64_t from = draw() % kSize;
        const std::uint64_t length = 1 + draw() % 150;
        bool inside = from + length <= kSize;
        for (std::uint64_t i = from; inside && i < from + length; ++i)
            inside = used[i];
        ASSERT_EQ(map.covers(at(from), length), inside) << length << " from " << from;
    }
}

}  // namespace
}  // namespace isthmus
