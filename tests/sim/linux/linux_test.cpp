// What a Linux program sees of the machine where it must not be the host's; the machine's examples.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "tests/sim/tools.hpp"

namespace isthmus::sim {
namespace {

/// One of the folder programs.
test::Result compile_program(const test::Scratch& scratch, const std::string& name) {
    return test::compile_linux(
        scratch, test::read_file(ISTHMUS_TEST_SOURCE "/tests/sim/programs/" + name + ".c"),
        scratch / name);
}

TEST(Linux, NothingOfTheHostIsSeen) {
    if (!*ISTHMUS_TEST_GCC) GTEST_SKIP() << "riscv64-linux-gnu-gcc is not installed";
    test::Scratch scratch;
    const auto built = test::compile_linux(scratch, R"(
#include <errno.h>
#include <stdio.h>
#include <unistd.h>
int main(void) {
    unsigned long words[2] = {0, 0};
    FILE* file = fopen("/dev/urandom", "r");
    fread(words, 8, 2, file);
    printf("%ld %ld ", sysconf(_SC_NPROCESSORS_ONLN), sysconf(_SC_NPROCESSORS_CONF));
    printf("%d %d ", fopen("/proc/self/maps", "r") == NULL, errno == ENOENT);
    char name[5] = "";
    file = fopen("/proc/self/exe", "r");
    fseek(file, 18, SEEK_SET);
    printf("%d ", fgetc(file)); /* RISC-V */
    printf("%lx %lx\n", words[0], words[1]);
    return words[0] == 0 || words[0] == words[1];
}
)",
                                           scratch / "see");
    ASSERT_EQ(built.status, 0) << built.output;
    const auto run = [&](const std::string& options) {
        const auto ran = test::run(ISTHMUS_TEST_BINARY "/bin/isthmus-sim --quiet " + options + " " +
                                   (scratch / "see"));
        EXPECT_EQ(ran.status, 0) << ran.output;
        return ran.output;
    };
    const std::string first = run("--seed 1");
    EXPECT_EQ(first.substr(0, 12), "1 1 1 1 243 ") << first;
    EXPECT_EQ(run("--seed 1"), first);
    EXPECT_NE(run("--seed 2"), first);
}

// Without time they print what qemu prints (differential_test.cpp).
TEST(Linux, ProcessorTimeIsTheSameInTime) {
    if (!*ISTHMUS_TEST_GCC) GTEST_SKIP() << "riscv64-linux-gnu-gcc is not installed";
    test::Scratch scratch;
    for (const std::string name : {"processor_time", "processor_timers"}) {
        const auto built = compile_program(scratch, name);
        ASSERT_EQ(built.status, 0) << built.output;
        const auto run = [&](const std::string& options) {
            return test::run("timeout 60 " ISTHMUS_TEST_BINARY "/bin/isthmus-sim --quiet -n 1 " +
                             options + (scratch / name));
        };
        const auto timed = run("--timed ");
        EXPECT_EQ(timed.output, run("").output) << name;
        EXPECT_EQ(timed.status, 0) << name;
    }
}

// qemu walks no lists; this is what Linux itself prints.
TEST(Linux, LocksTellOfTheDeathOfTheirOwner) {
    if (!*ISTHMUS_TEST_GCC) GTEST_SKIP() << "riscv64-linux-gnu-gcc is not installed";
    test::Scratch scratch;
    const auto built = compile_program(scratch, "robust_locks");
    ASSERT_EQ(built.status, 0) << built.output;
    const auto ran = test::run("timeout 60 " ISTHMUS_TEST_BINARY "/bin/isthmus-sim " +
                               (scratch / "robust_locks"));
    const std::string of_each_kind =
        "0 0\n"
        "0 0 0 \n"
        "EOWNERDEAD 0 0 0 0\n"
        "EOWNERDEAD 0 ENOTRECOVERABLE\n"
        "EOWNERDEAD 0 0\n"
        "EOWNERDEAD EOWNERDEAD EOWNERDEAD \n"
        "EOWNERDEAD EOWNERDEAD EOWNERDEAD \n"
        "1 2 0 EOWNERDEAD\n";
    EXPECT_EQ(ran.output, of_each_kind + of_each_kind + "0 1 1\n0 0 -1 1\n0 1 24 -1\n");
    EXPECT_EQ(ran.status, 0);
}

// Nothing is skipped, whatever a program waits with. A loaded host makes it late.
TEST(Linux, ByTheHostsClockNoWaitIsShorterThanItSays) {
    if (!*ISTHMUS_TEST_GCC) GTEST_SKIP() << "riscv64-linux-gnu-gcc is not installed";
    test::Scratch scratch;
    const auto built = compile_program(scratch, "deadlines");
    ASSERT_EQ(built.status, 0) << built.output;
    const auto ran =
        test::run("timeout 60 " ISTHMUS_TEST_BINARY "/bin/isthmus-sim --quiet --host-clock -n 2 " +
                  (scratch / "deadlines"));
    EXPECT_EQ(ran.status, 0) << ran.output;
}

TEST(Linux, ByTheHostsClockNodesGoOnWhileOneWaits) {
    if (!*ISTHMUS_TEST_GCC) GTEST_SKIP() << "riscv64-linux-gnu-gcc is not installed";
    test::Scratch scratch;
    const auto built = test::compile_linux(scratch, R"(
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>
#include <xbgas.h>
int main(int count, char** words) {
    char byte = 0;
    const int pipe = open(words[count - 1], O_RDWR);
    struct pollfd polled = {pipe, POLLIN, 0};
    /* As one that would wait in the host, and as one that asks when it need not. */
    if (XBGAS_READ_E(10) == 0) return poll(&polled, 1, -1) != 1 || read(pipe, &byte, 1) != 1;
    if (XBGAS_READ_E(10) == 1) return read(pipe, &byte, 1) != 1;
    usleep(20000);
    return write(pipe, "ab", 2) != 2 || usleep(20000) != 0;
}
)",
                                           scratch / "wait");
    ASSERT_EQ(built.status, 0) << built.output;
    const std::string pipe = scratch / "pipe";
    ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
    for (const char* options : {"", "--threads 2 ", "--processes 2 "}) {
        const auto ran =
            test::run("timeout 60 " ISTHMUS_TEST_BINARY "/bin/isthmus-sim --quiet --host-clock " +
                      std::string(options) + "-n 3 " + (scratch / "wait") + " " + pipe);
        EXPECT_EQ(ran.status, 0) << options << ran.output;
    }
}

// As their first lines say.
TEST(Examples, OfTheMachineRun) {
    if (!*ISTHMUS_TEST_GCC) GTEST_SKIP() << "riscv64-linux-gnu-gcc is not installed";
    test::Scratch scratch;
    const std::string folder = ISTHMUS_TEST_SOURCE "/examples/machine/";
    const auto run = [&](const std::string& flags, const std::string& source) {
        const std::string program = scratch / "program";
        const auto built =
            test::run(std::string(ISTHMUS_TEST_GCC) + " " + flags +
                      " -static -I " ISTHMUS_TEST_INCLUDE " " + folder + source + " -o " + program);
        EXPECT_EQ(built.status, 0) << built.output;
        const auto ran =
            test::run("timeout 60 " ISTHMUS_TEST_BINARY "/bin/isthmus-sim --quiet -n 3 " + program);
        EXPECT_EQ(ran.status, 0) << ran.output;
        return ran.output;
    };
    EXPECT_EQ(run("-nostdlib -Wl,-Ttext-segment=0x80000000", "bare.S"), "CAB");
    EXPECT_EQ(run("-O2 -Wall -Wextra -Werror", "neighbour.c"),
              "node 0 got C\nnode 1 got A\nnode 2 got B\n");
}

}  // namespace
}  // namespace isthmus::sim
