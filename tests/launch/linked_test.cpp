#include "launch/linked.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

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
    // This program, as if it were linked with that library and not the C++ one.
    std::string linked_with(const std::string& library) const {
        std::string bytes = bytes_of("/proc/self/exe");
        const std::string own = "libstdc++.so.6";
        const auto at = bytes.find(own);
        EXPECT_NE(at, std::string::npos);
        EXPECT_LE(library.size(), own.size());
        bytes.replace(at, own.size(), library + std::string(own.size() - library.size(), '\0'));
        return write(bytes);
    }
    void TearDown() override { std::filesystem::remove(path); }
    const std::string path = testing::TempDir() + "isthmus-linked-" + std::to_string(getpid());
};

TEST_F(LinkedTest, KnowsWhatThisProgramNeeds) {
    const auto needed = needed_libraries("/proc/self/exe");
    EXPECT_NE(std::find(needed.begin(), needed.end(), "libc.so.6"), needed.end());
    EXPECT_EQ(warn_of_foreign_program("/proc/self/exe", 4), "");
}

TEST_F(LinkedTest, TellsOfProgramsThatWouldBeJobsOfOne) {
    EXPECT_NE(warn_of_foreign_program(linked_with("liboshmem.so.4"), 2).find("another OpenSHMEM"),
              std::string::npos);
    EXPECT_NE(warn_of_foreign_program(linked_with("libsma.so.3"), 2).find("another OpenSHMEM"),
              std::string::npos);
    EXPECT_NE(warn_of_foreign_program(linked_with("libmpi.so.40"), 2).find("MPI job of one rank"),
              std::string::npos);
    EXPECT_EQ(warn_of_foreign_program(linked_with("libmpi.so.40"), 1), "");
    EXPECT_EQ(warn_of_foreign_program(linked_with("libmpigeo.so"), 4), "");
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
