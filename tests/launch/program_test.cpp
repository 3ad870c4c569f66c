#include "launch/program.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace isthmus::launch {
namespace {

namespace fs = std::filesystem;

class ProgramTest : public testing::Test {
  protected:
    void SetUp() override {
        std::string name = (fs::temp_directory_path() / "program-test-XXXXXX").string();
        ASSERT_NE(mkdtemp(name.data()), nullptr);
        folder_ = name;
        fs::create_directory(folder_ / "first");
        fs::create_directory(folder_ / "second");
        make("first/plain", false);
        make("second/plain", true);
        make("second/tool", true);
        make("first/only-plain", false);
        path_ = std::getenv("PATH");
        setenv("PATH", (folder_.string() + "/first:" + folder_.string() + "/second").c_str(), 1);
    }
    void TearDown() override {
        setenv("PATH", path_.c_str(), 1);
        fs::remove_all(folder_);
    }
    void make(const char* name, bool executable) {
        std::ofstream(folder_ / name) << "text\n";
        fs::permissions(folder_ / name, executable ? fs::perms::owner_all : fs::perms::owner_read);
    }
    fs::path folder_;
    std::string path_;
};

TEST_F(ProgramTest, SearchesPath) {
    EXPECT_EQ(find_program("tool", "").path, folder_.string() + "/second/tool");
    EXPECT_EQ(find_program("plain", "").path, folder_.string() + "/second/plain");
    const Program missing = find_program("nothing", "");
    EXPECT_EQ(missing.status, kStatusNotFound);
    EXPECT_EQ(missing.error, "cannot run nothing: it is not in PATH");
    const Program refused = find_program("only-plain", "");
    EXPECT_EQ(refused.status, kStatusNotExecutable);
    EXPECT_NE(refused.error.find("not executable"), std::string::npos);
}

TEST_F(ProgramTest, NearMiss) {
    EXPECT_EQ(find_program("first", (folder_ / "..").string()).status, kStatusNotFound);
    unsetenv("PATH");
    setenv("PATH", "/nonexistent", 1);
    EXPECT_EQ(find_program("tool", (folder_ / "second").string()).error,
              "cannot run tool: it is not in PATH; did you mean ./tool?");
}

TEST_F(ProgramTest, Paths) {
    EXPECT_EQ(find_program("./tool", (folder_ / "second").string()).path, "./tool");
    EXPECT_EQ(find_program("./tool", (folder_ / "first").string()).status, kStatusNotFound);
    EXPECT_EQ(find_program(folder_.string() + "/second", "").error,
              "cannot run " + folder_.string() + "/second: it is a directory");
    EXPECT_EQ(find_program("/dev/null", "").status, kStatusNotExecutable);
    EXPECT_EQ(find_program("", "").status, kStatusNotExecutable);
}

TEST(ExecErrors, Texts) {
    EXPECT_EQ(describe_exec_error("p", ENOENT),
              "cannot run p: its interpreter (first line) or its loader was not found");
    EXPECT_EQ(describe_exec_error("p", E2BIG),
              "cannot run p: arguments and environment are too long");
    EXPECT_EQ(describe_exec_error("p", EACCES), "cannot run p: Permission denied");
}

}  // namespace
}  // namespace isthmus::launch
