// Queues: rates, and requests with one outstanding (programs/queue.c). Table 2 of the paper.
#include "aos/group.hpp"
#include "harness/statistics.hpp"

namespace isthmus::bench {
namespace {

// What was measured, or why nothing was.
void fill(Row& row, const std::vector<double>& rates, const std::string& reason) {
    if (rates.empty()) {
        row.reason = reason;
        return;
    }
    row.ours = median(rates);
    row.spread = spread_text(rates);
    if (!row.holds()) row.reason = row.method + "; " + row.spread;
}

constexpr const char* kTable2 = "Table 2: requests a second by bytes";

std::string raw_text(const std::vector<double>& raw) {
    return raw.empty() ? "" : "raw ping-pong " + number_text(median(raw)) + " ns one way";
}

void add_rate(Run& run, const char* claim, double must, const std::string& producers,
              const std::vector<Record>& records, const std::string& reason) {
    std::vector<double> rates, raw;
    for (const Record& record : records) {
        if (field(record, "queue") != "rate" || field(record, "producers") != producers) continue;
        rates.push_back(number(record, "mops"));
        if (number(record, "raw") > 0) raw.push_back(number(record, "raw"));
    }
    Row row;
    row.claim = claim;
    row.unit = "million/s";
    row.must = at_least(must);
    row.method = "median of short batches; " + raw_text(raw);
    fill(row, rates, reason);
    run.add(row);
}

}  // namespace

void measure_queues(Run& run) {
    const bool quick = run.options().quick;
    std::vector<Record> records;
    std::string reason;
    for (Turns turns(run, "queues", 2, 4, 8); turns.next();) {
        append_records(run, 2, "queue", {"--batches", quick ? "80" : "200"}, records, reason);
        append_records(run, 5, "queue", {"--batches", quick ? "10" : "25"}, records, reason);
    }
    add_rate(run, "queue, 16 B, 1 producer", 10, "1", records, reason);
    add_rate(run, "queue, 16 B, 4 producers on all cores", 5, "4", records, reason);

    constexpr int kSizes[] = {16, 32, 64, 128, 248};
    constexpr double kOne[] = {675, 670, 600, 425, 350};
    constexpr double kMany[] = {740, 725, 725, 575, 550};
    for (std::size_t i = 0; i < std::size(kSizes); ++i) {
        const std::string size = std::to_string(kSizes[i]);
        std::vector<double> rates, raw;
        for (const Record& record : records) {
            if (field(record, "queue") != "request" || field(record, "bytes") != size) continue;
            rates.push_back(number(record, "kiops"));
            raw.push_back(number(record, "raw"));
        }
        Row row;
        row.claim = "Table 2: request and reply, " + size + " B, 1 CC";
        row.unit = "thousand/s";
        // The best of the paper's row, which is of many clusters.
        row.must = at_least(kMany[i]);
        row.peer = kPaper;
        row.peer_value = kOne[i];
        row.method = "one outstanding; " + raw_text(raw);
        row.figure = kTable2;
        row.series = "1 CC";
        row.x = kSizes[i];
        fill(row, rates, reason);
        run.add(row);
    }
    for (std::size_t i = 0; i < std::size(kSizes); ++i) {
        Row row =
            waiting_row("Table 2: request and reply, " + std::to_string(kSizes[i]) + " B, 2-16 CC",
                        "thousand/s", kMany[i]);
        row.figure = kTable2;
        row.series = "2-16 CC";
        row.x = kSizes[i];
        run.add(row);
    }
}

}  // namespace isthmus::bench
