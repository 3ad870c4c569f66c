#include "core/reach/far.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

#include "core/job/job.hpp"
#include "core/session/attach.hpp"

namespace isthmus {
namespace {

// What another PE names for this one to write: within what is published, or nowhere.
TEST(Far, FindsOnlyWhatIsPublished) {
    setenv("SHMEM_SYMMETRIC_SIZE", "1M", 1);
    attach_job();
    const std::uint64_t size = job.heap.size;
    char* const begin = reinterpret_cast<char*>(job.heap.begin);
    EXPECT_EQ(far::own_memory({transport::kHeap, 0}, size), begin);
    EXPECT_EQ(far::own_memory({transport::kHeap, size - 8}, 8), begin + size - 8);
    EXPECT_EQ(far::own_memory({transport::kHeap, size}, 0), begin + size);
    EXPECT_EQ(far::own_memory({transport::kHeap, size - 7}, 8), nullptr);
    EXPECT_EQ(far::own_memory({transport::kHeap, 0}, size + 1), nullptr);
    EXPECT_EQ(far::own_memory({transport::kHeap, size + 1}, 0), nullptr);
    EXPECT_EQ(far::own_memory({transport::kHeap, 8}, ~std::uint64_t{0}), nullptr);
    EXPECT_EQ(far::own_memory({transport::kSegments, 0}, 8), nullptr);
    EXPECT_TRUE(far::is_published(begin + size - 8, 8));
    EXPECT_FALSE(far::is_published(begin + size - 7, 8));
    detach_job();
    unsetenv("SHMEM_SYMMETRIC_SIZE");
}

}  // namespace
}  // namespace isthmus
