// Histogram and index-gather at random over tables beyond the caches, as a multiple of the same by
// single operations of this interface and by plain loads (programs/irregular.c).
#include "aos/group.hpp"
#include "harness/statistics.hpp"

namespace isthmus::bench {
namespace {

using Rates = std::map<std::string, std::vector<double>>;  // by what they went through, one a batch

struct Claim {
    const char* text;
    const char* pattern;
    const char* through;
    std::vector<const char*> bases;  // compared with the best of them in each batch
    const char* unit;
    Must must;
    std::optional<double> goal;
};
constexpr const char* kSingle = "x single operations";
constexpr const char* kLoads = "x plain loads";
const Claim kClaims[] = {
    {"histogram, aggregated", "histogram", "aggregated", {"postadd"}, kSingle, at_least(1), 2},
    {"index-gather, prefetched (isthmus_gather)",
     "gather",
     "prefetch",
     {"get", "peek"},
     kSingle,
     at_least(1),
     2},
    {"index-gather, prefetched (isthmus_gather)", "gather", "prefetch", {"loads"}, kLoads, {}, {}},
    {"index-gather by plain loads through segment.base",
     "gather",
     "loads",
     {"get", "peek"},
     kSingle,
     {},
     {}},
    {"index-gather by requests and replies (aggregators)",
     "gather",
     "messages",
     {"get", "peek"},
     kSingle,
     at_least(1),
     {}},
    {"index-gather by requests and replies (aggregators)",
     "gather",
     "messages",
     {"loads"},
     kLoads,
     {},
     {}},
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
            if (claim.unit == kLoads) row.claim += ", of plain loads";
            row.unit = claim.unit;
            row.must = claim.must;
            row.goal = claim.goal;
            const auto ours = rates.find(claim.through);
            std::vector<double> ratios, bases;
            for (std::size_t i = 0; ours != rates.end() && i < ours->second.size(); ++i) {
                double base = 0;
                for (const char* name : claim.bases) {
                    const auto found = rates.find(name);
                    if (found != rates.end() && i < found->second.size())
                        base = std::max(base, found->second[i]);
                }
                if (base <= 0) continue;
                bases.push_back(base);
                ratios.push_back(ours->second[i] / base);
            }
            if (ratios.empty()) {
                row.reason = reason;
            } else {
                row.ours = median(ratios);
                row.spread = spread_text(ratios);
                row.method = number_text(median(ours->second)) + " million/s, base " +
                             number_text(median(bases)) + "; 512 MB of tables in all";
                if (!row.holds()) row.reason = row.method + "; " + row.spread;
            }
            run.add(row);
        }
    }
}

}  // namespace isthmus::bench
