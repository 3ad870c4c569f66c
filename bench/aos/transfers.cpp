// Put and get of segments, strided puts, and the paper's Fig. 2 (throughput), Fig. 3 (latency) and
// Table 1 (puts to the neighbour), from programs/transfer.c.
#include "aos/group.hpp"
#include "harness/statistics.hpp"

namespace isthmus::bench {
namespace {

struct Batch {
    double ours = 0, loop = 0;  // nanoseconds a copy
};
struct Cell {
    std::string operation;
    int pes = 0;
    long bytes = 0;
    // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 sees one in what the compiler makes
    auto operator<=>(const Cell&) const = default;
};
using Cells = std::map<Cell, std::map<std::string, std::vector<Batch>>>;  // by loop

std::string bytes_text(long bytes) {
    if (bytes >= 1 << 20) return std::to_string(bytes >> 20) + " MB";
    return bytes >= 1 << 10 ? std::to_string(bytes >> 10) + " KB" : std::to_string(bytes) + " B";
}

// Ours as a share of the copy loop that is best at this size: median of the batches' own shares,
// since both took turns within each.
struct Share {
    std::vector<double> shares;
    double ns = 0, best_ns = 0;
    std::string loop;
};
Share share_of(const std::map<std::string, std::vector<Batch>>& loops) {
    Share share;
    for (const auto& [name, batches] : loops) {
        std::vector<double> times;
        for (const Batch& batch : batches)
            times.push_back(batch.loop);
        const double ns = median(times);
        if (!share.loop.empty() && ns >= share.best_ns) continue;
        share.best_ns = ns;
        share.loop = name;
    }
    std::vector<double> ours;
    for (const Batch& batch : loops.at(share.loop)) {
        ours.push_back(batch.ours);
        share.shares.push_back(batch.loop / batch.ours);
    }
    share.ns = median(ours);
    return share;
}

// What the paper's text says of its Fig. 2, as a share of the peak of its network.
std::optional<double> paper_share(long bytes) {
    switch (bytes) {
        case 4096: return 0.5;
        case 8192: return 0.7;
        case 32768: return 0.94;
        default: return {};
    }
}

void add_throughput(Run& run, const Cells& cells) {
    // The best rate of any loop at any size, GB/s a PE: the nearest that a host has to the peak of
    // a network, of which the paper's shares are.
    std::map<std::pair<std::string, int>, double> peaks;
    for (const auto& [cell, loops] : cells) {
        double& peak = peaks[{cell.operation, cell.pes}];
        peak = std::max(peak, static_cast<double>(cell.bytes) / share_of(loops).best_ns);
    }
    for (const auto& [cell, loops] : cells) {
        const Share share = share_of(loops);
        Row row;
        row.claim = "Fig. 2: " + cell.operation + " " + bytes_text(cell.bytes) + ", " +
                    (cell.pes == 1 ? "1 PE to itself" : std::to_string(cell.pes) + " PEs at once");
        row.unit = "x best copy loop of this size";
        row.ours = median(share.shares);
        row.peer_value = paper_share(cell.bytes);
        if (row.peer_value) row.peer = kPaper;
        if (cell.bytes >= 256 && cell.bytes < 8192) row.must = at_least(0.90);
        if (cell.bytes == 8192) row.must = at_least(0.70);
        if (cell.bytes == 32768) {
            row.must = at_least(0.94);
            row.goal = 0.97;
        }
        row.spread = spread_text(share.shares);
        row.method = number_text(static_cast<double>(cell.bytes) / share.ns) + " GB/s a PE, best " +
                     share.loop + " " +
                     number_text(static_cast<double>(cell.bytes) / share.best_ns) +
                     " GB/s at this size; " +
                     number_text(static_cast<double>(cell.bytes) / share.ns /
                                 peaks[{cell.operation, cell.pes}]) +
                     " of the best loop at any size; the paper's is of its network's peak";
        if (!row.holds()) row.reason = row.method + "; " + row.spread;
        row.figure = "Fig. 2: asynchronous " + cell.operation + " by bytes";
        row.series = std::to_string(cell.pes) + (cell.pes == 1 ? " PE" : " PEs");
        row.x = static_cast<double>(cell.bytes);
        run.add(row);
    }
    for (const char* operation : {"put", "get"}) {
        for (const char* matrix :
             {"1 SMEM, 4, 8 and 16 CCs", "1 DDR, 1 to 16 CCs", "2 DDRs, 1 to 16 CCs"})
            run.add(waiting_row(std::string("Fig. 2: ") + operation + ", " + matrix,
                                "x best copy loop of this size", {}));
    }
}

// What this machine allows: the copy itself, and for what is shorter than it takes a line to cross
// from core to core, that way. The paper's model, 1100 cycles and 3.76 bytes a cycle at 500 MHz, is
// of another machine and no bound for this one.
constexpr long kCopyBound = 32768;  // bytes from which the copy is the limit
void add_latency(Run& run, const std::vector<Record>& records) {
    struct Samples {
        std::vector<double> ns, limits;
    };
    std::map<std::pair<std::string, long>, Samples> times;
    for (const Record& record : records) {
        const std::string operation = field(record, "latency");
        if (operation.empty()) continue;
        const auto bytes = static_cast<long>(number(record, "bytes"));
        const double ns = number(record, "ns"), loop = number(record, "loop");
        Samples& samples = times[{operation, bytes}];
        samples.ns.push_back(ns);
        samples.limits.push_back(bytes >= kCopyBound ? ns / loop
                                                     : (ns - loop) / number(record, "raw"));
    }
    for (const auto& [key, samples] : times) {
        const auto& [operation, bytes] = key;
        const double paper = (1100 + static_cast<double>(bytes) / 3.76) / 500;
        Row row;
        row.claim = "Fig. 3: blocking " + operation + " " + bytes_text(bytes);
        row.unit = bytes >= kCopyBound ? "x best copy loop of this size"
                                       : "x a line's way between cores, beyond the copy";
        row.ours = median(samples.limits);
        row.must = at_most(bytes >= kCopyBound ? 1.1 : 0.15);
        row.spread = spread_text(samples.limits);
        row.method = number_text(median(samples.ns)) + " ns" +
                     (operation == "put" ? ", put and fence" : "") +
                     "; the paper's model at 500 MHz " + number_text(paper) + " us";
        if (!row.holds()) row.reason = row.method + "; " + row.spread;
        row.figure = bytes >= kCopyBound ? "Fig. 3: blocking latency by bytes, of a copy"
                                         : "Fig. 3: blocking latency by bytes, beyond a copy";
        row.series = operation;
        row.x = static_cast<double>(bytes);
        run.add(row);
    }
    run.add(waiting_row("Fig. 3: 1 and 2 DDRs, 2 to 16 CCs", "us", 2.2));
}

// Of the peak, as the paper has it: the best rate of any copy loop at any size, measured here. What
// a copy of this size reaches of that peak is the limit.
void add_table_1(Run& run, const Cells& cells) {
    constexpr long kSizes[] = {1024, 4096, 16384, 65536, 262144};
    constexpr int kClusters[] = {1, 4, 8, 16};
    constexpr double kPaperRates[4][5] = {{0.7, 2.7, 3.5, 3.8, 3.8},
                                          {2.7, 11.0, 14.2, 15.2, 15.4},
                                          {5.5, 21.8, 28.3, 30.5, 30.8},
                                          {10.7, 42.8, 56.3, 60.2, 60.2}};
    for (std::size_t i = 0; i < std::size(kClusters); ++i) {
        double peak = 0;
        for (const auto& [cell, loops] : cells) {
            if (cell.operation == "put" && cell.pes == kClusters[i])
                peak = std::max(peak, static_cast<double>(cell.bytes) / share_of(loops).best_ns);
        }
        for (std::size_t k = 0; k < std::size(kSizes); ++k) {
            const std::string claim =
                "Table 1: put to the neighbour, " + std::to_string(kClusters[i]) +
                (kClusters[i] == 1 ? " CC, " : " CCs, ") + bytes_text(kSizes[k]);
            Row row = waiting_row(claim, "x copy peak", kPaperRates[i][k] / kPaperRates[i][4]);
            row.figure = "Table 1: puts to the neighbour by bytes";
            row.series = std::to_string(kClusters[i]) + (kClusters[i] == 1 ? " CC" : " CCs");
            row.x = static_cast<double>(kSizes[k]);
            if (const auto found = cells.find({"put", kClusters[i], kSizes[k]});
                found != cells.end()) {
                const Share share = share_of(found->second);
                const auto bytes = static_cast<double>(kSizes[k]);
                row.waits.clear();
                row.ours = bytes / share.ns / peak;
                row.must = at_least(0.95 * bytes / share.best_ns / peak);
                row.method = number_text(bytes / share.ns) + " GB/s a PE, peak " +
                             number_text(peak) + ", best loop at this size " +
                             number_text(bytes / share.best_ns);
                if (!row.holds()) row.reason = row.method;
            }
            run.add(row);
        }
    }
}

void add_strided(Run& run, const std::vector<Record>& records) {
    std::map<long, std::vector<double>> shares;
    for (const Record& record : records) {
        if (field(record, "strided") == "put")
            shares[static_cast<long>(number(record, "row"))].push_back(number(record, "share"));
    }
    for (const auto& [bytes, samples] : shares) {
        Row row;
        row.claim = "strided 2-D put, rows of " + std::to_string(bytes) + " B";
        row.unit = "x loop of memcpy";
        row.ours = median(samples);
        row.must = at_least(0.9);
        row.spread = spread_text(samples);
        if (!row.holds()) row.reason = row.spread;
        run.add(row);
    }
}

}  // namespace

void measure_transfers(Run& run) {
    const bool quick = run.options().quick;
    std::vector<Record> records;
    std::string reason;
    for (Turns turns(run, "transfers", 2, 4, 6); turns.next();) {
        for (const int pes : {1, 2, 4, 8, 16}) {
            if (!has_cores_for(pes)) continue;
            // Alone, a put goes to the PE itself; the rest is measured between two.
            append_records(run, pes, "transfer",
                           {"--batches", quick ? "11" : "31", "--factor", quick ? "16" : "4",
                            "--all", pes == 2 ? "1" : "0"},
                           records, reason);
        }
    }
    Cells cells;
    for (const Record& record : records) {
        if (const std::string operation = field(record, "transfer"); !operation.empty())
            cells[{operation, static_cast<int>(number(record, "pes")),
                   static_cast<long>(number(record, "bytes"))}][field(record, "loop")]
                .push_back({number(record, "ours"), number(record, "its")});
    }
    if (cells.empty()) {
        Row row;
        row.claim = "transfers";
        row.must = at_least(0.94);
        row.unit = "x best copy loop";
        row.reason = reason;
        run.add(row);
    }
    add_strided(run, records);
    add_throughput(run, cells);
    add_latency(run, records);
    add_table_1(run, cells);
}

}  // namespace isthmus::bench
