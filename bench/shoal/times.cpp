// Times between two PEs on two hosts made of namespaces, beside a program of sockets alone, in
// turns, since the machine's moods are larger than what is compared.
#include <unistd.h>

#include "harness/statistics.hpp"
#include "shoal/group.hpp"

namespace isthmus::bench {
namespace {

using Times = std::map<std::string, std::vector<double>>;  // microseconds, one a turn

struct Measured {
    Times ours, bare;
    std::string reason;  // why there is nothing; else empty
};

Measured measure(const Run& run, const std::string& count, const std::string& what) {
    Measured measured;
    if (access(run.program(Side::ours, "bare").c_str(), X_OK) != 0) {
        measured.reason = "not measured: libsodium was not there when this was built";
        return measured;
    }
    if (find_program("mpiexec.hydra").empty()) {
        measured.reason = "no mpiexec.hydra (package mpich)";
        return measured;
    }
    run.progress("packets between hosts, " + what);
    Command command;
    const std::string script = run.program(Side::ours, "on_two_hosts.py");
    command.arguments = {"python3", script, script.substr(0, script.rfind('/')), count, what};
    command.limit_seconds = 400;
    const Finished finished = run_command(command);
    run.end_progress();
    if (!finished.succeeded()) {
        measured.reason = finished.last_words();
        return measured;
    }
    for (const Record& record : parse_records(finished.output)) {
        const auto name = record.find("op");
        const auto side = record.find("side");
        if (name == record.end() || side == record.end()) continue;
        (side->second == "bare" ? measured.bare : measured.ours)[name->second].push_back(
            number(record, "us"));
    }
    return measured;
}

struct Claim {
    const char* claim;
    const char* op;
    const char* bare;
    Must must;
    double bytes;  // of a message of a stream; 0: a round trip, ours / bare
};
constexpr Must kNone{};
const Claim kClaims[] = {
    {"a word there and back, both waiting", "round_trip", "round_trip", at_most(1.25), 0},
    {"the same, beside sockets that poll", "round_trip", "round_trip_polling", kNone, 0},
    {"a get of 8 B from a PE that sleeps", "get", "round_trip", at_most(1.25), 0},
    {"a fetching add at a PE that sleeps", "fetch_add", "round_trip", kNone, 0},
    {"stream of 4 KB, each source free on return", "stream_4k", "stream_4k", at_least(0.9), 4096},
    {"stream of 64 KB, each source free on return", "stream_64k", "stream_64k", at_least(0.9),
     65536},
    {"stream of 4 KB, nbi", "stream_nbi_4k", "stream_4k", at_least(0.9), 4096},
    {"stream of 64 KB, nbi", "stream_nbi_64k", "stream_64k", at_least(0.9), 65536},
};

std::string shown(double microseconds, double bytes) {
    return bytes == 0 ? number_text(microseconds) + " us"
                      : number_text(bytes / microseconds / 1000) + " GB/s";
}

// `how`: what the claims say beside their names.
void measure_packets(Run& run, const std::string& protocol, const std::string& name,
                     const std::string& how = "") {
    Measured measured = measure(run, run.options().quick ? "3" : "9", protocol);
    for (const Claim& claim : kClaims) {
        Row row;
        row.claim = claim.claim + how;
        row.unit = "x bare " + name + (claim.bytes != 0 ? "'s" : "");
        row.must = claim.must;
        row.reason = measured.reason;
        const std::vector<double>& mine = measured.ours[claim.op];
        const std::vector<double>& theirs = measured.bare[claim.bare];
        std::vector<double> ratios;
        for (std::size_t turn = 0; turn < std::min(mine.size(), theirs.size()); ++turn)
            ratios.push_back(claim.bytes != 0 ? theirs[turn] / mine[turn]
                                              : mine[turn] / theirs[turn]);
        if (!ratios.empty() && measured.reason.empty()) {
            row.ours = median(ratios);
            row.spread = spread_text(ratios);
            row.method =
                "one PE on each of 2 hosts made of namespaces of this machine; median of turns: " +
                shown(median(mine), claim.bytes) + ", sockets alone " +
                shown(median(theirs), claim.bytes);
        }
        run.add(row);
    }
}

}  // namespace

void measure_packets_by_tcp(Run& run) {
    measure_packets(run, "tcp", "TCP");
}

void measure_packets_without_hashes(Run& run) {
    measure_packets(run, "tcp-bare", "TCP", ", not hashed");
}

void measure_packets_by_udp(Run& run) {
    measure_packets(run, "udp", "UDP");
}

void measure_idle_node(Run& run) {
    const Measured measured = measure(run, run.options().quick ? "5" : "20", "idle");
    Row row;
    row.claim = "what a PE with nothing to do uses of a core";
    row.unit = "%";
    row.must = at_most(0.1);
    row.reason = measured.reason;
    const auto found = measured.ours.find("idle");
    if (found != measured.ours.end() && measured.reason.empty()) {
        // Microseconds a second, of the PE that uses more.
        row.ours = *std::max_element(found->second.begin(), found->second.end()) / 1e4;
        row.method = "the program sleeps; user and system time of the process";
    }
    run.add(row);
}

}  // namespace isthmus::bench
