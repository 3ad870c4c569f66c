#include "core/session/handshake.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "core/job/job_layout.hpp"
#include "core/session/file_swap.hpp"

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

// Any user can take it so that calls are refused, as they are where nobody has it.
TEST(HandshakeTest, ANameThatSomebodyHasIsNotFree) {
    const std::string name = "name-of-a-test-" + std::to_string(getpid());
    EXPECT_TRUE(is_free_name(name.c_str()));
    sockaddr_un address;
    const socklen_t length = name_socket(name.c_str(), address);
    const Descriptor holder(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    ASSERT_EQ(bind(holder.file(), reinterpret_cast<const sockaddr*>(&address), length), 0);
    EXPECT_FALSE(is_free_name(name.c_str()));
    ASSERT_EQ(listen(holder.file(), 1), 0);
    EXPECT_FALSE(is_free_name(name.c_str()));
}

TEST(HandshakeTest, AMateThatHasEndedIsToldAsThat) {
    int ends[2];
    ASSERT_EQ(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
    const Descriptor mine(ends[0]);
    close(ends[1]);
    Hello hello{};
    Descriptor file;
    EXPECT_EQ(receive_file(mine.file(), MSG_DONTWAIT, hello, file), Heard::noise);
    EXPECT_EQ(memory_failed("recvmsg", 2),
              "PE 2, which had come, has ended in shmem_init, or the program has closed its files: "
              "recvmsg: Connection reset by peer");
    EXPECT_FALSE(send_file(mine.file(), hello, -1));
    EXPECT_TRUE(memory_failed("sendmsg", 2).starts_with("PE 2, which had come, has ended"));
    const Descriptor caller = open_socket(1);
    sockaddr_un address;
    const socklen_t length = name_socket("nobody-has-this-name", address);
    EXPECT_NE(connect(caller.file(), reinterpret_cast<const sockaddr*>(&address), length), 0);
    EXPECT_TRUE(memory_failed("connect", 2).starts_with("PE 2, which had come, has ended"));
}

}  // namespace
}  // namespace isthmus
