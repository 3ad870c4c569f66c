// Instructions of the short operations, by callgrind (programs/counts.c).
#include "aos/group.hpp"
#include "budgets.hpp"
#include "harness/callgrind.hpp"
#include "harness/statistics.hpp"

namespace isthmus::bench {
namespace {

struct Count {
    const char* claim;
    const char* probe;
    Must must;
};
const Count kCounts[] = {
    {"posted add", "probe_postadd", at_most(budget("probe_postadd"))},
    {"fetch-add, round trip, target passive", "probe_fetchadd", at_most(budget("probe_fetchadd"))},
    {"poke", "probe_poke", at_most(budget("probe_postadd"))},
    {"event test, operation complete when issued", "probe_event_test",
     at_most(budget("probe_event_test"))},
    {"event wait, operation complete when issued", "probe_event_wait",
     at_most(budget("probe_event_test"))},
    {"event test, true condition on a word", "probe_event_test_armed",
     at_most(budget("probe_event_test"))},
    {"event wait, true condition on a word", "probe_event_wait_armed",
     at_most(budget("probe_event_test"))},
    {"put 8 B, asynchronous", "probe_put8", at_most(budget("probe_put8"))},
    {"gather push", "probe_gather_push", {}},
    {"aggregator push", "probe_aggregator_push", {}},
};
constexpr const char* kEmpty = "probe_inline_empty";

}  // namespace

void measure_aos_counts(Run& run) {
    if (!run.options().counts) return;
    run.progress("counting instructions with callgrind");
    std::string reason;
    ProbeTotals totals;
    if (find_program("valgrind").empty()) {
        reason = "not measured: valgrind is not installed (package valgrind; or --no-counts)";
    } else {
        std::vector<std::string> probes{kEmpty};
        for (const Count& count : kCounts)
            probes.emplace_back(count.probe);
        totals = count_probes(run, Side::ours, probes, reason);
    }
    const auto empty = totals.find(kEmpty);
    for (const Count& count : kCounts) {
        Row row;
        row.claim = count.claim;
        row.unit = "instructions";
        row.must = count.must;
        row.method = "callgrind, median of 10 calls";
        const auto found = totals.find(count.probe);
        if (found != totals.end() && empty != totals.end()) {
            row.ours = median(found->second) - median(empty->second);
            row.spread = spread_text(found->second) + ", base included";
        } else {
            row.reason = reason.empty() ? "callgrind wrote no total for it" : reason;
        }
        run.add(row);
    }
}

}  // namespace isthmus::bench
