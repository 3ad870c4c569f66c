// Put and get of blocks, as a share of the best copy loop of this machine on the same memory
// (programs/bandwidth.c), and beside the peer's.
#include <cmath>
#include <tuple>

#include "harness/statistics.hpp"
#include "one-host/group.hpp"

namespace isthmus::bench {
namespace {

using Cell = std::tuple<std::string, long, int, int>;  // operation, bytes, source, dest

struct Figures {
    std::vector<double> shmem;  // MB/s, one a run
    std::map<std::string, std::vector<double>> loops;
    double drift = 0;
};
using Cells = std::map<Cell, Figures>;

void collect(const std::vector<Record>& records, Cells& cells) {
    for (const Record& record : records) {
        const auto copy = record.find("copy"), candidate = record.find("candidate");
        if (copy == record.end() || candidate == record.end()) continue;
        Figures& figures = cells[{copy->second, static_cast<long>(number(record, "bytes")),
                                  static_cast<int>(number(record, "source")),
                                  static_cast<int>(number(record, "dest"))}];
        const double mbs = number(record, "mbs");
        if (candidate->second == "shmem")
            figures.shmem.push_back(mbs);
        else
            figures.loops[candidate->second].push_back(mbs);
        figures.drift = std::max(figures.drift, number(record, "drift"));
    }
}

std::string bytes_text(long bytes) {
    return bytes >= 1 << 20 ? std::to_string(bytes >> 20) + " MB"
                            : std::to_string(bytes >> 10) + " KB";
}

// The share of one alignment: the median of the runs' own shares, since ours and the loops took
// turns within each run.
struct Share {
    double value = HUGE_VAL;
    std::string best_loop;
    double mbs = 0, best_mbs = 0;
    double drift = 0;
    Cell cell;
};
Share share_of(const Cell& cell, const Figures& figures) {
    Share share;
    share.cell = cell;
    share.drift = figures.drift;
    std::vector<double> shares;
    for (std::size_t run = 0; run < figures.shmem.size(); ++run) {
        double best = 0;
        for (const auto& [name, values] : figures.loops) {
            if (run >= values.size() || values[run] <= best) continue;
            best = values[run];
            share.best_loop = name;
        }
        if (best > 0) shares.push_back(figures.shmem[run] / best);
        share.best_mbs = best;
    }
    share.mbs = median(figures.shmem);
    if (!shares.empty()) share.value = median(shares);
    return share;
}

std::string alignment_text(const Cell& cell) {
    return "source +" + std::to_string(std::get<2>(cell)) + ", dest +" +
           std::to_string(std::get<3>(cell));
}

}  // namespace

void measure_bandwidth(Run& run) {
    const bool quick = run.options().quick;
    const std::string stride = quick ? "4" : "1";
    const std::vector<std::string> arguments{"--stride",         stride,       "--rounds",
                                             quick ? "8" : "14", "--attempts", quick ? "2" : "4"};
    std::vector<std::string> peer_arguments = arguments;
    peer_arguments.insert(peer_arguments.end(), {"--loops", "0"});
    Cells ours, peer;
    std::string reason, peer_reason;
    for (Turns turns(run, "bandwidth of put and get", 2, 3, 10); turns.next();) {
        collect(run.records(Side::ours, 2, "bandwidth", arguments, reason), ours);
        if (run.has_peer())
            collect(run.records(Side::peer, 2, "bandwidth", peer_arguments, peer_reason), peer);
    }
    std::map<std::pair<std::string, long>, std::vector<Share>> by_size;
    for (const auto& [cell, figures] : ours)
        by_size[{std::get<0>(cell), std::get<1>(cell)}].push_back(share_of(cell, figures));
    if (by_size.empty()) {
        Row row;
        row.claim = "bandwidth of put and get";
        row.must = at_least(0.95);
        row.unit = "x best copy loop";
        row.reason = reason;
        run.add(row);
    }
    for (const auto& [key, shares] : by_size) {
        const auto& [operation, bytes] = key;
        const auto worse = [](const Share& a, const Share& b) { return a.value < b.value; };
        const Share& worst = *std::min_element(shares.begin(), shares.end(), worse);
        std::optional<double> peer_share, against_peer;
        Cell peer_cell;
        for (const Share& share : shares) {
            const auto found = peer.find(share.cell);
            if (found == peer.end() || share.best_mbs <= 0) continue;
            const double theirs = median(found->second.shmem);
            const double their_share = theirs / share.best_mbs;
            if (!peer_share || their_share < *peer_share) peer_share = their_share;
            if (!against_peer || share.mbs / theirs < *against_peer) {
                against_peer = share.mbs / theirs;
                peer_cell = share.cell;
            }
        }
        Row row;
        row.claim = operation + " " + bytes_text(bytes) + ", worst of " +
                    std::to_string(shares.size()) + " alignments";
        row.unit = "x best copy loop";
        row.must = at_least(0.95);
        row.ours = worst.value;
        row.goal = 1.0;
        if (run.has_peer()) row.peer = Run::peer_name();
        row.peer_value = peer_share;
        row.method = alignment_text(worst.cell) + ": " + number_text(worst.mbs / 1e3) +
                     " GB/s, best loop " + worst.best_loop + " " +
                     number_text(worst.best_mbs / 1e3) + " GB/s";
        row.spread = "drift within the run " + number_text(worst.drift * 100) + " %";
        if (!row.holds()) row.reason = row.method + "; " + row.spread;
        run.add(row);
        if (!against_peer) continue;
        Row second;
        second.claim = operation + " " + bytes_text(bytes) + " against the peer, worst alignment";
        second.unit = "x peer's bandwidth";
        second.must = at_least(1 - kTie);
        second.ours = *against_peer;
        second.peer = Run::peer_name();
        second.peer_value = 1;
        second.method = alignment_text(peer_cell);
        if (!second.holds()) second.reason = second.method;
        run.add(second);
    }
}

}  // namespace isthmus::bench
