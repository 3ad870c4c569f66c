// Gets that overlap: word after word, eight loads before the first is used, and get_nbi with one
// quiet, on both roads, with more and more of them under way.
#include "xbgas/group.hpp"
#include "xbgas/machine.hpp"
#include "xbgas/share.hpp"

namespace isthmus::bench {
namespace {

struct Program {
    const char* name;
    const char* program;
    std::vector<std::string> blocking, overlapping;
};

const Program kPrograms[] = {
    {"gather", "scatter", {"--gather", "1"}, {"--gather", "3"}},
    {"random get", "random", {"--get", "1"}, {"--get", "2"}},
    {"GUPS", "gups", {}, {}},  // its updates are posted on both roads as they are
    {"IS", "is", {}, {}},      // its puts, too
    {"CG", "cg", {}, {"--nbi", "1"}},
    {"SSCA#1", "ssca1", {}, {}},
};

std::string under_way(const char* parameter, int most) {
    return std::string(parameter) + "=" + std::to_string(most);
}

void add_time(Run& run, SimulatedMachine& machine, const std::string& claim,
              std::optional<Timed> ours, std::optional<Timed> theirs, bool must_win,
              const std::string& method, const char* series = "", double x = 0) {
    Row row;
    row.claim = claim;
    row.unit = "ns";
    row.peer = kRdmaPeer;
    row.reason = machine.why_not();
    row.method = method;
    if (*series != '\0') {
        row.figure = "Time of a gather by operations under way";
        row.series = series;
        row.x = x;
    }
    if (ours) row.ours = ours->nanoseconds;
    if (theirs) row.peer_value = theirs->nanoseconds;
    if (must_win && theirs) row.must = at_most(theirs->nanoseconds);
    run.add(row);
}

}  // namespace

void measure_overlap(Run& run) {
    SimulatedMachine machine(run);
    const int nodes = run.options().quick ? 16 : 64;
    const std::string where = " on " + std::to_string(nodes) + " nodes";
    for (const auto& [name, program, blocking, overlapping] : kPrograms) {
        run.progress(std::string(name) + ", blocking and not" + where);
        const bool alike = blocking == overlapping;
        const auto one = machine.time(Road::xbgas, nodes, program, blocking);
        const auto one_there = machine.time(Road::rdma, nodes, program, blocking);
        if (!alike)
            add_time(run, machine, std::string(name) + where + ", blocking, time", one, one_there,
                     true, "simulated; each get complete before the next");
        const auto many = alike ? one : machine.time(Road::xbgas, nodes, program, overlapping);
        const auto many_there =
            alike ? one_there : machine.time(Road::rdma, nodes, program, overlapping);
        add_time(run, machine, std::string(name) + where + ", non-blocking, time", many, many_there,
                 true,
                 alike ? "simulated; its transfers are posted on both roads as the program is"
                       : "simulated; get_nbi, one quiet");
    }
    // How many may be under way: the NIC's operations for get_nbi, the core's loads for registers.
    for (const int most : {1, 2, 4, 8, 16, 32}) {
        if (run.options().quick && most != 1 && most != 16) continue;
        const std::string so_many = std::to_string(most) + " under way";
        run.progress("gather with " + so_many);
        const auto time = [&](Road road, const char* way, const char* parameter) {
            std::vector<std::string> options = {"--set", under_way(parameter, most)};
            if (most > 16) options.insert(options.end(), {"--set", "nic.outstanding=32"});
            return machine.time(road, nodes, "scatter", {"--gather", way}, options);
        };
        add_time(run, machine, "gather" + where + " by get_nbi, " + so_many + ", time",
                 time(Road::xbgas, "3", "nic.outstanding"),
                 time(Road::rdma, "3", "nic.outstanding"), false,
                 "nic.outstanding, on both sides; 16 on the default machine", "get_nbi", most);
        add_time(run, machine, "gather" + where + " by eight loads, " + so_many + ", time",
                 time(Road::xbgas, "2", "core.remote_loads"),
                 time(Road::rdma, "2", "core.remote_loads"), false,
                 "core.remote_loads; 1 on the default machine, the paper's. Eight gets in a row "
                 "before the first is used; the NIC's gets wait one by one",
                 "eight loads", most);
    }
    // Compare-and-swap, corner to corner.
    const auto swap = [&](Road road) {
        return machine.time(road, nodes, "micro",
                            {"--operation", "compare_swap", "--bytes", "8", "--count", "100"});
    };
    run.progress("compare-and-swap, corner to corner");
    const auto ours = swap(Road::xbgas), theirs = swap(Road::rdma);
    add_time(run, machine, "100 compare-and-swaps corner to corner" + where + ", time", ours,
             theirs, true, "simulated; one after the other, node 0 at the last one");
    Row trips;
    trips.claim = "trips of a compare-and-swap";
    trips.unit = "trips";
    trips.must = at_most(1.0);
    trips.reason = machine.why_not();
    trips.method =
        "remote atomics of node 0 for each compare-and-swap, counted by its NIC (elr and esc took "
        "two)";
    if (ours)
        trips.ours = ours->report["nodes"][0]["nic"]["operations"]["atomic"].get<double>() / 100;
    run.add(trips);
}

}  // namespace isthmus::bench
