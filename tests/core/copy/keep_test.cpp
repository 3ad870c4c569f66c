// What is kept of a measurement, and what is not believed.
#include "core/copy/keep.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "core/copy/settle.hpp"

namespace isthmus {
namespace {

namespace fs = std::filesystem;

// A folder of its own for each test, which the environment names.
class KeptCopies : public ::testing::Test {
  protected:
    void SetUp() override {
        std::string name = (fs::temp_directory_path() / "isthmus-keep-XXXXXX").string();
        ASSERT_NE(mkdtemp(name.data()), nullptr);
        folder_ = name;
        setenv("XDG_CACHE_HOME", folder_.c_str(), 1);
        unsetenv("ISTHMUS_TUNING");
    }
    void TearDown() override {
        unsetenv("XDG_CACHE_HOME");
        unsetenv("ISTHMUS_TUNING");
        fs::permissions(folder_, fs::perms::owner_all);
        fs::remove_all(folder_);
    }
    // Parameters that no measurement gives.
    static CopyParameters strange() {
        CopyParameters parameters;
        parameters.turn = 12345;
        parameters.outer = Way::claimed;
        return parameters;
    }
    static void write(const std::string& path, const std::string& text) {
        fs::create_directories(fs::path(path).parent_path());
        std::ofstream(path) << text;
        chmod(path.c_str(), 0600);
    }
    std::string folder_;
};

TEST_F(KeptCopies, FolderFollowsTheEnvironment) {
    EXPECT_EQ(cache_folder(), folder_ + "/isthmus");
    setenv("XDG_CACHE_HOME", "relative", 1);
    setenv("HOME", "/somewhere", 1);
    EXPECT_EQ(cache_folder(), "/somewhere/.cache/isthmus");
    unsetenv("HOME");
    EXPECT_EQ(cache_folder(), "");
}

TEST_F(KeptCopies, ComeBack) {
    const std::string path = kept_file(cache_folder(), "A b/../c");
    EXPECT_EQ(path, folder_ + "/isthmus/copy-A-b----c.txt");
    std::string problem;
    EXPECT_FALSE(read_kept(path, problem));
    EXPECT_EQ(problem, "");  // not there is no problem
    ASSERT_TRUE(write_kept(path, "text\n"));
    EXPECT_EQ(read_kept(path, problem), "text\n");
    ASSERT_TRUE(write_kept(path, "another\n"));
    EXPECT_EQ(read_kept(path, problem), "another\n");
    // Nothing unfinished stays.
    EXPECT_EQ(std::distance(fs::directory_iterator(folder_ + "/isthmus"), {}), 1);
}

TEST_F(KeptCopies, WhatOthersMayWriteIsNotRead) {
    const std::string path = folder_ + "/file";
    std::string problem;
    write(path, "text\n");
    chmod(path.c_str(), 0666);
    EXPECT_FALSE(read_kept(path, problem));
    EXPECT_EQ(problem, "others may write it");
    write(path, std::string(5000, 'x'));
    EXPECT_FALSE(read_kept(path, problem));
    EXPECT_EQ(problem, "it is too long");
    EXPECT_FALSE(read_kept(folder_, problem));
    EXPECT_EQ(problem, "it is no file");
    const std::string pipe = folder_ + "/pipe";
    ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
    EXPECT_FALSE(read_kept(pipe, problem));
    EXPECT_EQ(problem, "it is no file");
}

TEST_F(KeptCopies, AFolderThatCannotBeMadeIsNoFailure) {
    write(folder_ + "/isthmus", "a file where the folder should be");
    EXPECT_FALSE(write_kept(kept_file(cache_folder(), "x"), "text\n"));
    EXPECT_FALSE(MeasureLock(kept_file(cache_folder(), "x")));
}

TEST_F(KeptCopies, OneMeasures) {
    const std::string path = kept_file(cache_folder(), "x");
    const MeasureLock first(path);
    EXPECT_TRUE(first);
    EXPECT_FALSE(MeasureLock(path));
}

TEST_F(KeptCopies, AreFoundByProcessor) {
    const CopyStory before = find_parameters();
    EXPECT_NE(before.reason.find("not measured yet"), std::string::npos) << before.reason;
    write(before.file, parameters_text(strange(), before.processor));
    EXPECT_EQ(find_parameters().parameters, strange());
    EXPECT_EQ(find_parameters().reason, "measured, " + before.file);
    write(before.file, parameters_text(strange(), "another"));
    EXPECT_EQ(find_parameters().parameters, before.parameters);
    EXPECT_NE(find_parameters().reason.find("cannot be used"), std::string::npos);
    write(before.file, "nonsense");
    EXPECT_EQ(find_parameters().parameters, before.parameters);
    EXPECT_EQ(find_parameters().refused, "");  // of what is kept nobody need know
}

// A file that is named stands for whatever processor it is of; nothing else is read.
TEST_F(KeptCopies, ANamedFileIsAnotherProcessors) {
    const std::string path = folder_ + "/xeon";
    write(path, parameters_text(strange(), "GenuineIntel 000806f8"));
    setenv("ISTHMUS_TUNING", path.c_str(), 1);
    EXPECT_EQ(find_parameters().parameters, strange());
    EXPECT_EQ(find_parameters().reason, "as given in " + path);
    EXPECT_EQ(find_parameters().refused, "");
    write(path, "nonsense");
    EXPECT_NE(find_parameters().reason.find("cannot be used"), std::string::npos);
    EXPECT_EQ(find_parameters().refused, "it is not of this version, or damaged");
    setenv("ISTHMUS_TUNING", (folder_ + "/none").c_str(), 1);
    EXPECT_NE(find_parameters().reason.find("is not there"), std::string::npos);
    EXPECT_EQ(find_parameters().refused, "it is not there");
}

TEST_F(KeptCopies, OffLooksAtNothing) {
    const CopyStory before = find_parameters();
    write(before.file, parameters_text(strange(), before.processor));
    setenv("ISTHMUS_TUNING", "off", 1);
    EXPECT_EQ(find_parameters().parameters, before.parameters);
    EXPECT_EQ(find_parameters().file, "");
}

// The processes of a job that all copy for the first time: each copies right, and a whole file is
// there afterwards.
TEST_F(KeptCopies, ManyBeginAtOnce) {
    constexpr int kProcesses = 16;
    std::vector<pid_t> children;
    for (int i = 0; i < kProcesses; ++i) {
        const pid_t child = fork();
        if (child == 0) {
            const CopyParameters found = find_or_measure().parameters;
            _exit(parse_parameters(parameters_text(found, "x"), "x") == found ? 0 : 1);
        }
        children.push_back(child);
    }
    for (const pid_t child : children) {
        int status = -1;
        ASSERT_EQ(waitpid(child, &status, 0), child);
        EXPECT_EQ(status, 0);
    }
    const CopyStory after = find_parameters();
    if (after.reason.find("not measured") != std::string::npos)
        GTEST_SKIP() << "no plausible measurement here: an emulator, valgrind, or a busy machine";
    EXPECT_EQ(after.reason, "measured, " + after.file);
}

TEST_F(KeptCopies, TuneReplacesWhatIsThere) {
    const CopyStory before = find_parameters();
    write(before.file, "nonsense");
    CopyMeasurement measurement;
    const CopyStory tuned = tune_copies(measurement);
    if (!measurement.plausible) GTEST_SKIP() << tuned.reason;
    EXPECT_EQ(tuned.reason, "measured, " + before.file);
    EXPECT_EQ(find_parameters().parameters, tuned.parameters);
    EXPECT_FALSE(measurement.figures.empty());
    EXPECT_LT(measurement.milliseconds, 1000);
}

}  // namespace
}  // namespace isthmus
