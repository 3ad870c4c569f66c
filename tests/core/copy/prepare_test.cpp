#include "core/copy/prepare.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "core/copy/copy.hpp"
#include "core/copy/settle.hpp"

namespace isthmus {
namespace {

int prepare_with(const CopyParameters& parameters, const ChosenCopy& expected) {
    const std::string path = ::testing::TempDir() + "isthmus-prepare-test.txt";
    std::FILE* const file = std::fopen(path.c_str(), "w");
    if (!file) return 1;
    std::fputs(parameters_text(parameters, "any").c_str(), file);
    std::fclose(file);
    setenv("ISTHMUS_TUNING", path.c_str(), 1);
    prepare_copies();
    std::remove(path.c_str());
    const bool taken = copy_long == expected.copy && copy_part == expected.copy_part &&
                       copy_loops.copy == expected.copy;
    return taken && settled_parameters() == parameters ? 0 : 2;
}

// What was measured to be faster is what a PE that starts will copy by. In a process of its own:
// parameters are settled once.
TEST(PrepareCopies, TakesTheLoopsThatWereKept) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    const ChosenCopy& narrower = copy_available.narrower;
    if (!narrower.copy) GTEST_SKIP() << "this processor (or valgrind) has one width of vectors";
    CopyParameters parameters = standard_parameters(read_caches());
    EXPECT_EXIT(std::_Exit(prepare_with(parameters, copy_available.widest)),
                ::testing::ExitedWithCode(0), "");
    parameters.narrow = true;
    EXPECT_EXIT(std::_Exit(prepare_with(parameters, narrower)), ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace isthmus
