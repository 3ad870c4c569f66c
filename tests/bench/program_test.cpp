// isthmus-bench as a user calls it.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

namespace {

struct Result {
    int status;
    std::string output;
};

Result bench(const std::string& arguments) {
    const std::string command = std::string(ISTHMUS_BENCH) + " " + arguments + " 2>&1";
    Result result{-1, ""};
    FILE* const pipe = popen(command.c_str(), "r");
    if (!pipe) return result;
    char bytes[4096];
    for (std::size_t got; (got = fread(bytes, 1, sizeof bytes, pipe)) > 0;)
        result.output.append(bytes, got);
    const int status = pclose(pipe);
    result.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    return result;
}

TEST(Bench, RefusesAnUnknownGroupAndNamesThose) {
    const Result result = bench("no-such-group");
    EXPECT_EQ(result.status, 2);
    EXPECT_NE(result.output.find("no group 'no-such-group'"), std::string::npos) << result.output;
    EXPECT_NE(result.output.find("one-host"), std::string::npos) << result.output;
}

// Cells of the paper's tables that need more cores are there, marked, and do not fail the run.
TEST(Bench, KeepsCellsThatWaitForAnotherMachine) {
    const std::string file = "/tmp/isthmus-bench-aos-" + std::to_string(getpid()) + ".json";
    const Result result = bench("aos --quick --only atomics --json " + file);
    std::ifstream stream(file);
    nlohmann::json report;
    ASSERT_NO_THROW(report = nlohmann::json::parse(stream)) << result.output;
    unlink(file.c_str());
    int waiting = 0;
    for (const auto& row : report["rows"])
        waiting += row.contains("waits") && row["holds"].is_null() && row["ours"].is_null();
    EXPECT_GT(waiting, 0) << result.output;
    EXPECT_NE(result.output.find("waits for the machine simulator"), std::string::npos);
}

// What is measured on another machine than the default one says so, and makes no claim of that one;
// both are drawn, with or without a compiler for them.
TEST(Bench, DrawsThePayloadOfBothMachines) {
    const std::string file = "/tmp/isthmus-bench-xbgas-" + std::to_string(getpid()) + ".json";
    const Result result = bench("xbgas --quick --only messages --json " + file);
    std::ifstream stream(file);
    nlohmann::json report;
    ASSERT_NO_THROW(report = nlohmann::json::parse(stream)) << result.output;
    unlink(file.c_str());
    int bounded = 0, reporting = 0;
    for (const auto& row : report["rows"]) {
        EXPECT_EQ(row.value("figure", "").rfind("Fig. 12", 0), 0u) << row;
        const bool other_machine =
            row["method"].get<std::string>().find("address_flits=0") != std::string::npos;
        EXPECT_EQ(row["bound"].is_null(), other_machine) << row;
        ++(other_machine ? reporting : bounded);
    }
    EXPECT_GT(bounded, 0);
    EXPECT_EQ(bounded, reporting);
}

TEST(Bench, RefusesAnUnknownFamily) {
    EXPECT_EQ(bench("one-host --only no-such-family").status, 2);
}

TEST(Bench, ListsGroupsAndFamilies) {
    const Result result = bench("--list");
    EXPECT_EQ(result.status, 0);
    EXPECT_NE(result.output.find("bandwidth"), std::string::npos) << result.output;
}

// The report is whole and says about each row what the exit status says about all.
TEST(Bench, WritesRows) {
    const std::string file = "/tmp/isthmus-bench-test-" + std::to_string(getpid()) + ".json";
    const Result result = bench("one-host --quick --no-peer --only memory --json " + file);
    std::ifstream stream(file);
    nlohmann::json report;
    ASSERT_NO_THROW(report = nlohmann::json::parse(stream)) << result.output;
    unlink(file.c_str());
    EXPECT_EQ(report["group"], "one-host");
    ASSERT_FALSE(report["rows"].empty());
    bool all = true;
    for (const auto& row : report["rows"]) {
        for (const char* key : {"claim", "ours", "unit", "must", "peer", "peer_value", "holds"})
            EXPECT_TRUE(row.contains(key)) << key;
        EXPECT_TRUE(row["peer_value"].is_null());
        all = all && row["holds"].get<bool>();
    }
    EXPECT_EQ(result.status, all ? 0 : 1) << result.output;
    EXPECT_NE(result.output.find(report["rows"][0]["claim"].get<std::string>()), std::string::npos);
}

}  // namespace
