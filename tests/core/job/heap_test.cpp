#include "core/job/heap.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <new>
#include <random>
#include <utility>
#include <vector>

// The n-th allocation from now on fails; 0: none does.
static int failing = 0;
[[gnu::noinline]] void* operator new(std::size_t size) {
    if (failing != 0 && --failing == 0) throw std::bad_alloc();
    if (void* const memory = std::malloc(size)) return memory;
    throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
    std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept {
    std::free(memory);
}

namespace isthmus {
namespace {

constexpr std::uintptr_t kBase = 0x2000'0000'0000;
constexpr std::uint64_t kGranule = 64;

void* at(std::uint64_t offset) {
    return reinterpret_cast<void*>(kBase + offset);
}

// The heap as one would write it without thinking of time: a flag a granule, searched from the
// beginning for the smallest hole that fits, the lowest of equals.
class Model {
  public:
    explicit Model(std::uint64_t size) : taken_(size / kGranule, false) {}

    std::uint64_t allocate(std::uint64_t size, std::uint64_t alignment) {
        const std::size_t wanted = (size + kGranule - 1) / kGranule;
        const std::size_t step = std::max<std::uint64_t>(1, alignment / kGranule);
        std::size_t best = taken_.size();
        std::size_t best_hole = taken_.size() + 1;
        for (std::size_t begin = 0; begin < taken_.size();) {
            if (taken_[begin]) {
                ++begin;
                continue;
            }
            std::size_t end = begin;
            while (end < taken_.size() && !taken_[end])
                ++end;
            const std::size_t first = (begin + step - 1) / step * step;  // the base is aligned
            if (first + wanted <= end && end - begin < best_hole) {
                best = first;
                best_hole = end - begin;
            }
            begin = end;
        }
        if (best == taken_.size()) return kNone;
        mark(best, wanted, true);
        return best * kGranule;
    }
    void release(std::uint64_t offset, std::uint64_t size) {
        mark(offset / kGranule, (size + kGranule - 1) / kGranule, false);
    }
    std::uint64_t free_bytes() const {
        return static_cast<std::uint64_t>(std::count(taken_.begin(), taken_.end(), false)) *
               kGranule;
    }
    std::uint64_t largest_hole() const {
        std::uint64_t largest = 0;
        std::uint64_t run = 0;
        for (const bool taken : taken_) {
            run = taken ? 0 : run + kGranule;
            largest = std::max(largest, run);
        }
        return largest;
    }
    static constexpr std::uint64_t kNone = ~std::uint64_t{0};

  private:
    void mark(std::size_t begin, std::size_t count, bool value) {
        for (std::size_t i = 0; i < count; ++i) {
            ASSERT_NE(taken_[begin + i], value);
            taken_[begin + i] = value;
        }
    }
    std::vector<bool> taken_;
};

struct Block {
    std::uint64_t offset;
    std::uint64_t size;
};

TEST(Heap, PropertyAgreesWithASimpleModel) {
    constexpr std::uint64_t kSize = 64 << 10;
    constexpr int kOperations = 100'000;
    std::mt19937_64 random(2026);
    Heap heap;
    heap.reset({kBase, kSize});
    Model model(kSize);
    std::vector<Block> blocks;
    int refused = 0;
    for (int i = 0; i < kOperations; ++i) {
        // Phases of growth and of shrinking, so that the heap is full and empty at times.
        const bool grow = random() % 100 < (i / 2000 % 2 == 0 ? 70u : 35u);
        if (grow || blocks.empty()) {
            const std::uint64_t size = 1 + random() % (random() % 8 == 0 ? 8000 : 400);
            const std::uint64_t alignment = std::uint64_t{1} << random() % 13;
            void* const block = heap.allocate(size, alignment);
            const std::uint64_t expected = model.allocate(size, alignment);
            ASSERT_EQ(block, expected == Model::kNone ? nullptr : at(expected)) << "step " << i;
            if (!block) {
                ++refused;
                continue;
            }
            ASSERT_EQ(reinterpret_cast<std::uintptr_t>(block) % alignment, 0u);
            ASSERT_EQ(heap.block_size(block), size);
            blocks.push_back({expected, size});
        } else {
            const std::size_t which = random() % blocks.size();
            const Block block = blocks[which];
            if (block.size > 1) {
                ASSERT_FALSE(heap.release(at(block.offset + 1)));
            }
            ASSERT_TRUE(heap.release(at(block.offset)));
            ASSERT_FALSE(heap.release(at(block.offset)));
            model.release(block.offset, block.size);
            blocks[which] = blocks.back();
            blocks.pop_back();
        }
        ASSERT_TRUE(heap.is_valid()) << "step " << i;
        ASSERT_EQ(heap.free_bytes(), model.free_bytes());
        if (i % 64 == 0) {
            ASSERT_EQ(heap.largest_hole(), model.largest_hole());
        }
    }
    EXPECT_GT(refused, 100) << "the heap was never full";
    for (const Block& block : blocks)
        EXPECT_TRUE(heap.release(at(block.offset)));
    EXPECT_EQ(heap.largest_hole(), kSize);
    EXPECT_TRUE(heap.is_valid());
}

TEST(Heap, RefusesWhatDoesNotFit) {
    Heap heap;
    heap.reset({kBase, 4096});
    EXPECT_EQ(heap.allocate(0, 1), nullptr);
    EXPECT_EQ(heap.allocate(4097, 1), nullptr);
    EXPECT_EQ(heap.allocate(~std::uint64_t{0}, 1), nullptr);
    EXPECT_EQ(heap.allocate(~std::uint64_t{0} - 62, 1), nullptr);
    EXPECT_EQ(heap.allocate(1, std::uint64_t{1} << 62), nullptr);
    EXPECT_NE(heap.allocate(4096, 1), nullptr);
    EXPECT_EQ(heap.allocate(1, 1), nullptr);
    EXPECT_EQ(heap.high_water(), 4096u);
}

TEST(Heap, AnEmptyHeapHasNothing) {
    Heap heap;
    heap.reset({});
    EXPECT_EQ(heap.allocate(1, 1), nullptr);
    EXPECT_FALSE(heap.release(at(0)));
    EXPECT_TRUE(heap.is_valid());
    EXPECT_EQ(heap.describe(at(0)), "the heap has no blocks");
}

TEST(Heap, BlocksBeginOnCacheLines) {
    Heap heap;
    heap.reset({kBase, 1 << 20});
    for (int i = 0; i < 10; ++i)
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(heap.allocate(1, 1)) % kGranule, 0u);
}

TEST(Heap, DescribesAddressesByTheNearestBlock) {
    Heap heap;
    heap.reset({kBase, 1 << 20});
    void* const first = heap.allocate(100, 1);
    void* const second = heap.allocate(50, 1);
    ASSERT_EQ(second, at(128));
    EXPECT_EQ(heap.describe(at(99)), "inside the block of 100 bytes at 0x200000000000");
    EXPECT_EQ(heap.describe(at(100)),
              "0 bytes past the end of the block of 100 bytes at 0x200000000000");
    EXPECT_EQ(heap.describe(at(1000)),
              "822 bytes past the end of the block of 50 bytes at 0x200000000080");
    heap.release(first);
    EXPECT_EQ(heap.describe(at(28)), "100 bytes before the block of 50 bytes at 0x200000000080");
    EXPECT_EQ(heap.block_of(at(130)).begin, kBase + 128);
    EXPECT_EQ(heap.block_of(at(130)).size, 50u);
    EXPECT_EQ(heap.block_of(at(178)).size, 0u);
    EXPECT_EQ(heap.offset_of(second), 128u);
}

// Whichever of its own allocations fails: nothing has changed, and a release needs none.
TEST(Heap, LosesNothingWithoutMemoryForItsLists) {
    Heap heap;
    heap.reset({kBase, 1 << 20});
    std::vector<void*> blocks;
    for (int i = 0; i < 8; ++i)
        blocks.push_back(heap.allocate(1000, 1));
    heap.release(blocks[3]);
    const std::uint64_t before = heap.free_bytes();
    int failures = 0;
    for (int fails_at = 1;; ++fails_at) {
        failing = fails_at;
        try {
            void* const block = heap.allocate(300, 256);
            failing = 0;
            ASSERT_NE(block, nullptr);
            ASSERT_TRUE(heap.is_valid());
            failing = 1;
            EXPECT_TRUE(heap.release(block));
            failing = 0;
            break;
        } catch (const std::bad_alloc&) {
            ++failures;
        }
        ASSERT_TRUE(heap.is_valid());
        EXPECT_EQ(heap.free_bytes(), before);
    }
    EXPECT_GT(failures, 0);
    EXPECT_EQ(heap.free_bytes(), before);
    failing = 1;
    EXPECT_THROW(heap.resize(blocks[0], 10), std::bad_alloc);
    EXPECT_TRUE(heap.is_valid());
    EXPECT_TRUE(heap.resize(blocks[7], 10));  // the hole behind it becomes larger
    failing = 0;
    EXPECT_TRUE(heap.is_valid());
}

// As checked mode keeps freed blocks back (core/job/guarded_blocks.hpp).
TEST(Heap, RetiredBlocksAreNoneAndGoWhereThereIsNoRoom) {
    static Heap heap;
    static void* kept = nullptr;
    heap.reset({kBase, 1024});
    void* const first = heap.allocate(512, 1);
    heap.set_size(first, 500);
    EXPECT_EQ(heap.block_size(first), 500u);
    EXPECT_EQ(heap.describe(at(510)),
              "10 bytes past the end of the block of 500 bytes at 0x200000000000");
    heap.retire(first);
    kept = first;
    EXPECT_TRUE(heap.is_valid());
    EXPECT_EQ(heap.block_size(first), 0u);
    EXPECT_EQ(heap.block_of(at(5)).size, 0u);
    EXPECT_EQ(heap.describe(at(5)), "inside the freed block of 500 bytes at 0x200000000000");
    heap.for_each_block([](const Range&) { FAIL() << "there is none"; });
    EXPECT_EQ(heap.allocate(640, 1), nullptr);
    heap.set_reclaim([] {
        if (!kept) return false;
        heap.release(std::exchange(kept, nullptr));
        return true;
    });
    EXPECT_EQ(heap.allocate(64, 1), at(512)) << "there is room without it";
    EXPECT_NE(kept, nullptr);
    EXPECT_EQ(heap.allocate(512, 1), at(0));
    EXPECT_EQ(heap.allocate(1024, 1), nullptr);
    EXPECT_TRUE(heap.is_valid());
}

TEST(Heap, NamesTheNearerBlock) {
    Heap heap;
    heap.reset({kBase, 4096});
    heap.allocate(64, 1);
    heap.set_size(heap.allocate(256, 1), 64);
    heap.allocate(64, 1);
    EXPECT_EQ(heap.describe(at(64 + 64 + 8)),
              "8 bytes past the end of the block of 64 bytes at 0x200000000040");
    EXPECT_EQ(heap.describe(at(64 + 256 - 8)),
              "8 bytes before the block of 64 bytes at 0x200000000140");
}

}  // namespace
}  // namespace isthmus
