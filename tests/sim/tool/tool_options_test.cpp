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

class ToolOptions : public test::WithProgram {
  protected:
    ToolOptions()
        : WithProgram(R"(
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
)") {}
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
    for (const std::string option : {"--stats", "--timeline"})
        full(kTool + "--timed -n 2 " + option + " /dev/full " + program + " load", file(option),
             126);
    full(kTiming + "--host-stats /dev/full " + program, file("--host-stats"), 126);
    for (const char* how : {"", "--timed -n 2 "})
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
                            "--processes 2 -n 2 --stats /nowhere/file",
                            "--timed --stats /nowhere/file", "--timeline /nowhere/file"}) {
        const auto refused = test::run(kTool + how + " " + program);
        EXPECT_EQ(refused.status, 126) << how;
        EXPECT_TRUE(holds(refused.output, "/nowhere/file: cannot be written")) << refused.output;
        EXPECT_FALSE(holds(refused.output, "ran")) << how << "\n" << refused.output;
    }
}

TEST_F(ToolOptions, WhatIsNoNumberOrNoVariableIsRefused) {
    for (const std::string& tool : {kTool, kTiming}) {
        for (const std::string option : {"--env A", "--env =x", "--shared -4"}) {
            const auto refused = test::run(tool + option + " " + program);
            EXPECT_EQ(refused.status, 126) << tool << option;
            EXPECT_TRUE(holds(refused.output, option.substr(0, option.find(' ')) + ": is "))
                << refused.output;
        }
    }
    for (const std::string option :
         {"--seed", "--quantum", "--max-instructions", "--memory", "--max-cycles"}) {
        const auto refused = test::run(kTool + option + " -1 " + program);
        EXPECT_EQ(refused.status, 126) << option;
        EXPECT_FALSE(holds(refused.output, "ran\n")) << option;
    }
    for (const std::string& tool : {kTool + "--timed ", kTiming}) {
        const auto refused = test::run(tool + "--max-cycles -1 " + program);
        EXPECT_EQ(refused.status, 126);
        EXPECT_TRUE(holds(refused.output, "--max-cycles: is negative: -1")) << refused.output;
        EXPECT_EQ(test::run(tool + "--max-cycles 1e3 " + program).status, 126);
    }
    EXPECT_EQ(test::run(kTool + "--seed 0 --env A= " + program).status, 0);
}

TEST_F(ToolOptions, CountersMayGoToStandardOutput) {
    for (const std::string how : {"", "--timed --quiet -n 1 "}) {
        const auto ran = test::run(kTool + how + "--stats - " + program);
        ASSERT_EQ(ran.status, 0) << ran.output;
        EXPECT_TRUE(holds(ran.output, "ran\n{\n")) << ran.output;
        const auto report = nlohmann::json::parse(ran.output.substr(4), nullptr, false);
        EXPECT_TRUE(report.is_object() && report.contains("exit_code")) << ran.output;
    }
}

// Of a program that hangs one sees who waits where, and who is not with the others.
TEST_F(ToolOptions, ARunThatIsCutOffSaysWhereTheNodesAre) {
    const std::string waits = scratch / "waits";
    const auto built = test::compile_linux(scratch, R"(
#include <xbgas.h>
volatile int never;
__attribute__((noinline)) void others(void) { while (!never) __asm__ volatile(""); }
__attribute__((noinline)) void odd_one(void) { while (!never) __asm__ volatile(""); }
int main(void) {
    if (XBGAS_READ_E(10) == 1) odd_one(); else others();
    return 0;
}
)",
                                           waits);
    ASSERT_EQ(built.status, 0) << built.output;
    const auto check = [](const std::string& output) {
        EXPECT_TRUE(holds(output, "  node 0, node 2: others")) << output;
        EXPECT_TRUE(holds(output, "  node 1: odd_one")) << output;
        EXPECT_TRUE(holds(output, " from main+0x")) << output;
    };
    check(test::run(kTool + "-n 3 --max-instructions 100000 " + waits).output);
    check(test::run(kTool + "-n 3 --timed --max-cycles 100000 " + waits).output);
    check(test::run(kTool + "-n 3 --processes 2 --max-instructions 100000 " + waits).output);
    check(test::run("timeout -s INT 2 " + kTool + "-n 3 " + waits).output);
    check(test::run("timeout -s INT 2 " + kTool + "-n 3 --timed " + waits).output);
}

// timeout sends its signal twice, to the process and to its group.
TEST_F(ToolOptions, AnInterruptedRunStillWritesItsCounters) {
    const std::string stats = scratch / "stats";
    for (const std::string how : {"", "-n 3 --threads 2 ", "--timed ", "--timed --threads 2 "}) {
        test::write_file(stats, "");
        const auto ran = test::run("timeout --preserve-status -s INT 2 " + kTool + how +
                                   "--quiet --stats " + stats + " " + program + " spin");
        EXPECT_EQ(ran.status, 130) << how;
        EXPECT_TRUE(holds(ran.output, "interrupted")) << ran.output;
        const auto report = nlohmann::json::parse(test::read_file(stats), nullptr, false);
        ASSERT_TRUE(report.is_object()) << how;
        EXPECT_EQ(report.value("finished", true), false) << how;
    }
}

TEST_F(ToolOptions, AtATerminalALineTellsOfProgressWithAndWithoutTime) {
    const auto at_a_terminal = [&](const std::string& options) {
        return test::run(
                   "python3 -c 'import pty, sys; pty.spawn(sys.argv[1:])' "
                   "timeout --foreground -s INT 4 " +
                   kTool + options + program + " spin < /dev/null")
            .output;
    };
    const auto plain = at_a_terminal("-n 2 "), timed = at_a_terminal("-n 2 --timed ");
    EXPECT_TRUE(holds(plain, "2 of 2 nodes running")) << plain;
    EXPECT_TRUE(holds(timed, "2 of 2 nodes running")) << timed;
    EXPECT_TRUE(holds(timed, "ms simulated, ")) << timed;
}

TEST_F(ToolOptions, CyclesEndARunInTime) {
    const auto ended =
        test::run("timeout 60 " + kTool + "--timed -n 2 --max-cycles 200000 " + program + " spin");
    EXPECT_EQ(ended.status, 125) << ended.output;
    EXPECT_TRUE(holds(ended.output, "stopped after 200000 cycles (--max-cycles)")) << ended.output;
    const auto refused = test::run(kTool + "--max-cycles 5 " + program);
    EXPECT_EQ(refused.status, 126);
    EXPECT_TRUE(holds(refused.output, "--max-cycles works in time only")) << refused.output;
}

TEST_F(ToolOptions, StandInFrontOfTheProgramOrBehindItForBothCommands) {
    for (const std::string& tool : {kTool + "--timed ", kTiming}) {
        const std::string stats = scratch / "stats";
        const auto behind =
            test::run(tool + program + " word -n 4 --quiet --stats " + stats + " -- -n 9");
        EXPECT_EQ(behind.status, 0) << behind.output;
        EXPECT_EQ(behind.output, "ran word -n 9\nran word -n 9\nran word -n 9\nran word -n 9\n");
        auto report = nlohmann::json::parse(test::read_file(stats), nullptr, false);
        EXPECT_EQ(report["machine"]["mesh"], (nlohmann::json{{"width", 2}, {"height", 2}}));
        const auto front = test::run(tool + "-n 1 --quiet -- " + program + " -n 9");
        EXPECT_EQ(front.output, "ran -n 9\n");
    }
    for (const char* bad : {"", "--no-such-option x", "-n 1025 x", "--threads 0 x", "/nowhere/x"})
        EXPECT_EQ(test::run(kTiming + bad).status, 126) << bad;
}

TEST_F(ToolOptions, AMeshThatWasChosenIsNamed) {
    const auto prime = test::run(kTool + "--timed -n 13 " + program);
    EXPECT_EQ(prime.status, 0);
    EXPECT_TRUE(holds(prime.output, "13 nodes are a mesh of 13x1")) << prime.output;
    EXPECT_TRUE(holds(prime.output, "15 nodes would be 5x3")) << prime.output;
    const auto square = test::run(kTool + "--timed -n 12 " + program);
    EXPECT_TRUE(holds(square.output, "12 nodes are a mesh of 4x3\n")) << square.output;
    // Neither one that was described, nor for who wants to read nothing.
    EXPECT_FALSE(holds(test::run(kTool + "--timed -n 64 " + program).output, "are a mesh"));
    EXPECT_FALSE(holds(test::run(kTool + "--timed --quiet -n 13 " + program).output, "mesh"));
}

TEST_F(ToolOptions, TheMachineIsCheckedWhenItsNodesAreKnown) {
    const std::string file = scratch / "small.json";
    std::string text = test::read_file(ISTHMUS_TEST_SOURCE "/sim/machine/table3.json");
    const std::string entries = "\"table_entries\": 4096";
    text.replace(text.find(entries), entries.size(), "\"table_entries\": 8");
    test::write_file(file, text);
    const std::string run = kTiming + "--machine " + file + " ";
    const auto large = test::run(run + program);
    EXPECT_EQ(large.status, 126);
    EXPECT_TRUE(holds(large.output, "at least twice the number of nodes (128)")) << large.output;
    EXPECT_EQ(test::run(run + "-n 4 " + program).status, 0);
    EXPECT_EQ(test::run(run + "--set mesh.width=2 --set mesh.height=2 " + program).status, 0);
    const auto both =
        test::run(kTool + "--timed --set mesh.width=2 --set mesh.height=2 -n 5 " + program);
    EXPECT_EQ(both.status, 126);
    EXPECT_TRUE(holds(both.output, "-n asks for 5 nodes, --set mesh... makes a mesh of 2x2"))
        << both.output;
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

TEST_F(ToolOptions, BothFormsOfTheCountersTellWhichTheyAreAndHowTheProgramEnded) {
    const std::string stats = scratch / "stats";
    const auto counters = [&](const std::string& options) {
        const auto ran =
            test::run(kTool + options + " --quiet -n 2 --stats " + stats + " " + program + " fail");
        EXPECT_EQ(ran.status, 3) << ran.output;
        return nlohmann::json::parse(test::read_file(stats), nullptr, false);
    };
    auto plain = counters("--count"), timed = counters("--timed");
    EXPECT_EQ(plain["timed"], false);
    EXPECT_EQ(timed["timed"], true);
    for (auto report : {plain, timed}) {
        EXPECT_EQ(report["program"], program);
        EXPECT_EQ(report["finished"], true);
        EXPECT_EQ(report["exit_code"], 3);
    }
    for (auto nodes : {plain["per_node"], timed["nodes"]}) {
        ASSERT_EQ(nodes.size(), 2u);
        for (unsigned i = 0; i < 2; ++i) {
            EXPECT_EQ(nodes[i]["node"], i);
            EXPECT_EQ(nodes[i]["exit_code"], 3);
            EXPECT_EQ(nodes[i]["exited"], true);
        }
    }
    const std::uint64_t cycles = timed["cycles"];
    for (auto node : timed["nodes"]) {
        EXPECT_GT(node["cycles"], cycles / 2);
        EXPECT_LE(node["cycles"], cycles);
    }
}

/// The keys of every object in a report, but for those that are values of their own.
void collect_keys(const nlohmann::json& report, std::set<std::string>& keys) {
    for (const auto& [key, value] : report.items()) {
        if (report.is_object()) keys.insert(key);
        if (value.is_structured() && key != "machine" && key != "traps") collect_keys(value, keys);
    }
}

TEST_F(ToolOptions, EveryCounterIsInTheManual) {
    const std::string stats = scratch / "stats", host = scratch / "host";
    const std::string manual = test::read_file(ISTHMUS_TEST_SOURCE "/docs/machine.md");
    std::set<std::string> keys;
    for (const std::string& command :
         {kTool + "--count --stats " + stats, kTiming + "--quiet --stats " + stats,
          kTiming + "--quiet --host-stats " + stats,
          kNetwork + "--load 0.1 --measure 100 --json > " + stats + " #"}) {
        ASSERT_EQ(test::run(command + " " + program + " load").status, 0);
        collect_keys(nlohmann::json::parse(test::read_file(stats), nullptr, false), keys);
    }
    EXPECT_GT(keys.size(), 100u);
    for (const std::string& key : keys)
        EXPECT_TRUE(holds(manual, "`" + key + "`")) << key << " is not in docs/machine.md";
}

// Nothing stands where there was nothing, and what stands alone is seen.
TEST(Plot, AHistogramFallsBetweenItsSteps) {
    const auto drawn =
        test::run("cd " ISTHMUS_TEST_SOURCE
                  "/sim/report && python3 -B -c 'import plot\n"
                  "print(plot.staircase([[3, 1]], 2))\n"
                  "print(plot.staircase([[15, 2], [16, 1], [54, 4], [56, 1], [136, 2]], 10))'");
    EXPECT_EQ(drawn.output,
              "([3, 3, 4], [0, 0.5, 0])\n"
              "([15, 15, 16, 17, 54, 54, 56, 58, 136, 136, 144], "
              "[0, 0.2, 0.1, 0, 0, 0.4, 0.1, 0, 0, 0.2, 0])\n");
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
                             " python3 " ISTHMUS_TEST_SOURCE "/sim/report/plot.py stalls " +
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
