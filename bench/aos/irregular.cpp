// Histogram and index-gather at random over tables beyond the caches: aggregated, as a multiple of
// the same by single operations (programs/irregular.c).
#include "aos/group.hpp"
#include "harness/statistics.hpp"

namespace isthmus::bench {
namespace {

using Rates = std::map<std::string, std::vector<double>>;  // by what they went through, one a batch

struct Claim {
    const char* text;
    const char* pattern;
    const char* through;
    std::vector<const char*> singles;  // compared with the best of them in each batch
    Must must;
    std::optional<double> goal;
};
const Claim kClaims[] = {
    {"histogram, aggregated", "histogram", "aggregated", {"postadd"}, at_least(1), 2},
    {"index-gather, aggregated", "gather", "aggregated", {"get", "peek"}, at_least(1), 2},
    {"index-gather by requests and replies", "gather", "messages", {"get", "peek"}, {}, {}},
};

}  // namespace

void measure_irregular(Run& run) {
    std::map<std::pair<int, std::string>, Rates> all;
    std::string reason;
    for (Turns turns(run, "irregular access", 1, 3, 20); turns.next();) {
        for (const int pes : {2, 4}) {
            std::vector<Record> records;
            append_records(run, pes, "irregular", {"--batches", run.options().quick ? "9" : "15"},
                           records, reason);
            for (const Record& record : records)
                all[{pes, field(record, "irregular")}][field(record, "through")].push_back(
                    number(record, "mops"));
        }
    }
    for (const Claim& claim : kClaims) {
        for (const int pes : {2, 4}) {
            const Rates& rates = all[{pes, claim.pattern}];
            Row row;
            row.claim = std::string(claim.text) + ", " + std::to_string(pes) + " PEs";
            row.unit = "x single operations";
            row.must = claim.must;
            row.goal = claim.goal;
            const auto ours = rates.find(claim.through);
            std::vector<double> ratios, singles;
            for (std::size_t i = 0; ours != rates.end() && i < ours->second.size(); ++i) {
                double single = 0;
                for (const char* name : claim.singles) {
                    const auto found = rates.find(name);
                    if (found != rates.end() && i < found->second.size())
                        single = std::max(single, found->second[i]);
                }
                if (single <= 0) continue;
                singles.push_back(single);
                ratios.push_back(ours->second[i] / single);
            }
            if (ratios.empty()) {
                row.reason = reason;
            } else {
                row.ours = median(ratios);
                row.spread = spread_text(ratios);
                row.method = number_text(median(ours->second)) + " million/s, single " +
                             number_text(median(singles)) + "; 512 MB of tables in all";
                if (!row.holds()) row.reason = row.method + "; " + row.spread;
            }
            run.add(row);
        }
    }
}

}  // namespace isthmus::bench
