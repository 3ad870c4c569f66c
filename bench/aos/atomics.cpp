// Fig. 4 of the paper: latency of posted and blocking atomics, spread over all targets or all to
// one (programs/atomics.c).
#include "aos/group.hpp"
#include "harness/statistics.hpp"

namespace isthmus::bench {
namespace {

// Of the paper, at its 500 MHz: what another machine does, and no bound for this one.
constexpr double kCycle = 1.0 / 500;  // microseconds
constexpr double kPosted = 230 * kCycle;
constexpr double kRoundTrip = 1109 * kCycle;
constexpr double kWorst = 17.5;
constexpr const char* kUnit = "x the processor's own adds";
constexpr double kBound = 1.1;  // a segment's check and address, beside an add of six nanoseconds

}  // namespace

void measure_aos_atomics(Run& run) {
    std::vector<Record> records;
    std::string reason;
    for (Turns turns(run, "atomics", 2, 4, 4); turns.next();) {
        for (const int pes : {1, 2}) {
            if (has_cores_for(pes))
                append_records(run, pes, "atomics",
                               {"--batches", run.options().quick ? "15" : "40"}, records, reason);
        }
    }
    for (const bool blocking : {false, true}) {
        for (const bool central : {false, true}) {
            for (const int pes : {1, 2, 4, 8, 16}) {
                const char* const kind = blocking ? "blocking" : "async";
                const char* const mode = central ? "centralised" : "spread";
                const double paper = blocking ? kRoundTrip : kPosted;
                const std::string claim = std::string("Fig. 4: ") + kind + ", " + mode + ", " +
                                          std::to_string(pes) +
                                          (pes == 1 ? " initiator" : " initiators");
                if (pes > 2 || !has_cores_for(pes)) {
                    run.add(waiting_row(claim, kUnit, {}));
                    continue;
                }
                std::vector<double> times, ratios;
                for (const Record& record : records) {
                    if (field(record, "atomic") == kind && field(record, "mode") == mode &&
                        static_cast<int>(number(record, "pes")) == pes) {
                        times.push_back(number(record, "ns"));
                        ratios.push_back(number(record, "ns") / number(record, "plain"));
                    }
                }
                Row row;
                row.claim = claim;
                row.unit = kUnit;
                row.must = at_most(kBound);
                row.figure = "Fig. 4: latency of atomics by initiators";
                row.series = std::string(kind) + " " + mode;
                row.x = pes;
                if (times.empty()) {
                    row.reason = reason;
                } else {
                    row.ours = median(ratios);
                    row.spread = spread_text(ratios);
                    row.method = number_text(median(times)) +
                                 " ns, one PE a cluster; the paper's " + number_text(paper) +
                                 " us at best";
                    if (!row.holds()) row.reason = row.method + "; " + row.spread;
                }
                run.add(row);
            }
        }
    }
    run.add(waiting_row("Fig. 4: async, centralised, 16 PEs of each of 16 clusters", "us", kWorst));
}

}  // namespace isthmus::bench
