// Helpers for tests that compile programs for the machine and run them on it.
#pragma once

#include <gtest/gtest.h>

#include <ostream>
#include <string>

#include "tests/sim/tools.hpp"

namespace isthmus::sim::test {

inline const std::string kSource = ISTHMUS_TEST_SOURCE;
inline const std::string kBinary = ISTHMUS_TEST_BINARY;
inline const std::string kGcc = ISTHMUS_TEST_GCC;

#define REQUIRE_COMPILER() \
    if (kGcc.empty())      \
    GTEST_SKIP() << "riscv64-linux-gnu-gcc is missing; tools/install-packages.sh --test"

/// Compiles a program for a road. `flags` go in front.
inline Result compile(const std::string& source, const std::string& road,
                      const std::string& program, const std::string& flags = "-O2") {
    return run(kGcc + " " + flags + " -w -pthread " + source + " @" + kBinary + "/lib/riscv64/" +
               road + ".rsp -o " + program);
}
inline Result simulate(unsigned nodes, const std::string& program, const std::string& options = "",
                       const std::string& tool = "isthmus-sim") {
    return run("timeout 100 " + kBinary + "/bin/" + tool + " --quiet -n " + std::to_string(nodes) +
               " " + options + " " + program);
}

struct Case {
    const char* road;
    const char* name;
    const char* flags;  // besides -O2
};
// What gtest and ctest show beside a test; without it they show the bytes of the pointers.
inline void PrintTo(const Case& program, std::ostream* out) {
    *out << program.name << " by the road " << program.road
         << (*program.flags != '\0' ? std::string(", ") + program.flags : "");
}
inline std::string case_name(const testing::TestParamInfo<Case>& info) {
    return std::string(info.param.road) + "_" + info.param.name;
}

}  // namespace isthmus::sim::test
