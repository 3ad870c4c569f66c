#include "launch/linked.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "launch/processes.hpp"

namespace isthmus::launch {
namespace {

std::string bytes_of(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

class LinkedTest : public testing::Test {
  protected:
    std::string write(const std::string& bytes) const {
        std::ofstream(path, std::ios::binary) << bytes;
        return path;
    }
    // This program, as if it were linked with that library and not the C++ one; and with another
    // and not the compiler's.
    std::string linked_with(const std::string& library, const std::string& another = "") const {
        std::string bytes = bytes_of("/proc/self/exe");
        const auto exchange = [&](const std::string& own, const std::string& name) {
            const auto at = bytes.find(own);
            EXPECT_NE(at, std::string::npos);
            EXPECT_LE(name.size(), own.size());
            bytes.replace(at, own.size(), name + std::string(own.size() - name.size(), '\0'));
        };
        exchange("libstdc++.so.6", library);
        if (!another.empty()) exchange("libgcc_s.so.1", another);
        return write(bytes);
    }
    static std::string warning(const std::string& program, int pes,
                               Numbering numbering = Numbering::ours) {
        return warn_of_foreign_program(program, {program}, pes, numbering);
    }
    void TearDown() override { std::filesystem::remove(path); }
    const std::string path = testing::TempDir() + "isthmus-linked-" + std::to_string(getpid());
};

TEST_F(LinkedTest, KnowsWhatThisProgramNeeds) {
    const auto needed = needed_libraries("/proc/self/exe");
    EXPECT_NE(std::find(needed.begin(), needed.end(), "libc.so.6"), needed.end());
    EXPECT_EQ(warning("/proc/self/exe", 4), "");
}

TEST_F(LinkedTest, TellsOfProgramsThatWouldBeJobsOfOne) {
    EXPECT_NE(warning(linked_with("liboshmem.so.4"), 2).find("another OpenSHMEM"),
              std::string::npos);
    EXPECT_NE(warning(linked_with("libsma.so.3"), 2).find("another OpenSHMEM"), std::string::npos);
    EXPECT_NE(warning(linked_with("libmpi.so.40"), 2).find("MPI job of one rank"),
              std::string::npos);
    EXPECT_EQ(warning(linked_with("libmpi.so.40"), 1), "");
    EXPECT_EQ(warning(linked_with("libmpigeo.so"), 4), "");
    EXPECT_EQ(warning(linked_with("libisthmus.so"), 4), "");
    // Both in one program: the library's number is there, and MPI's is not.
    const std::string both = linked_with("libisthmus.so", "libmpi.so.40");
    EXPECT_NE(warning(both, 2).find("linked with MPI as well"), std::string::npos);
    EXPECT_NE(warning(both, 2, Numbering::pmi1), "");
    EXPECT_EQ(warning(both, 1), "");
    EXPECT_EQ(warning(linked_with("libisthmus.so", "libmpich.so"), 2, Numbering::pmi1), "");
    EXPECT_EQ(warning(linked_with("libisthmus.so", "liboshmem.so"), 2), "");
}

TEST_F(LinkedTest, TellsOfProgramsThatWrappersWouldRun) {
    const std::string program = linked_with("liboshmem.so.4");
    chmod(program.c_str(), 0755);
    const std::vector<std::string> words{"env", "A=1", program, "x"};
    EXPECT_EQ(warn_of_foreign_program("/usr/bin/env", words, 2, Numbering::ours).find(program), 0u);
    chmod(program.c_str(), 0644);  // data of a program
    EXPECT_EQ(warn_of_foreign_program("/usr/bin/env", words, 2, Numbering::ours), "");
}

// All but Open MPI's ask a process manager of PMI-1 and are whole jobs by it.
TEST_F(LinkedTest, BehindAProcessManagerOnlyThoseOfOpenMpiAreAlone) {
    EXPECT_NE(warning(linked_with("liboshmem.so.4"), 2, Numbering::pmi1), "");
    EXPECT_NE(warning(linked_with("libmpi.so.40"), 2, Numbering::pmi1), "");
    EXPECT_EQ(warning(linked_with("libmpi.so.12"), 2, Numbering::pmi1), "");
    EXPECT_EQ(warning(linked_with("libsma.so.3"), 2, Numbering::pmi1), "");
}

// A shell that runs what has the library loaded.
TEST_F(LinkedTest, TellsOfProcesses) {
    EXPECT_EQ(warn_of_foreign_process(getpid(), Numbering::ours), "");
    const std::string library = path + "-folder/liboshmem.so.40";
    std::filesystem::create_directories(path + "-folder");
    std::filesystem::copy_file("/proc/self/exe", library);
    const pid_t shell = fork();
    if (shell == 0) {
        if (fork() == 0) {
            const int file = open(library.c_str(), O_RDONLY | O_CLOEXEC);
            mmap(nullptr, 4096, PROT_READ, MAP_PRIVATE, file, 0);
            for (;;)
                pause();
        }
        for (;;)
            pause();
    }
    std::string line;
    for (int i = 0; i < 500 && line.empty(); ++i) {
        line = warn_of_foreign_process(shell, Numbering::ours);
        usleep(10'000);
    }
    EXPECT_NE(line.find("another OpenSHMEM"), std::string::npos);
    for (const pid_t child : descendants(shell))
        kill(child, SIGKILL);
    kill(shell, SIGKILL);
    waitpid(shell, nullptr, 0);
    std::filesystem::remove_all(path + "-folder");
}

TEST_F(LinkedTest, WhatIsDamagedNeedsNothing) {
    const std::string whole = bytes_of("/proc/self/exe");
    for (const std::size_t length :
         {std::size_t{0}, std::size_t{3}, std::size_t{40}, std::size_t{64}, std::size_t{100},
          std::size_t{800}, std::size_t{5000}})
        needed_libraries(write(whole.substr(0, length)));
    // Any byte of the head wrong: no harm.
    for (std::size_t at = 0; at < 1000; at += 3) {
        std::string bytes = whole.substr(0, 100'000);
        bytes[at] = static_cast<char>(bytes[at] ^ 0xff);
        needed_libraries(write(bytes));
    }
    EXPECT_TRUE(needed_libraries(write("#!/bin/sh\n")).empty());
    EXPECT_TRUE(needed_libraries("/no/such/file").empty());
    EXPECT_TRUE(needed_libraries("/").empty());
}

}  // namespace
}  // namespace isthmus::launch
