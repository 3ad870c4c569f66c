// xbrtime on the machine: every routine of it, what a program does that uses it wrongly.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "tests/sim/runtime/on_machine.hpp"

namespace isthmus::sim::test {
namespace {

/// The encoding of the road's instructions, as isthmus-sim wants to know it.
std::string profile_of(const std::string& road) {
    return road == "xbgas-a" ? "--profile a" : "--profile b";
}

// The whole of xbrtime, on both encodings and, to compare, by the NIC.
class Xbrtime : public testing::TestWithParam<Case> {};

TEST_P(Xbrtime, IsRight) {
    REQUIRE_COMPILER();
    const std::string road = GetParam().road;
    Scratch scratch;
    const Result compiled = compile(kSource + "/tests/sim/programs/xbrtime_api.c", road,
                                    scratch / "program", "-O0 -std=c99");
    ASSERT_EQ(compiled.status, 0) << compiled.output;
    for (const unsigned nodes : {1u, 2u, 5u, 12u}) {
        const Result result = simulate(nodes, scratch / "program", profile_of(road));
        EXPECT_EQ(result.status, 0) << nodes << " nodes";
        EXPECT_EQ(result.output, "right\n") << nodes << " nodes";
    }
}
// A PE that is ahead must not put where one that is behind still has the last collective's blocks.
TEST_P(Xbrtime, IsRightOnPEsThatDoNotKeepStep) {
    REQUIRE_COMPILER();
    const std::string road = GetParam().road;
    Scratch scratch;
    const Result compiled =
        compile(kSource + "/tests/sim/programs/xbrtime_behind.c", road, scratch / "program");
    ASSERT_EQ(compiled.status, 0) << compiled.output;
    for (const unsigned nodes : {1u, 2u, 3u, 8u, 17u}) {
        for (const char* order : {"", " --quantum 1000", " --seed 7 --quantum 100000"}) {
            const Result result = simulate(nodes, scratch / "program", profile_of(road) + order);
            EXPECT_EQ(result.status, 0) << nodes << " nodes" << order;
            EXPECT_EQ(result.output, "right\n") << nodes << " nodes" << order;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Runtime, Xbrtime,
                         testing::Values(Case{"xbgas", "b", ""}, Case{"xbgas-a", "a", ""},
                                         Case{"rdma", "nic", ""}),
                         [](const auto& test) { return std::string(test.param.name); });

// Each atomic is one remote operation: nothing is read first, nothing tried again.
TEST(XbrtimeAtomics, TakeOneTrip) {
    REQUIRE_COMPILER();
    Scratch scratch;
    write_file(scratch / "one.c",
               "#include <xbrtime.h>\n"
               "static long word;\nstatic unsigned narrow;\n"
               "int main(int argc, char** argv) { (void)argv; xbrtime_init();\n"
               "if (xbrtime_mype() == 0 && argc > 1) {\n"
               "  xbrtime_long_atomic_max(&word, 7, 1); xbrtime_long_atomic_min(&word, -3, 1);\n"
               "  xbrtime_uint_atomic_max(&narrow, 9, 1);\n"
               "  xbrtime_long_atomic_compare_swap(&word, -3, 5, 1);\n"
               "  xbrtime_long_atomic_compare_swap(&word, 1, 6, 1); }\n"
               "xbrtime_close(); return 0; }\n");
    ASSERT_EQ(compile(scratch / "one.c", "xbgas", scratch / "program").status, 0);
    const auto operations = [&](const std::string& argument) {
        const Result result = run(kBinary + "/bin/isthmus-sim --quiet --json -n 2 " +
                                  (scratch / "program") + argument);
        const nlohmann::json report = nlohmann::json::parse(result.output, nullptr, false);
        return std::pair(report["per_node"][0]["remote_atomics"].get<long>(),
                         report["per_node"][0]["remote_loads"].get<long>());
    };
    const auto [atomics, loads] = operations(" yes");
    const auto [before, loads_before] = operations("");
    EXPECT_EQ(atomics - before, 5);
    EXPECT_EQ(loads, loads_before);
}

// Published programs have helpers in headers of their own, in front of the library's, that use what
// each of newlib's headers names.
TEST(XbrtimeNewlib, HeadersNameItsTypes) {
    REQUIRE_COMPILER();
    Scratch scratch;
    for (const char* header : {"stdio.h", "time.h", "unistd.h", "signal.h", "sys/time.h"}) {
        write_file(scratch / "helper.h",
                   std::string("#include <") + header +
                       ">\n"
                       "static int64_t of(struct timeval at, uint32_t more) {\n"
                       "    return at.tv_sec * 1000 + more; }\n"
                       "static uint wide(u_int64_t bits) { return bits != 0; }\n"
                       "typedef size_t length; typedef struct timespec moment;\n");
        write_file(scratch / "program.c",
                   "#include \"helper.h\"\n#include <xbrtime.h>\n"
                   "int main(void) { xbrtime_init();\n"
                   "const struct timeval at = {3, 0};\n"
                   "printf(\"%ld %u %zu\\n\", (long)of(at, 4), wide(1), sizeof(moment));\n"
                   "xbrtime_close(); return 0; }\n");
        const Result compiled =
            compile(scratch / "program.c", "xbgas", scratch / "program", "-std=gnu11");
        ASSERT_EQ(compiled.status, 0) << header << "\n" << compiled.output;
        EXPECT_EQ(simulate(1, scratch / "program", "").output, "3004 1 16\n") << header;
    }
    // A strict standard's names stay as they are.
    write_file(scratch / "strict.c",
               "#include <stdio.h>\n#include <time.h>\n"
               "typedef long uint; struct timeval { int own; };\n"
               "int main(void) { uint u = 5; printf(\"%ld\\n\", u);\n"
               "return (int)sizeof(struct timeval) - 4; }\n");
    const Result strict =
        compile(scratch / "strict.c", "xbgas", scratch / "strict", "-std=c99 -pedantic-errors");
    EXPECT_EQ(strict.status, 0) << strict.output;
}

TEST(XbrtimeErrors, SayWhatIsWrong) {
    REQUIRE_COMPILER();
    Scratch scratch;
    struct Wrong {
        const char* call;
        const char* text;
    };
    constexpr Wrong kWrong[] = {
        {"xbrtime_long_put(&word, &word, 1, 1, 2)",
         "isthmus: PE 0: xbrtime_long_put: pe 2 is out of range 0..1\n"},
        {"xbrtime_int_reduce_max(0, 0, 0, 1, -1)",
         "isthmus: PE 0: xbrtime_int_reduce_max: root -1 is out of range 0..1\n"},
        {"int sizes[2] = {3, 4}; xbrtime_char_scatter(0, 0, sizes, sizes, 8, 0)",
         "isthmus: PE 0: xbrtime_char_scatter: nelems is 8, the sum of pe_msg_sz is 7\n"}};
    for (const auto& [call, text] : kWrong) {
        write_file(scratch / "wrong.c", std::string("#include <xbrtime.h>\n"
                                                    "static long word;\n"
                                                    "int main(void) { xbrtime_init();\n"
                                                    "if (xbrtime_mype() == 0) { ") +
                                            call + "; }\nword = 1; xbrtime_close(); return 0; }\n");
        const Result compiled = compile(scratch / "wrong.c", "xbgas", scratch / "program");
        ASSERT_EQ(compiled.status, 0) << compiled.output;
        const Result result = simulate(2, scratch / "program", "2>&1");
        EXPECT_NE(result.status, 0) << call;
        EXPECT_NE(result.output.find(text), std::string::npos) << call << "\n" << result.output;
    }
}

}  // namespace
}  // namespace isthmus::sim::test
