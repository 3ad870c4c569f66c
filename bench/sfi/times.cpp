// Times between two PEs on two hosts, beside a program of libfabric alone: over libfabric, on the
// same provider, and over the road that such hosts have by default, packets. Those are hashed on
// both sides, which libfabric does not do: of long transfers one row shows what is left beside
// libfabric alone, and one is bound to it with what the hash takes added once, for the two sides
// hash at the same time. In turns, since the machine's moods are larger than what is compared. The
// thread that serves the target is on the target's core in both, as on another host: on the
// initiator's, which the kernel chooses now and then, a round trip takes half the time.
#include <unistd.h>

#include "harness/statistics.hpp"
#include "sfi/group.hpp"

namespace isthmus::bench {
namespace {

using Times = std::map<std::string, std::vector<double>>;  // microseconds, one a turn
using Sides = std::map<std::string, Times>;  // ours, by the default; ours_by_ofi; bare; hash

void collect(const std::vector<Record>& records, const std::string& side, Sides& sides) {
    for (const Record& record : records) {
        const auto name = record.find("op");
        const auto said = record.find("side");
        if (name != record.end())
            sides[said != record.end() ? said->second : side][name->second].push_back(
                number(record, "us"));
    }
}

// Where they ran; empty and why, if they could not.
std::string run_on_hosts(Run& run, Sides& sides, std::string& reason) {
    if (find_program("mpiexec.hydra").empty()) {
        reason = "no mpiexec.hydra (package hydra)";
        return {};
    }
    run.progress("times between hosts");
    Command command;
    const std::string script = run.program(Side::ours, "on_hosts.py");
    command.arguments = {"python3", script, script.substr(0, script.rfind('/')),
                         run.options().quick ? "3" : "9", "times"};
    command.limit_seconds = 300;
    const Finished finished = run_command(command);
    run.end_progress();
    if (!finished.succeeded()) {
        reason = finished.last_words();
        return {};
    }
    collect(parse_records(finished.output), "ours", sides);
    return "one process on each of 2 hosts made of namespaces of this machine";
}

// Without such hosts: the same by loop-back.
bool run_ours(const Run& run, Sides& sides, std::string& reason) {
    const Finished finished = run.job(Side::ours, 2, "times", {}, {},
                                      {{"ISTHMUS_TRANSPORT", "ofi"},
                                       {"SHMEM_SYMMETRIC_SIZE", "64M"},
                                       {"ISTHMUS_PROGRESS_PROCESSORS", "1"}});
    if (!finished.succeeded()) {
        reason = finished.last_words();
        return false;
    }
    collect(parse_records(finished.output), "ours_by_ofi", sides);
    return true;
}

bool run_bare(const Run& run, Sides& sides, std::string& reason) {
    for (const char* const what : {"rma", "atomic"}) {
        Command command;
        command.arguments = {run.program(Side::ours, "bare"), what};
        const Finished finished = run_command(command);
        if (!finished.succeeded()) {
            reason = "bare libfabric: " + finished.last_words();
            return false;
        }
        collect(parse_records(finished.output), "bare", sides);
    }
    return true;
}

struct Claim {
    const char* claim;
    const char* op;
    bool is_rate;  // bare / ours, else ours / bare
    Must must;
    const char* hash = nullptr;  // of long transfers: what their hash takes
    double bytes = 0;            // of one
};
const Claim kClaims[] = {
    {"latency of a put of 8 B with quiet", "put_quiet", false, at_most(1.10)},
    {"latency of a get of 8 B", "get", false, at_most(1.10)},
    {"latency of a fetching add, beside the provider's own", "fetch_add", false, at_most(1.10)},
    {"rate of puts of 8 B, 1000 and a quiet", "put_rate", true, at_least(0.9)},
    {"bandwidth of puts of 64 KB, each source free on return", "put_64k", true, at_least(0.95),
     "hash_64k", 65536},
    {"bandwidth of puts of 1 MB, each source free on return", "put_1m", true, at_least(0.95),
     "hash_1m", 1048576},
    {"bandwidth of puts of 64 KB, nbi", "put_nbi_64k", true, at_least(0.95), "hash_64k", 65536},
    {"bandwidth of puts of 1 MB, nbi", "put_nbi_1m", true, at_least(0.95), "hash_1m", 1048576},
    {"bandwidth of gets of 64 KB, nbi", "get_nbi_64k", true, at_least(0.95), "hash_64k", 65536},
    {"bandwidth of gets of 1 MB, nbi", "get_nbi_1m", true, at_least(0.95), "hash_1m", 1048576},
};

std::string shown(double microseconds, double bytes) {
    return bytes == 0 ? number_text(microseconds) + " us"
                      : number_text(bytes / microseconds / 1000) + " GB/s";
}

// One row: of each turn, `mine` and what libfabric alone took, with the hash if there is one.
Row compared(const Claim& claim, const std::string& road, const Times& mine, const Times& bare,
             const Times* hash) {
    const auto of = [](const Times& times, const char* op) {
        const auto found = times.find(op);
        return found != times.end() ? found->second : std::vector<double>{};
    };
    const std::vector<double> ours = of(mine, claim.op);
    std::vector<double> theirs = of(bare, claim.op);
    const std::vector<double> added = hash ? of(*hash, claim.hash) : std::vector<double>{};
    std::size_t turns = std::min(ours.size(), theirs.size());
    if (hash) turns = std::min(turns, added.size());
    for (std::size_t turn = 0; hash && turn < turns; ++turn)
        theirs[turn] += added[turn];
    std::vector<double> ratios;
    for (std::size_t turn = 0; turn < turns; ++turn)
        ratios.push_back(claim.is_rate ? theirs[turn] / ours[turn] : ours[turn] / theirs[turn]);
    Row row;
    row.claim = claim.claim + road;
    row.unit = claim.is_rate ? "x bare libfabric's" : "x bare libfabric";
    row.must = claim.must;
    if (!ratios.empty()) {
        row.ours = median(ratios);
        row.spread = spread_text(ratios);
        row.method = "median of turns: " + shown(median(ours), claim.bytes) +
                     ", libfabric alone (tcp;ofi_rxm)" + (hash ? " and the hash " : " ") +
                     shown(median(theirs), claim.bytes);
    }
    return row;
}

}  // namespace

void measure_far_times(Run& run) {
    Sides sides;
    std::string reason, where, why_not;
    if (access(run.program(Side::ours, "bare").c_str(), X_OK) != 0)
        reason = "not measured: libfabric 1.17 was not there when this was built";
    else
        where = run_on_hosts(run, sides, why_not);
    if (where.empty() && reason.empty()) {
        where = "two processes on this machine, by loop-back (" + why_not + ")";
        for (Turns turns(run, "times between processes", 3, 9, 30);
             reason.empty() && turns.next();) {
            if (run_ours(run, sides, reason)) run_bare(run, sides, reason);
        }
    }
    const auto add = [&](Row row) {
        row.reason = reason;
        if (!reason.empty())
            row.ours.reset();
        else if (row.ours)
            row.method = where + "; " + row.method;
        run.add(row);
    };
    const Times& bare = sides["bare"];
    for (const Claim& claim : kClaims)
        add(compared(claim, ", by libfabric", sides["ours_by_ofi"], bare, nullptr));
    for (const Claim& claim : kClaims) {
        Claim alone = claim;
        if (claim.hash) {
            add(compared(claim, ", by packets; with the hash", sides["ours"], bare,
                         &sides["hash"]));
            alone.must = Must{Must::Sense::none};
        }
        add(compared(alone, ", by packets", sides["ours"], bare, nullptr));
    }
}

}  // namespace isthmus::bench
