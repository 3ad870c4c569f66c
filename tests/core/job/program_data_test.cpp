#include "core/job/program_data.hpp"

#include <gtest/gtest.h>

#include "base/os.hpp"
#include "core/job/loaded_object.hpp"

namespace {

int initialised = 42;
int zero;
const char* const relocated[] = {"read-only after start"};

}  // namespace

// As the program writes it, not as the linker does.
namespace program_data_test {
long counter[4] = {1, 2, 3, 4};
}

// Found by name in the executable's symbol table.
long program_data_test_variable[4] = {1, 2, 3, 4};
__attribute__((noinline)) int program_data_test_function() {
    return initialised + zero;
}

namespace isthmus {
namespace {

TEST(ProgramData, IsTheWritablePartOfTheExecutable) {
    const Range range = data_range(main_program());
    EXPECT_EQ(range.begin % os::page_size(), 0u);
    EXPECT_EQ(range.size % os::page_size(), 0u);
    EXPECT_TRUE(range.contains(&initialised));
    EXPECT_TRUE(range.contains(&zero));
    EXPECT_FALSE(range.contains(&relocated)) << "RELRO stays read-only";
    EXPECT_FALSE(range.contains(reinterpret_cast<const void*>(&program_data_test_function)));
    int local = 0;
    EXPECT_FALSE(range.contains(&local));
    EXPECT_FALSE(range.contains(stdout)) << "a library's data";
}

TEST(ProgramData, NamesVariablesAndFunctions) {
    EXPECT_EQ(program_variable(&program_data_test_variable[0]), "program_data_test_variable");
    EXPECT_EQ(program_variable(&program_data_test_variable[2]),
              "program_data_test_variable+16 bytes");
    EXPECT_EQ(program_variable(&program_data_test::counter[3]),
              "program_data_test::counter+24 bytes");
    EXPECT_EQ(program_variable(program_data_test::counter), "program_data_test::counter");
    const auto* const code = reinterpret_cast<const char*>(&program_data_test_function);
    EXPECT_EQ(program_function(code + 1), "_Z26program_data_test_functionv");
    EXPECT_EQ(program_function(stdout), "");
}

}  // namespace
}  // namespace isthmus
