// Random 8-byte atomic updates, beside the same loop on plain shared memory (programs/gups.c).
#include "harness/statistics.hpp"
#include "one-host/group.hpp"

namespace isthmus::bench {
namespace {

struct Pairs {
    std::vector<double> shmem, share;  // Mup/s; of the plain loop right behind
};

void collect(const std::vector<Record>& records, std::map<std::string, Pairs>& pairs) {
    double shmem = 0;
    for (const Record& record : records) {
        const auto name = record.find("gups"), through = record.find("through");
        if (name == record.end() || through == record.end()) continue;
        const double mups = number(record, "mups");
        if (through->second == "shmem") {
            shmem = mups;
            pairs[name->second].shmem.push_back(mups);
        } else {
            pairs[name->second].share.push_back(shmem / mups);
        }
    }
}

}  // namespace

void measure_gups(Run& run) {
    const std::vector<std::string> arguments{"--batches", run.options().quick ? "25" : "50"};
    std::map<std::string, Pairs> ours, peer;
    std::string reason, peer_reason;
    for (Turns turns(run, "random atomic updates", 3, 8, 5); turns.next();) {
        collect(run.records(Side::ours, 2, "gups", arguments, reason), ours);
        if (run.has_peer())
            collect(run.records(Side::peer, 2, "gups", arguments, peer_reason), peer);
    }
    constexpr std::pair<const char*, const char*> kRows[] = {
        {"xor_half", "random xor, half of them remote"},
        {"xor_remote", "random xor, all remote"},
        {"add_half", "random add, half of them remote"},
        {"add_remote", "random add, all remote"},
    };
    for (const auto& [name, claim] : kRows) {
        const Pairs& mine = ours[name];
        const Pairs& theirs = peer[name];
        Row row;
        row.claim = claim;
        row.unit = "x plain shared memory";
        row.must = at_least(0.9);
        row.goal = 1.0;
        if (run.has_peer()) row.peer = Run::peer_name();
        if (!theirs.share.empty()) row.peer_value = median(theirs.share);
        if (!mine.share.empty()) {
            row.ours = median(mine.share);
            row.spread = spread_text(mine.share);
            row.method = number_text(median(mine.shmem)) + " million updates a second";
            if (!theirs.shmem.empty()) row.method += ", peer " + number_text(median(theirs.shmem));
            if (!row.holds()) row.reason = row.method + "; " + row.spread;
        } else {
            row.reason = reason;
        }
        run.add(row);
    }
}

}  // namespace isthmus::bench
