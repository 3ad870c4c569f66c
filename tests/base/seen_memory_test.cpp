#include "base/seen_memory.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <memory>
#include <vector>

namespace {
int asked = 0;  // calls of the kernel
}

// In place of the C library's.
extern "C" int mincore(void* address, std::size_t bytes, unsigned char* resident) noexcept {
    ++asked;
    return static_cast<int>(syscall(SYS_mincore, address, bytes, resident));
}

namespace isthmus {
namespace {

constexpr std::size_t kPage = 4096;

char* map_pages(std::size_t pages) {
    void* const place = mmap(nullptr, pages * kPage, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return place == MAP_FAILED ? nullptr : static_cast<char*>(place);
}

// Too large for a stack's comfort.
struct SeenMemoryTest : testing::Test {
    std::unique_ptr<SeenMemory> seen = std::make_unique<SeenMemory>();
};

TEST_F(SeenMemoryTest, TellsHolesBeforeAndAfterItHasAsked) {
    char* const pages = map_pages(5);
    ASSERT_NE(pages, nullptr);
    munmap(pages + 2 * kPage, kPage);
    for (int again = 0; again < 2; ++again) {
        EXPECT_TRUE(seen->is_mapped(pages, 2 * kPage));
        EXPECT_TRUE(seen->is_mapped(pages + 2 * kPage - 1, 1));
        EXPECT_FALSE(seen->is_mapped(pages + 2 * kPage - 1, 2));
        EXPECT_FALSE(seen->is_mapped(pages + 2 * kPage, 1));
        EXPECT_TRUE(seen->is_mapped(pages + 3 * kPage, 2 * kPage));
        // Both ends have been seen, what lies between has not.
        EXPECT_FALSE(seen->is_mapped(pages + kPage, 3 * kPage));
        EXPECT_FALSE(seen->is_mapped(pages + 2 * kPage - 1, kPage + 2));
    }
    EXPECT_FALSE(seen->was_seen(reinterpret_cast<std::uintptr_t>(pages + 2 * kPage)));
    munmap(pages, 5 * kPage);
}

// Chunks of 512 pages are remembered whole, others by their pages.
TEST_F(SeenMemoryTest, OfManyPages) {
    constexpr std::size_t kChunk = 512 * kPage;
    char* const room = map_pages(5 * 512);
    ASSERT_NE(room, nullptr);
    char* const chunks = reinterpret_cast<char*>(
        (reinterpret_cast<std::uintptr_t>(room) + kChunk - 1) & ~(kChunk - 1));
    char* const end = chunks + 2 * kChunk + kChunk / 2;
    munmap(end, kChunk / 4);
    EXPECT_TRUE(seen->is_mapped(chunks + 8, 2 * kChunk));
    EXPECT_TRUE(seen->is_mapped(end - 64, 64));
    EXPECT_FALSE(seen->is_mapped(end - 64, 65));
    EXPECT_FALSE(seen->is_mapped(chunks, 3 * kChunk));
    const auto middle = reinterpret_cast<std::uintptr_t>(chunks + kChunk + kChunk / 2);
    EXPECT_TRUE(seen->was_seen(middle));
    munmap(room, 5 * kChunk);
    // What has gone may pass: the fault that follows is explained.
    EXPECT_TRUE(seen->was_seen(middle));
}

// Whatever lies around it, a span is asked about once.
TEST_F(SeenMemoryTest, AsksOnceAboutEachLength) {
    constexpr std::size_t kMost = std::size_t{1} << 20;
    static char data[kMost];
    std::vector<char> block(kMost);
    char* const pages = map_pages(kMost / kPage + 4);
    ASSERT_NE(pages, nullptr);
    // Alone, so that no chunk is mapped whole.
    munmap(pages, kPage);
    munmap(pages + kMost + 3 * kPage, kPage);
    for (char* const memory : {data, block.data(), pages + 2 * kPage - 8}) {
        for (const std::size_t bytes : {2 * kPage, 3 * kPage, 8 * kPage, 16 * kPage, kMost}) {
            EXPECT_TRUE(seen->is_mapped(memory, bytes));
            const int before = asked;
            for (int again = 0; again < 1000; ++again)
                ASSERT_TRUE(seen->is_mapped(memory, bytes));
            EXPECT_EQ(asked, before) << bytes;
            if (bytes <= SeenMemory::kMostKnown) {
                EXPECT_TRUE(seen->is_known(memory, bytes)) << bytes;
            }
        }
    }
    EXPECT_FALSE(seen->is_mapped(pages + kPage, kMost + 3 * kPage));
    EXPECT_FALSE(seen->is_known(pages + kMost - 8 * kPage, 16 * kPage));
    munmap(pages + kPage, kMost + 2 * kPage);
}

TEST_F(SeenMemoryTest, NothingLiesAtNullOrAtTheEnd) {
    EXPECT_FALSE(seen->is_mapped(nullptr, 1));
    EXPECT_FALSE(seen->is_mapped(reinterpret_cast<void*>(64), 8));
    EXPECT_FALSE(seen->is_mapped(reinterpret_cast<void*>(~std::uintptr_t{0} - 8), 64));
    EXPECT_FALSE(seen->is_mapped(&kPage, ~std::size_t{0}));
}

}  // namespace
}  // namespace isthmus
