// Options of the commands of the machine: what is refused, and what each of them writes.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "tests/sim/tools.hpp"

namespace isthmus::sim {
namespace {

const std::string kTool = ISTHMUS_TEST_BINARY "/bin/isthmus-sim ";
const std::string kTiming = ISTHMUS_TEST_BINARY "/bin/isthmus-timing ";
const std::string kNetwork = ISTHMUS_TEST_BINARY "/bin/isthmus-network ";

bool holds(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

class ToolOptions : public testing::Test {
  protected:
    void SetUp() override {
        if (!*ISTHMUS_TEST_GCC) GTEST_SKIP() << "riscv64-linux-gnu-gcc is not installed";
        test::write_file(scratch / "p.c", R"(
#include <stdio.h>
#include <string.h>
#include <xbgas.h>
int main(int argc, char** argv) {
    printf("ran");
    for (int i = 1; i < argc; ++i) printf(" %s", argv[i]);
    printf("\n");
    fflush(stdout);
    if (argc > 1 && !strcmp(argv[1], "spin")) for (;;) __asm__ volatile("");
    if (argc > 1 && !strcmp(argv[1], "load")) xbgas_erld(1, (void*)XBGAS_READ_E(13));
    return argc > 1 && !strcmp(argv[1], "fail") ? 3 : 0;
}
)");
        const auto built = test::run(std::string(ISTHMUS_TEST_GCC) +
                                     " -O1 -static -I" ISTHMUS_TEST_INCLUDE " -o " +
                                     (scratch / "p") + " " + (scratch / "p.c"));
        ASSERT_EQ(built.status, 0) << built.output;
        program = scratch / "p";
    }
    test::Scratch scratch;
    std::string program;
};

TEST_F(ToolOptions, ThatExcludeEachOtherAreRefused) {
    const std::string file = scratch / "file";
    const std::pair<std::string, std::string> options[] = {{"--gdb", "5555"},
                                                           {"--count", ""},
                                                           {"--log-commits", file},
                                                           {"--trace", ""},
                                                           {"--trace-file", file}};
    for (const auto& [one, value] : options) {
        for (const auto& [other, other_value] : options) {
            if (one == other) continue;
            const auto refused = test::run("timeout 10 " + kTool + one + " " + value + " " + other +
                                           " " + other_value + " " + program);
            EXPECT_EQ(refused.status, 126) << one << " " << other;
            const std::string line = refused.output;
            EXPECT_NE(line.find(" do not work together"), std::string::npos) << line;
            EXPECT_NE(line.find(one + " "), std::string::npos) << line;
            EXPECT_NE(line.find(other + " "), std::string::npos) << line;
            EXPECT_EQ(line.find("ran"), std::string::npos) << line;
        }
    }
}

TEST_F(ToolOptions, WhatCannotBeWrittenIsAFailure) {
    const auto full = [&](const std::string& command, const std::string& file, int status) {
        const auto ran = test::run("( " + command + " )");
        EXPECT_EQ(ran.status, status) << command;
        EXPECT_TRUE(holds(ran.output, file + ": No space left on device")) << command << "\n"
                                                                           << ran.output;
    };
    for (const std::string option : {"--log-commits", "--trace-file"})
        full(kTool + option + " /dev/full " + program, "/dev/full: cannot be written", 126);
    const auto file = [](const std::string& option) {
        return "/dev/full: cannot be written (" + option + ")";
    };
    full(kTool + "--stats /dev/full " + program, file("--stats"), 126);
    for (const char* how : {""})
        full(kTool + how + "--json " + program + " > /dev/full",
             "standard output cannot be written (--json)", 126);
    full(kNetwork + "--load 0.1 --measure 100 --json > /dev/full",
         "standard output cannot be written (--json)", 1);
    for (const char* what : {"--load 0.1 --measure 100", "--schema", "--parameters"}) {
        const auto printed = test::run("( " + kNetwork + what + " > /dev/full )");
        EXPECT_EQ(printed.status, 1) << what;
        EXPECT_TRUE(holds(printed.output, "isthmus-network: standard output cannot be written"))
            << what << "\n"
            << printed.output;
    }
}

TEST_F(ToolOptions, APathThatCannotBeWrittenIsRefusedBeforeTheRun) {
    for (const char* how : {"--stats /nowhere/file", "--log-commits /nowhere/file",
                            "--processes 2 -n 2 --stats /nowhere/file"}) {
        const auto refused = test::run(kTool + how + " " + program);
        EXPECT_EQ(refused.status, 126) << how;
        EXPECT_TRUE(holds(refused.output, "/nowhere/file: cannot be written")) << refused.output;
        EXPECT_FALSE(holds(refused.output, "ran")) << how << "\n" << refused.output;
    }
}

TEST_F(ToolOptions, ATraceOfSeveralNodesNamesTheNode) {
    for (const char* threads : {"1", "2"}) {
        const auto traced = test::run(std::string("( ") + kTool + "-n 2 --threads " + threads +
                                      " --trace " + program + " > /dev/null )");
        EXPECT_EQ(traced.status, 0);
        std::istringstream lines(traced.output);
        std::string line;
        int of_node[2] = {0, 0};
        while (std::getline(lines, line)) {
            for (int node : {0, 1})
                of_node[node] += line.starts_with("node " + std::to_string(node) + " core   0: 0x");
        }
        EXPECT_EQ(of_node[0] + of_node[1],
                  std::count(traced.output.begin(), traced.output.end(), '\n'));
        EXPECT_GT(of_node[0], 100);
        EXPECT_GT(of_node[1], 100);
    }
    const auto alone = test::run(kTool + "--trace " + program);
    EXPECT_TRUE(alone.output.starts_with("core   0: 0x")) << alone.output.substr(0, 100);
}

// Without the library that draws: a stand-in has what the script uses, and fails as that does.
TEST(Plot, APictureThatCannotBeWrittenIsAMessage) {
    test::Scratch scratch;
    std::filesystem::create_directory(scratch / "matplotlib");
    test::write_file(scratch / "matplotlib/__init__.py", "def use(name): pass\n");
    test::write_file(scratch / "matplotlib/pyplot.py", R"(
class Anything:
    def __getattr__(self, name): return lambda *a, **k: Anything()
    def __iter__(self): return iter(())
    def __add__(self, other): return self
class Figure:
    def savefig(self, path, **unused):
        if path.suffix == ".xyz": raise ValueError("Format 'xyz' is not supported")
        open(path, "wb")
def subplots(**unused): return Figure(), Anything()
)");
    test::write_file(scratch / "report.json", R"({"machine": {}, "nodes":
        [{"instructions": 5, "stalls": {"fetch": 1}}]})");
    const std::string plot = "PYTHONPATH=" + (scratch / "") +
                             " python3 " ISTHMUS_TEST_SOURCE "/sim/statistics/plot.py stalls " +
                             (scratch / "report.json") + " ";
    EXPECT_EQ(test::run(plot + (scratch / "picture.png")).output, "");
    for (const std::string& picture : {scratch / "picture.xyz", std::string("/nowhere/p.png")}) {
        const auto refused = test::run(plot + picture);
        EXPECT_EQ(refused.status, 1);
        EXPECT_EQ(refused.output.rfind("plot.py: " + picture + ": cannot be written: ", 0), 0u)
            << refused.output;
        EXPECT_FALSE(holds(refused.output, "Traceback")) << refused.output;
    }
}

}  // namespace
}  // namespace isthmus::sim
