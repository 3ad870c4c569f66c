#include "core/session/handshake.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/job/job_layout.hpp"

namespace isthmus {
namespace {

TEST(HandshakeTest, AFileThatIsTooSmallForAPeIsNotItsMemory) {
    const Descriptor file(memfd_create("memory", MFD_CLOEXEC));
    const auto size = static_cast<off_t>(job_file_size(2));
    ASSERT_EQ(ftruncate(file.file(), size), 0);
    EXPECT_TRUE(holds_memory_of(file.file(), 0));
    EXPECT_TRUE(holds_memory_of(file.file(), 1));
    EXPECT_FALSE(holds_memory_of(file.file(), 2));
    ASSERT_EQ(ftruncate(file.file(), size - 1), 0);
    EXPECT_FALSE(holds_memory_of(file.file(), 1));
}

TEST(HandshakeTest, WhatIsNoFileIsNobodysMemory) {
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    const Descriptor read(ends[0]), write(ends[1]), folder(open("/", O_RDONLY | O_CLOEXEC));
    EXPECT_FALSE(holds_memory_of(read.file(), 0));
    EXPECT_FALSE(holds_memory_of(folder.file(), 0));
    EXPECT_FALSE(holds_memory_of(-1, 0));
}

}  // namespace
}  // namespace isthmus
