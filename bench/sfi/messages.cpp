// Many small messages to a PE that the window is forbidden to: gathered by the aggregator, beside
// single puts of the same words in the same run; and one by one by a queue.
#include <unistd.h>

#include "harness/statistics.hpp"
#include "sfi/group.hpp"

namespace isthmus::bench {
namespace {

using Times = std::map<std::string, std::vector<double>>;  // microseconds an item, one a turn

struct Claim {
    const char* claim;
    const char* op;
    Must must;
};
const Claim kClaims[] = {
    {"rate of puts of 8 B with the aggregator", "aggregated", at_least(20)},
    {"the same as items of 16 B, place and value", "aggregated_puts", {}},
};

std::string shown(double microseconds) {
    return number_text(microseconds * 1000) + " ns";
}

}  // namespace

void measure_far_messages(Run& run) {
    Times times;
    std::string reason;
    if (access(run.program(Side::ours, "messages").c_str(), X_OK) != 0)
        reason = "not measured: libfabric 1.17 was not there when this was built";
    for (Turns turns(run, "messages between hosts", 3, 9, 30); reason.empty() && turns.next();) {
        const Finished finished =
            run.job(Side::ours, 2, "messages", {}, {},
                    {{"ISTHMUS_TRANSPORT", "ofi"}, {"SHMEM_SYMMETRIC_SIZE", "64M"}});
        if (!finished.succeeded()) reason = finished.last_words();
        for (const Record& record : parse_records(finished.output)) {
            const auto name = record.find("op");
            if (name != record.end()) times[name->second].push_back(number(record, "us"));
        }
    }
    const std::vector<double>& single = times["single"];
    for (const Claim& claim : kClaims) {
        Row row;
        row.claim = claim.claim;
        row.unit = "x without";
        row.must = claim.must;
        row.reason = reason;
        const std::vector<double>& items = times[claim.op];
        std::vector<double> ratios;
        for (std::size_t turn = 0; turn < std::min(single.size(), items.size()); ++turn)
            ratios.push_back(single[turn] / items[turn]);
        if (!ratios.empty() && reason.empty()) {
            row.ours = median(ratios);
            row.spread = spread_text(ratios);
            row.method =
                "two processes on this machine, tcp;ofi_rxm; median of turns: an item, pushed "
                "and handled, " +
                shown(median(items)) + "; a single put, quiet every 1000, " + shown(median(single));
        }
        run.add(row);
    }
    Row enqueue;
    enqueue.claim = "enqueue of 64 B at a PE of another host";
    enqueue.unit = "us";
    enqueue.reason = reason;
    if (const std::vector<double>& samples = times["enqueue"]; !samples.empty() && reason.empty()) {
        enqueue.ours = median(samples);
        enqueue.spread = spread_text(samples);
        enqueue.method = "two processes on this machine, tcp;ofi_rxm; the consumer takes them";
    }
    run.add(enqueue);
}

}  // namespace isthmus::bench
