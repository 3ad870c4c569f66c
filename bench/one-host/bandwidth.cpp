// Put and get of blocks, as a share of the best copy loop of this machine on the same memory
// (programs/bandwidth.c), and beside the peer's.
#include <algorithm>
#include <cmath>
#include <set>
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

// What one alignment reached. Ours and the loops took turns within each run, so each run has a
// share of its own; the loop is the one that was best over all runs.
struct Reached {
    Cell cell;
    double mbs = 0;
    std::string best_loop;
    double best_mbs = 0;
    double share = HUGE_VAL;  // of the best loop
    std::optional<double> peer_mbs;
    double drift = 0;

    double against_peer() const { return peer_mbs ? mbs / *peer_mbs : HUGE_VAL; }
};

Reached reached(const Cell& cell, const Figures& figures, const Cells& peer) {
    Reached result;
    result.cell = cell;
    result.drift = figures.drift;
    result.mbs = median(figures.shmem);
    const std::vector<double>* best = nullptr;
    for (const auto& [name, mbs] : figures.loops) {
        if (best && median(mbs) <= result.best_mbs) continue;
        best = &mbs;
        result.best_loop = name;
        result.best_mbs = median(mbs);
    }
    std::vector<double> shares;
    for (std::size_t run = 0; best && run < std::min(figures.shmem.size(), best->size()); ++run)
        shares.push_back(figures.shmem[run] / (*best)[run]);
    if (!shares.empty()) result.share = median(shares);
    if (const auto theirs = peer.find(cell); theirs != peer.end())
        result.peer_mbs = median(theirs->second.shmem);
    return result;
}

using Sizes = std::map<std::pair<std::string, long>, std::vector<Reached>>;

Sizes by_size(const Cells& ours, const Cells& peer) {
    Sizes sizes;
    for (const auto& [cell, figures] : ours)
        sizes[{std::get<0>(cell), std::get<1>(cell)}].push_back(reached(cell, figures, peer));
    return sizes;
}

bool has_smaller_share(const Reached& a, const Reached& b) {
    return a.share < b.share;
}
bool is_further_behind(const Reached& a, const Reached& b) {
    return a.against_peer() < b.against_peer();
}

// The alignments that looked worst, two by each measure: the smallest of many noisy figures is too
// small, so what is said of them comes from runs of their own.
constexpr std::size_t kSuspects = 2;
std::string suspects(const Sizes& sizes) {
    std::set<Cell> chosen;
    for (const auto& [key, all] : sizes) {
        for (const auto& is_worse : {has_smaller_share, is_further_behind}) {
            std::vector<Reached> sorted = all;
            std::sort(sorted.begin(), sorted.end(), is_worse);
            for (std::size_t i = 0; i < std::min(kSuspects, sorted.size()); ++i)
                chosen.insert(sorted[i].cell);
        }
    }
    std::string list;
    for (const auto& [operation, bytes, source, dest] : chosen)
        list += (list.empty() ? "" : ",") + operation + ":" + std::to_string(bytes) + ":" +
                std::to_string(source) + ":" + std::to_string(dest);
    return list;
}

std::string alignment_text(const Cell& cell) {
    return "source +" + std::to_string(std::get<2>(cell)) + ", dest +" +
           std::to_string(std::get<3>(cell));
}

void add_share(Run& run, const std::string& name, std::size_t alignments, const Reached& worst) {
    Row row;
    row.claim = name + ", worst of " + std::to_string(alignments) + " alignments";
    row.unit = "x best copy loop";
    row.must = at_least(0.95);
    row.ours = worst.share;
    row.goal = 1.0;
    if (run.has_peer()) row.peer = Run::peer_name();
    if (worst.peer_mbs) row.peer_value = *worst.peer_mbs / worst.best_mbs;
    row.method = alignment_text(worst.cell) + ": " + number_text(worst.mbs / 1e3) +
                 " GB/s, best loop " + worst.best_loop + " " + number_text(worst.best_mbs / 1e3) +
                 " GB/s; found among all, then measured anew";
    row.spread = "drift within the run " + number_text(worst.drift * 100) + " %";
    if (!row.holds()) row.reason = row.method + "; " + row.spread;
    run.add(row);
}

void add_against_peer(Run& run, const std::string& name, const Reached& worst,
                      const std::string& peer_reason) {
    Row row;
    row.claim = name + " against the peer, worst alignment";
    row.unit = "x peer's bandwidth";
    row.must = at_least(1 - kTie);
    row.peer = Run::peer_name();
    if (worst.peer_mbs) {
        row.ours = worst.against_peer();
        row.peer_value = 1;
    } else {
        run.lacks_peer(row, peer_reason);
    }
    row.method = alignment_text(worst.cell);
    if (!row.holds()) row.reason = row.method;
    run.add(row);
}

// Buffers that are not in the caches, because the program goes through many or has done other
// things in between. No peer: what counts is the machine's limit.
void measure_away_from_caches(Run& run) {
    const bool quick = run.options().quick;
    constexpr std::pair<int, int> kOffsets[] = {{0, 0}, {1, 0}, {0, 8}};
    const struct {
        const char *buffers, *text;
        std::optional<double> least;
    } kConditions[] = {{"rotating", ", buffers rotating over 64 MB", 0.97},
                       {"cold", ", one pair of buffers, flushed before each", {}}};
    for (const auto& condition : kConditions) {
        std::string cells;
        for (const char* const operation : {"put", "get"}) {
            for (const int bytes : {16384, 65536, 262144}) {
                for (const auto& [source, dest] : kOffsets)
                    cells += (cells.empty() ? "" : ",") + std::string(operation) + ":" +
                             std::to_string(bytes) + ":" + std::to_string(source) + ":" +
                             std::to_string(dest);
            }
        }
        Cells found;
        std::string reason;
        for (Turns turns(run, std::string("bandwidth, ") + condition.buffers + " buffers",
                         quick ? 1 : 3, 5, 8);
             turns.next();)
            collect(run.records(Side::ours, 2, "bandwidth",
                                {"--rounds", "14", "--attempts", "1", "--buffers",
                                 condition.buffers, "--cells", cells},
                                reason),
                    found);
        for (const auto& [key, reached] : by_size(found, {})) {
            const Reached& worst =
                *std::min_element(reached.begin(), reached.end(), has_smaller_share);
            Row row;
            row.claim = key.first + " " + bytes_text(key.second) + condition.text;
            row.unit = "x best copy loop";
            if (condition.least) row.must = at_least(*condition.least);
            row.ours = worst.share;
            row.method = alignment_text(worst.cell) + ", worst of " +
                         std::to_string(std::size(kOffsets)) + ": " + number_text(worst.mbs / 1e3) +
                         " GB/s, best loop " + worst.best_loop + " " +
                         number_text(worst.best_mbs / 1e3) + " GB/s";
            if (!row.holds()) row.reason = row.method;
            run.add(row);
        }
        if (!found.empty()) continue;
        Row row;
        row.claim = std::string("bandwidth") + condition.text;
        row.unit = "x best copy loop";
        row.must = at_least(0.97);
        row.reason = reason;
        run.add(row);
    }
}

}  // namespace

void measure_bandwidth(Run& run) {
    const bool quick = run.options().quick;
    std::string reason, peer_reason;
    const auto measure = [&](Turns&& turns, const std::vector<std::string>& which, Cells& ours,
                             Cells& peer) {
        std::vector<std::string> arguments{"--rounds", quick ? "8" : "14", "--attempts",
                                           quick ? "2" : "4"};
        arguments.insert(arguments.end(), which.begin(), which.end());
        std::vector<std::string> peer_arguments = arguments;
        peer_arguments.insert(peer_arguments.end(), {"--loops", "0"});
        while (turns.next()) {
            collect(run.records(Side::ours, 2, "bandwidth", arguments, reason), ours);
            if (run.has_peer())
                collect(run.records(Side::peer, 2, "bandwidth", peer_arguments, peer_reason), peer);
        }
    };
    Cells ours, peer;
    measure(Turns(run, "bandwidth of put and get", 1, 1, 10), {"--stride", quick ? "4" : "1"}, ours,
            peer);
    const Sizes first = by_size(ours, peer);
    if (first.empty()) {
        Row row;
        row.claim = "bandwidth of put and get";
        row.must = at_least(0.95);
        row.unit = "x best copy loop";
        row.reason = reason;
        run.add(row);
        return;
    }
    Cells ours_anew, peer_anew;
    measure(Turns(run, "bandwidth at the worst alignments", 3, 5, 10), {"--cells", suspects(first)},
            ours_anew, peer_anew);
    for (const auto& [key, found] : by_size(ours_anew, peer_anew)) {
        const std::string name = key.first + " " + bytes_text(key.second);
        add_share(run, name, first.at(key).size(),
                  *std::min_element(found.begin(), found.end(), has_smaller_share));
        const auto behind = std::min_element(found.begin(), found.end(), is_further_behind);
        add_against_peer(run, name, *behind, peer_reason);
    }
    measure_away_from_caches(run);
}

}  // namespace isthmus::bench
