#include "base/caches.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace isthmus {
namespace {

namespace fs = std::filesystem;

class CachesTest : public ::testing::Test {
  protected:
    void SetUp() override {
        std::string name = (fs::temp_directory_path() / "isthmus-caches-XXXXXX").string();
        ASSERT_NE(mkdtemp(name.data()), nullptr);
        folder_ = name;
    }
    void TearDown() override { fs::remove_all(folder_); }
    void add(int index, const char* level, const char* type, const char* size, const char* shared) {
        const fs::path at = fs::path(folder_) / ("index" + std::to_string(index));
        fs::create_directories(at);
        std::ofstream(at / "level") << level << "\n";
        std::ofstream(at / "type") << type << "\n";
        std::ofstream(at / "size") << size << "\n";
        std::ofstream(at / "shared_cpu_list") << shared << "\n";
    }
    std::string folder_;
};

TEST_F(CachesTest, AreReadByLevel) {
    add(0, "1", "Data", "48K", "0");
    add(1, "1", "Instruction", "32K", "0");
    add(2, "2", "Unified", "1024K", "0");
    add(3, "3", "Unified", "32768K", "0-1");
    const Caches caches = read_caches(folder_.c_str());
    EXPECT_EQ(caches.level1, 48u << 10);
    EXPECT_EQ(caches.level2, 1024u << 10);
    EXPECT_EQ(caches.level3, 16384u << 10);  // half of it
    EXPECT_EQ(caches.sharing, 2);
}

TEST_F(CachesTest, WhatIsMissingIsZero) {
    const Caches none = read_caches((folder_ + "/nowhere").c_str());
    EXPECT_EQ(none.level1 + none.level2 + none.level3, 0u);
    add(0, "1", "Data", "odd", "");
    const Caches odd = read_caches(folder_.c_str());
    EXPECT_EQ(odd.level1, 0u);
    EXPECT_EQ(odd.sharing, 1);
}

TEST(Caches, OfThisMachine) {
    const Caches caches = read_caches();
    if (caches.level1 == 0) GTEST_SKIP() << "the kernel does not say";
    EXPECT_GE(caches.level1, 4096u);
    EXPECT_GE(caches.sharing, 1);
}

}  // namespace
}  // namespace isthmus
