// Times between two PEs on two hosts, beside a program of libfabric alone that does the same on the
// same provider. In turns, since the machine's moods are larger than what is compared. The thread
// that serves the target is on the target's core in both, as on another host: on the initiator's,
// which the kernel chooses now and then, a round trip takes half the time.
#include <unistd.h>

#include "harness/statistics.hpp"
#include "sfi/group.hpp"

namespace isthmus::bench {
namespace {

using Times = std::map<std::string, std::vector<double>>;  // microseconds, one a turn

void collect(const std::vector<Record>& records, Times& times) {
    for (const Record& record : records) {
        const auto name = record.find("op");
        if (name != record.end()) times[name->second].push_back(number(record, "us"));
    }
}

// Where they ran; empty and why, if they could not.
std::string run_on_hosts(Run& run, Times& ours, Times& bare, std::string& reason) {
    if (find_program("mpiexec.hydra").empty()) {
        reason = "no mpiexec.hydra (package hydra)";
        return {};
    }
    run.progress("times between hosts");
    Command command;
    const std::string script = run.program(Side::ours, "on_hosts.py");
    command.arguments = {"python3", script, script.substr(0, script.rfind('/')),
                         run.options().quick ? "3" : "9", "times"};
    command.limit_seconds = 200;
    const Finished finished = run_command(command);
    run.end_progress();
    if (!finished.succeeded()) {
        reason = finished.last_words();
        return {};
    }
    for (const Record& record : parse_records(finished.output)) {
        const auto side = record.find("side");
        collect({record}, side != record.end() && side->second == "bare" ? bare : ours);
    }
    return "one process on each of 2 hosts made of namespaces of this machine";
}

// Without such hosts: the same by loop-back.
bool run_ours(const Run& run, Times& times, std::string& reason) {
    const Finished finished = run.job(Side::ours, 2, "times", {}, {},
                                      {{"ISTHMUS_TRANSPORT", "ofi"},
                                       {"SHMEM_SYMMETRIC_SIZE", "64M"},
                                       {"ISTHMUS_PROGRESS_PROCESSORS", "1"}});
    if (!finished.succeeded()) {
        reason = finished.last_words();
        return false;
    }
    collect(parse_records(finished.output), times);
    return true;
}

bool run_bare(const Run& run, Times& times, std::string& reason) {
    for (const char* const what : {"rma", "atomic"}) {
        Command command;
        command.arguments = {run.program(Side::ours, "bare"), what};
        const Finished finished = run_command(command);
        if (!finished.succeeded()) {
            reason = "bare libfabric: " + finished.last_words();
            return false;
        }
        collect(parse_records(finished.output), times);
    }
    return true;
}

struct Claim {
    const char* claim;
    const char* op;
    bool rate;  // bare / ours, else ours / bare
    Must must;
    double scale;  // of the value shown in the method: MB a call; 0: microseconds
};
const Claim kClaims[] = {
    {"latency of a put of 8 B with quiet", "put_quiet", false, at_most(1.10), 0},
    {"latency of a get of 8 B", "get", false, at_most(1.10), 0},
    {"latency of a fetching add, beside the provider's own", "fetch_add", false, at_most(1.10), 0},
    {"rate of puts of 8 B, 1000 and a quiet", "put_rate", true, at_least(0.9), 0},
    {"bandwidth of puts of 64 KB, each source free on return", "put_64k", true, at_least(0.95),
     65536},
    {"bandwidth of puts of 1 MB, each source free on return", "put_1m", true, at_least(0.95),
     1048576},
    {"bandwidth of puts of 64 KB, nbi", "put_nbi_64k", true, at_least(0.95), 65536},
    {"bandwidth of puts of 1 MB, nbi", "put_nbi_1m", true, at_least(0.95), 1048576},
    {"bandwidth of gets of 64 KB, nbi", "get_nbi_64k", true, at_least(0.95), 65536},
    {"bandwidth of gets of 1 MB, nbi", "get_nbi_1m", true, at_least(0.95), 1048576},
};

std::string shown(double microseconds, double bytes) {
    return bytes == 0 ? number_text(microseconds) + " us"
                      : number_text(bytes / microseconds / 1000) + " GB/s";
}

}  // namespace

void measure_far_times(Run& run) {
    Times ours, bare;
    std::string reason, where, why_not;
    if (access(run.program(Side::ours, "bare").c_str(), X_OK) != 0)
        reason = "not measured: libfabric 1.17 was not there when this was built";
    else
        where = run_on_hosts(run, ours, bare, why_not);
    if (where.empty() && reason.empty()) {
        where = "two processes on this machine, by loop-back (" + why_not + ")";
        for (Turns turns(run, "times between processes", 3, 9, 30);
             reason.empty() && turns.next();) {
            if (run_ours(run, ours, reason)) run_bare(run, bare, reason);
        }
    }
    for (const Claim& claim : kClaims) {
        Row row;
        row.claim = claim.claim;
        row.unit = claim.rate ? "x bare libfabric's" : "x bare libfabric";
        row.must = claim.must;
        row.reason = reason;
        const std::vector<double>& mine = ours[claim.op];
        const std::vector<double>& theirs = bare[claim.op];
        std::vector<double> ratios;
        for (std::size_t turn = 0; turn < std::min(mine.size(), theirs.size()); ++turn)
            ratios.push_back(claim.rate ? theirs[turn] / mine[turn] : mine[turn] / theirs[turn]);
        if (!ratios.empty() && reason.empty()) {
            row.ours = median(ratios);
            row.spread = spread_text(ratios);
            row.method = where +
                         ", tcp;ofi_rxm; median of turns: " + shown(median(mine), claim.scale) +
                         ", libfabric alone " + shown(median(theirs), claim.scale);
        }
        run.add(row);
    }
}

}  // namespace isthmus::bench
