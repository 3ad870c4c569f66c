#include <gtest/gtest.h>

#include <csignal>
#include <nlohmann/json.hpp>

#include "harness/process.hpp"
#include "harness/row.hpp"
#include "harness/run.hpp"
#include "harness/statistics.hpp"
#include "sfi/steps.hpp"

namespace isthmus::bench {
namespace {

Command shell(const std::string& script, double limit = 20) {
    Command command;
    command.arguments = {"/bin/sh", "-c", script};
    command.limit_seconds = limit;
    return command;
}

TEST(Process, GivesStatusAndBothOutputs) {
    const Finished finished = run_command(shell("echo out; echo one >&2; echo two >&2; exit 7"));
    EXPECT_EQ(finished.status, 7);
    EXPECT_EQ(finished.output, "out\n");
    EXPECT_EQ(finished.errors, "one\ntwo\n");
    EXPECT_EQ(finished.last_words(), "two");
}

TEST(Process, LargeOutputDoesNotBlock) {
    const Finished finished = run_command(
        shell("i=0; while [ $i -lt 20000 ]; do echo 0123456789; echo error >&2; i=$((i+1)); done"));
    EXPECT_EQ(finished.status, 0);
    EXPECT_EQ(finished.output.size(), 20000u * 11);
    EXPECT_EQ(finished.errors.size(), 20000u * 6);
}

TEST(Process, SaysWhenAProgramIsMissing) {
    Command command;
    command.arguments = {"/nonexistent/program"};
    const Finished finished = run_command(command);
    EXPECT_EQ(finished.status, 127);
    EXPECT_NE(finished.last_words().find("/nonexistent/program"), std::string::npos);
}

TEST(Process, EndsWhatRunsTooLong) {
    const Finished finished = run_command(shell("sleep 60", 0.3));
    EXPECT_EQ(finished.status, 124);
    EXPECT_LT(finished.wall_seconds, 10);
}

TEST(Process, NamesTheSignal) {
    EXPECT_EQ(run_command(shell("kill -SEGV $$")).status, 128 + SIGSEGV);
}

// Time of grandchildren, and of those whose parent is gone, counts.
TEST(Process, CountsTimeOfAllDescendants) {
    const Finished finished =
        run_command(shell("( ( i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done ) & ) ; true"));
    EXPECT_EQ(finished.status, 0);
    EXPECT_GT(finished.cpu_seconds, 0.005);
}

TEST(Process, AddsToTheEnvironment) {
    Command command = shell("echo $ISTHMUS_BENCH_TEST");
    command.environment = {{"ISTHMUS_BENCH_TEST", "seen"}};
    EXPECT_EQ(run_command(command).output, "seen\n");
}

TEST(Records, AreLinesOfPairs) {
    const auto records = parse_records("hello\na=1 b=two\n\nc=3.5 noise d=\n");
    ASSERT_EQ(records.size(), 2u);
    EXPECT_EQ(records[0].at("b"), "two");
    EXPECT_EQ(number(records[0], "a"), 1);
    EXPECT_EQ(number(records[1], "c"), 3.5);
    EXPECT_EQ(number(records[1], "d"), 0);
    EXPECT_EQ(number(records[1], "absent"), 0);
}

// A machine that is busy lets a call look for its answer more often, most calls even.
TEST(Steps, OfCallsThatWaitTheLeastCounts) {
    const std::vector<double> calls{5142, 3165, 2890, 9000, 5142, 6000, 5300};
    Row row;
    fill(row, calls, Take::least);
    EXPECT_EQ(row.ours, 2890);
    EXPECT_EQ(row.method, "single steps, least of 7 calls");
    fill(row, calls);
    EXPECT_EQ(row.ours, 5142);
    EXPECT_EQ(row.method, "single steps, median of 7 calls");
}

TEST(Statistics, Quantiles) {
    EXPECT_EQ(median({3}), 3);
    EXPECT_EQ(median({5, 1, 3}), 3);
    EXPECT_EQ(quantile({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, 0.1), 2);
    EXPECT_EQ(quantile({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, 0.9), 10);
}

Row row(std::optional<double> ours, Must must) {
    Row row;
    row.claim = "claim";
    row.unit = "unit";
    row.ours = ours;
    row.must = must;
    return row;
}

TEST(Row, HoldsWithinItsBound) {
    EXPECT_TRUE(row(8, at_most(8)).holds());
    EXPECT_FALSE(row(8.001, at_most(8)).holds());
    EXPECT_TRUE(row(0.95, at_least(0.95)).holds());
    EXPECT_FALSE(row(0.949, at_least(0.95)).holds());
    EXPECT_TRUE(row(512, equal_to(512)).holds());
    EXPECT_FALSE(row(513, equal_to(512)).holds());
    EXPECT_FALSE(row(511, equal_to(512)).holds());
    EXPECT_EQ(equal_to(512).text(), "= 512");
    EXPECT_TRUE(row(123, {}).holds()) << "without a bound a row only reports";
    EXPECT_FALSE(row({}, at_most(8)).holds()) << "what was not measured does not hold";
    EXPECT_FALSE(row({}, {}).holds());
}

TEST(Row, AsJson) {
    const auto json = to_json(row(7, at_most(8)));
    EXPECT_EQ(json.dump(), R"({"claim":"claim","ours":7.0,"unit":"unit","must":"<= 8","peer":null,)"
                           R"("peer_value":null,"holds":true,"bound":8.0})");
    Row missing = row({}, at_least(2));
    missing.reason = "no valgrind";
    missing.peer = "other";
    missing.peer_value = 3;
    EXPECT_EQ(to_json(missing).dump(),
              R"({"claim":"claim","ours":null,"unit":"unit","must":">= 2","peer":"other",)"
              R"("peer_value":3.0,"holds":false,"bound":2.0,"reason":"no valgrind"})");
}

TEST(Row, HasItsPlaceInAFigure) {
    Row row;
    EXPECT_FALSE(to_json(row).contains("figure"));
    row.figure = "Fig. 1";
    row.series = "ours";
    row.x = 8;
    EXPECT_EQ(to_json(row)["x"], 8);
    row.category = "GUPS";
    EXPECT_EQ(to_json(row)["category"], "GUPS");
    EXPECT_FALSE(to_json(row).contains("x"));
}

TEST(Row, TableSaysWhatDoesNotHoldAndWhy) {
    Row missing = row({}, at_most(8));
    missing.claim = "a longer claim";
    missing.reason = "no valgrind";
    EXPECT_EQ(table({row(7, at_most(8)), missing}),
              "claim           ours  must  peer  unit  holds\n"
              "claim              7  <= 8     -  unit  yes  \n"
              "a longer claim     -  <= 8     -  unit  NO   \n"
              "\n"
              "does not hold: a longer claim: no valgrind\n"
              "\n"
              "1 of 2 claims hold\n");
}

TEST(Row, OneThatLacksItsBoundDoesNotHold) {
    Row lacking = row(5, Must{});
    lacking.lacks = "the peer was not measured: no mpirun";
    EXPECT_FALSE(lacking.holds());
    EXPECT_FALSE(lacking.only_reports());
    EXPECT_EQ(to_json(lacking)["holds"], false);
    EXPECT_EQ(to_json(lacking)["must"], "?");
    EXPECT_EQ(table({row(7, at_most(8)), lacking}),
              "claim  ours  must  peer  unit  holds\n"
              "claim     7  <= 8     -  unit  yes  \n"
              "claim     5     ?     -  unit  NO   \n"
              "\n"
              "does not hold: claim: no bound: the peer was not measured: no mpirun\n"
              "\n"
              "1 of 2 claims hold\n");
}

TEST(Row, OneThatWaitsForAnotherMachineNeitherHoldsNorFails) {
    Row waiting = row({}, Must{});
    waiting.waits = "needs sixteen cores";
    EXPECT_TRUE(waiting.holds());
    EXPECT_TRUE(to_json(waiting)["holds"].is_null());
    EXPECT_EQ(table({row(7, at_most(8)), waiting}),
              "claim  ours  must  peer  unit  holds\n"
              "claim     7  <= 8     -  unit  yes  \n"
              "claim     -     -     -  unit  waits\n"
              "\n"
              "1 of 1 claims hold\n"
              "1 row waits: needs sixteen cores\n");
}

TEST(Row, OneWithoutABoundIsNoClaim) {
    const Row reporting = row(5, Must{});
    EXPECT_TRUE(to_json(reporting)["holds"].is_null());
    EXPECT_EQ(table({row(7, at_most(8)), reporting}),
              "claim  ours  must  peer  unit  holds\n"
              "claim     7  <= 8     -  unit  yes  \n"
              "claim     5     -     -  unit  -    \n"
              "\n"
              "1 of 1 claims hold\n"
              "1 row has no bound and only reports\n");
}

TEST(Row, NumbersAreShort) {
    EXPECT_EQ(number_text(8), "8");
    EXPECT_EQ(number_text(0.95), "0.950");
    EXPECT_EQ(number_text(1.234), "1.23");
    EXPECT_EQ(number_text(12.34), "12.3");
    EXPECT_EQ(number_text(65556), "65556");
    EXPECT_EQ(number_text(1234.5), "1234");
}

}  // namespace
}  // namespace isthmus::bench
