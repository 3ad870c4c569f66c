#include "base/error.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstddef>
#include <string_view>
#include <thread>

namespace isthmus {
namespace {

using ErrorDeathTest = testing::Test;

TEST(ErrorDeathTest, FailNamesWhereAndWhat) {
    EXPECT_EXIT(fail("shmem_putmem", "pe 9 is out of range 0..3"), testing::ExitedWithCode(1),
                "^isthmus: shmem_putmem: pe 9 is out of range 0\\.\\.3\n$");
}

TEST(ErrorDeathTest, FailNamesItsPeOnceItIsKnown) {
    EXPECT_EXIT(
        {
            set_speaker(3);
            fail("", "out of luck");
        },
        testing::ExitedWithCode(1), "^isthmus: PE 3 \\(host [^)]+\\): out of luck\n$");
}

TEST(ErrorDeathTest, OnlyTheFirstToFailSpeaks) {
    EXPECT_EXIT(
        {
            set_job_end({[](int) { return false; }, [](int status) { _exit(status + 40); }});
            fail("shmem_putmem", "not said");
        },
        testing::ExitedWithCode(41), "^$");
}

// One waits for the end of the job meanwhile.
TEST(ErrorDeathTest, OneThreadOfAProcessSpeaks) {
    EXPECT_EXIT(
        {
            set_job_end({[](int) { return true; },
                         [](int) {
                             static std::atomic<bool> is_second = false;
                             if (is_second.exchange(true)) _exit(3);
                             std::thread([] { fail("shmem_putmem", "not said"); }).join();
                         }});
            fail("shmem_getmem", "said");
        },
        testing::ExitedWithCode(3), "^isthmus: shmem_getmem: said\n$");
}

// Nobody reads, and signals of the program's come meanwhile, whose handler does not have calls go
// on: that is when the reader comes back.
int unread[2];
char heard[1 << 17];
std::size_t heard_bytes = 0;
void read_all(int) {
    const ssize_t count = read(unread[0], heard + heard_bytes, sizeof heard - heard_bytes);
    if (count > 0) heard_bytes += static_cast<std::size_t>(count);
}

TEST(Error, ALineWaitsForItsReaderWhateverSignalsCome) {
    ASSERT_EQ(pipe2(unread, O_NONBLOCK), 0);
    while (write(unread[1], "\n", 1) == 1) {
    }
    fcntl(unread[1], F_SETFL, 0);
    const int errors = dup(STDERR_FILENO);
    dup2(unread[1], STDERR_FILENO);
    struct sigaction action {};
    action.sa_handler = read_all;
    sigaction(SIGALRM, &action, nullptr);
    ualarm(20'000, 0);
    say_from("here", "and now");
    dup2(errors, STDERR_FILENO);
    signal(SIGALRM, SIG_DFL);
    read_all(SIGALRM);
    EXPECT_TRUE(std::string_view(heard, heard_bytes).ends_with("isthmus: here: and now\n"));
    for (const int file : {unread[0], unread[1], errors})
        close(file);
}

TEST(Error, TheHostHasAName) {
    EXPECT_FALSE(host_name().empty());
}

}  // namespace
}  // namespace isthmus
