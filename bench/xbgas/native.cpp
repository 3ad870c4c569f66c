// The paper's own comparison: OpenSHMEM as Open MPI implements it, counted natively by callgrind
// (programs/counts.c on 6 PEs of this host), beside the machine's instructions for the same call.
// The one counts x86 instructions, the other RISC-V ones.
#include <algorithm>

#include "harness/callgrind.hpp"
#include "harness/statistics.hpp"
#include "xbgas/group.hpp"
#include "xbgas/machine.hpp"
#include "xbgas/micro.hpp"
#include "xbgas/share.hpp"

namespace isthmus::bench {
namespace {

constexpr const char* kEmpty = "probe_call_empty";
constexpr const char* kEmptyBroadcast = "probe_call_empty_broadcast";
constexpr int kPes = 6;
constexpr const char* kAgainst = "against OSHMEM, native";
constexpr const char* kAtRoot = "against OSHMEM, native, at the root";

// From entry to return. A call that may wait for others counts as its shortest.
std::optional<double> native(const ProbeTotals& totals, const std::string& probe, const char* base,
                             bool may_wait) {
    const auto found = totals.find(probe), empty = totals.find(base);
    if (found == totals.end() || empty == totals.end()) return {};
    return (may_wait ? quantile(found->second, 0) : median(found->second)) - median(empty->second) +
           1;
}

}  // namespace

void measure_against_oshmem(Run& run) {
    if (!run.options().counts) return;
    std::string why;
    ProbeTotals totals;
    std::vector<std::string> probes = {kEmpty, kEmptyBroadcast};
    for (const WordOperation& operation : kWordOperations)
        probes.push_back(std::string("probe_call_") + operation.name);
    for (const int bytes : kBroadcastBytes)
        probes.push_back("probe_call_broadcast" + std::to_string(bytes));
    if (!run.has_peer()) {
        why = run.peer_note();
    } else if (find_program("valgrind").empty()) {
        why = "valgrind is not installed (package valgrind)";
    } else {
        run.progress("counting Open MPI OSHMEM's instructions natively");
        totals = count_probes(run, Side::peer, probes, why, kPes);
        if (totals.empty() && why.empty()) why = "callgrind wrote no totals";
    }
    SimulatedMachine machine(run);
    std::vector<double> savings, ratios;
    const auto add = [&](Row row, std::optional<double> ours, std::optional<double> theirs) {
        row.unit = "instructions";
        row.peer = Run::peer_name();
        row.ours = ours;
        row.peer_value = theirs;
        row.reason = machine.why_not();
        if (!ours && row.reason.empty()) row.reason = "not counted";
        if (!theirs) row.method += "; no peer: " + why;
        run.add(row);
    };
    for (const auto& [name, claim, category] : kWordOperations) {
        Row row;
        row.claim = std::string(claim) + ", against OSHMEM counted natively";
        row.method =
            "figure 3; theirs out of line, from entry to return, no PE waits; ours as the compiler "
            "puts it into the program, inlined, with arguments and return value";
        const auto ours = operation_instructions(machine, Road::xbgas, 2, name, 8, 1000);
        const auto theirs = native(totals, std::string("probe_call_") + name, kEmpty, false);
        add(row, ours, theirs);
        if (!ours || !theirs) continue;
        savings.push_back(saved(*ours, *theirs));
        run.add(saving_row(std::string(claim) + ", instructions saved against OSHMEM",
                           savings.back(), "figure 3; of the row above", kAgainst, category));
    }
    for (const int bytes : kBroadcastBytes) {
        Row row;
        row.claim = "broadcast of " + std::to_string(bytes) +
                    " bytes at the root of 6, against "
                    "OSHMEM counted natively";
        row.method =
            "figure 11; theirs the shortest of 10 calls; ours the mean of 20, waiting left out";
        row.figure = kFigure11;
        row.series = "xBGAS, at the root";
        row.x = bytes;
        constexpr int kCount = 20;
        const auto counts =
            machine.count(Road::xbgas, kPes, "micro", micro("broadcast", bytes, kCount));
        std::optional<double> ours;
        if (counts) ours = counts->first_node / kCount;
        const auto theirs =
            native(totals, "probe_call_broadcast" + std::to_string(bytes), kEmptyBroadcast, true);
        if (ours && theirs) ratios.push_back(*theirs / *ours);
        add(row, ours, theirs);
    }
    const auto verdict = [&](const char* claim, const char* unit, double bound,
                             std::optional<double> value, const char* figure, const char* series,
                             const char* category) {
        Row row;
        row.claim = claim;
        row.unit = unit;
        row.must = at_least(bound);
        row.peer = "paper, against OpenSHMEM";
        row.peer_value = bound;
        row.method = "x86 instructions of Open MPI OSHMEM against RISC-V ones";
        row.figure = figure;
        row.series = series;
        row.category = category;
        row.ours = value;
        if (!value) row.waits = why.empty() ? machine.why_not() : why;
        run.add(row);
    };
    const auto best = [&](auto choose) -> std::optional<double> {
        if (ratios.size() != std::size(kBroadcastBytes)) return {};
        return *choose(ratios);
    };
    std::optional<double> mean_saved;
    if (savings.size() == std::size(kWordOperations)) mean_saved = mean(savings);
    verdict("instructions saved against OSHMEM: put, get, atomics of 8 bytes, mean", "%", 73.89,
            mean_saved, kFigure3, kAgainst, "mean");
    verdict("broadcast on 6 nodes, fewer instructions than OSHMEM at the root, least", "x", 3.41,
            best([](const auto& v) { return std::ranges::min_element(v); }), kFigure11Ratios,
            kAtRoot, "least");
    verdict("broadcast on 6 nodes, fewer instructions than OSHMEM at the root, most", "x", 22.01,
            best([](const auto& v) { return std::ranges::max_element(v); }), kFigure11Ratios,
            kAtRoot, "most");
}

}  // namespace isthmus::bench
