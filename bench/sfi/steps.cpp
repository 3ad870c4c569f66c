#include "sfi/steps.hpp"

#include <unistd.h>

#include "harness/statistics.hpp"

namespace isthmus::bench {
namespace {

constexpr const char* kNoStepper =
    "not measured: single steps are read on x86-64 alone, and libfabric 1.17 must have been there "
    "when this was built";

}  // namespace

void step_through(const Run& run, const std::string& program, int pes,
                  const Environment& environment, Cases& cases, std::string& reason) {
    const std::string stepper = run.program(Side::ours, "step");
    if (access(stepper.c_str(), X_OK) != 0) {
        reason = kNoStepper;
        return;
    }
    const Finished finished = run.job(Side::ours, pes, program, {}, {stepper}, environment);
    if (!finished.succeeded()) {
        reason = finished.last_words();
        return;
    }
    for (const Record& record : parse_records(finished.output)) {
        const auto name = record.find("case");
        if (name == record.end()) continue;
        Samples& samples = cases[name->second];
        samples.before.push_back(number(record, "before"));
        samples.hash.push_back(number(record, "hash"));
        samples.fabric.push_back(number(record, "fabric"));
        samples.own.push_back(number(record, "own"));
        samples.whole.push_back(number(record, "own") + number(record, "fabric"));
    }
}

Row row_of(const std::string& claim, const std::string& peer, std::optional<double> value) {
    Row row;
    row.claim = claim;
    row.unit = "instructions";
    row.peer = peer;
    row.peer_value = value;
    return row;
}

void fill(Row& row, const std::vector<double>& samples, Take take) {
    const bool is_least = take == Take::least;
    row.ours = is_least ? quantile(samples, 0) : median(samples);
    row.spread = spread_text(samples);
    row.method = std::string("single steps, ") + (is_least ? "least" : "median") + " of " +
                 std::to_string(samples.size()) + " calls";
}

}  // namespace isthmus::bench
