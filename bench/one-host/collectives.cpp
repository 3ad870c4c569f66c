// Collectives of every size beside the peer's (programs/collectives.c): a cell is a collective, a
// size and a number of PEs. Neither side's own barrier is in the time.
#include <cmath>
#include <tuple>

#include "harness/statistics.hpp"
#include "one-host/group.hpp"

namespace isthmus::bench {
namespace {

using Cell = std::pair<std::string, long>;  // collective, bytes
using Cells = std::map<Cell, std::vector<double>>;

void collect(const std::vector<Record>& records, Cells& cells) {
    for (const Record& record : records) {
        const auto name = record.find("collective");
        if (name == record.end()) continue;
        cells[{name->second, static_cast<long>(number(record, "bytes"))}].push_back(
            number(record, "us"));
    }
}

// What other work on the machine adds is not the library's: the lower quartile of the batches, on
// both sides.
double typical(const std::vector<double>& times) {
    return quantile(times, 0.25);
}

std::string bytes_text(long bytes) {
    return bytes >= 1 << 20   ? std::to_string(bytes >> 20) + " MB"
           : bytes >= 1 << 10 ? std::to_string(bytes >> 10) + " KB"
                              : std::to_string(bytes) + " B";
}

void measure_for(Run& run, int pes) {
    const bool quick = run.options().quick;
    const std::vector<std::string> arguments{"--step",     quick ? "6" : "3",
                                             "--batches",  quick ? "12" : "15",
                                             "--batch-us", quick ? "600" : "1500"};
    Cells ours, peer;
    std::string reason, peer_reason;
    for (Turns turns(run, "collectives of " + std::to_string(pes) + " PEs", 3, 5, 8);
         turns.next();) {
        collect(run.records(Side::ours, pes, "collectives", arguments, reason), ours);
        if (run.has_peer())
            collect(run.records(Side::peer, pes, "collectives", arguments, peer_reason), peer);
    }
    if (ours.empty()) {
        Row row;
        row.claim = "collectives of " + std::to_string(pes) + " PEs";
        row.unit = "us";
        row.must = at_most(0);
        row.reason = reason;
        run.add(row);
    }
    for (const auto& [cell, times] : ours) {
        Row row;
        row.claim =
            cell.first + " " + bytes_text(cell.second) + ", " + std::to_string(pes) + " PEs";
        row.unit = "us";
        row.ours = typical(times);
        row.spread = spread_text(times);
        const auto found = peer.find(cell);
        if (run.has_peer()) row.peer = Run::peer_name();
        if (found != peer.end()) {
            row.peer_value = typical(found->second);
            row.must = at_most(*row.peer_value * (1 + kTie));
            if (!row.holds()) row.reason = row.spread + "; peer's " + spread_text(found->second);
        } else {
            run.lacks_peer(row, peer_reason);
        }
        run.add(row);
    }
}

}  // namespace

void measure_collectives(Run& run) {
    measure_for(run, 2);
    measure_for(run, 4);
}

}  // namespace isthmus::bench
