// Operations that overlap, on both roads, with more and more of them under way: each complete
// before the next, eight loads before the first is used, and posted with one quiet.
#include "xbgas/group.hpp"
#include "xbgas/machine.hpp"
#include "xbgas/micro.hpp"

namespace isthmus::bench {
namespace {

struct Program {
    const char* name;
    const char* program;
    std::vector<std::string> blocking, overlapping;
    const char* how;                 // the two, in words
    std::vector<std::string> loads;  // with loads that the core may have under way; empty: none
};

constexpr const char* kGets = "get by get; get_nbi and one quiet";
const Program kPrograms[] = {
    {"gather", "scatter", {"--gather", "1"}, {"--gather", "3"}, kGets, {"--gather", "2"}},
    {"random get", "random", {"--get", "1"}, {"--get", "2"}, kGets, {"--get", "3"}},
    {"GUPS", "gups", {"--each", "1"}, {}, "a quiet behind each update; one barrier", {}},
    {"IS", "is", {}, {"--nbi", "1"}, "put by put; put_nbi and one barrier", {}},
    {"CG", "cg", {"--nbi", "0"}, {"--nbi", "1"}, kGets, {"--nbi", "0"}},
    {"SSCA#1", "ssca1", {}, {"--nbi", "1"}, "put_signal; put_signal_nbi", {}},
};

// Where a row is drawn.
struct Place {
    std::string figure, series;
    double x = 0;
    std::string category;
};

void add_time(Run& run, SimulatedMachine& machine, const std::string& claim,
              const std::optional<Timed>& ours, const std::optional<Timed>& theirs, bool must_win,
              const std::string& method, const Place& place = {}) {
    Row row;
    row.claim = claim;
    row.unit = "ns";
    row.peer = kRdmaPeer;
    row.reason = machine.why_not();
    row.method = method;
    row.figure = place.figure;
    row.series = place.series;
    row.x = place.x;
    row.category = place.category;
    if (ours) row.ours = ours->nanoseconds;
    if (theirs) row.peer_value = theirs->nanoseconds;
    if (must_win && theirs) row.must = at_most(theirs->nanoseconds);
    run.add(row);
}

// How many may be under way: the NIC's operations for what is posted, the core's loads for
// registers.
void sweep(Run& run, SimulatedMachine& machine, int nodes, const Program& p) {
    const std::string figure = std::string("Time by operations under way: ") + p.name;
    const std::string claim = std::string(p.name) + " on " + std::to_string(nodes) + " nodes, ";
    const bool used_at_once = p.loads == p.blocking;
    // The NIC's gets wait one by one, however many loads a core may have under way.
    std::optional<Timed> one_by_one;
    if (!p.loads.empty()) one_by_one = machine.time(Road::rdma, nodes, p.program, p.loads);
    for (const int most : {1, 2, 4, 8, 16}) {
        if (run.options().quick && most != 1 && most != 16) continue;
        const std::string so_many = std::to_string(most) + " under way";
        run.progress(claim + so_many);
        const auto time = [&](Road road, const char* parameter,
                              const std::vector<std::string>& arguments) {
            return machine.time(road, nodes, p.program, arguments,
                                {"--set", std::string(parameter) + "=" + std::to_string(most)});
        };
        add_time(run, machine, claim + "posted, " + so_many + ", time",
                 time(Road::xbgas, "nic.outstanding", p.overlapping),
                 time(Road::rdma, "nic.outstanding", p.overlapping), false,
                 "nic.outstanding, on both sides; 16 on the default machine",
                 {figure, "posted", static_cast<double>(most), ""});
        if (p.loads.empty()) continue;
        add_time(run, machine, claim + "by loads, " + so_many + ", time",
                 time(Road::xbgas, "core.remote_loads", p.loads), one_by_one, false,
                 std::string("core.remote_loads; 1 on the default machine, the paper's. ") +
                     (used_at_once ? "Each load is used at once"
                                   : "Eight gets in a row before the first is used") +
                     "; the NIC's gets wait one by one",
                 {figure, "loads", static_cast<double>(most), ""});
    }
}

}  // namespace

void measure_overlap(Run& run) {
    SimulatedMachine machine(run);
    const int nodes = run.options().quick ? 16 : 64;
    const std::string where = " on " + std::to_string(nodes) + " nodes";
    for (const Program& p : kPrograms) {
        const std::string name = p.name + where;
        run.progress(name + ", blocking and not");
        const auto time = [&](Road road, const std::vector<std::string>& arguments) {
            return machine.time(road, nodes, p.program, arguments);
        };
        add_time(run, machine, name + ", blocking, time", time(Road::xbgas, p.blocking),
                 time(Road::rdma, p.blocking), true,
                 std::string("simulated; the first of: ") + p.how);
        add_time(run, machine, name + ", non-blocking, time", time(Road::xbgas, p.overlapping),
                 time(Road::rdma, p.overlapping), true,
                 std::string("simulated; the second of: ") + p.how);
    }
    for (const Program& p : kPrograms)
        sweep(run, machine, nodes, p);
    // One operation after the other, corner to corner: figure 3's other column.
    std::optional<Timed> swaps;
    for (const WordOperation& operation : kWordOperations) {
        const std::string claim = operation.claim;
        run.progress(claim + ", corner to corner");
        const auto time = [&](Road road) {
            return machine.time(road, nodes, "micro", micro(operation.name, 8, 100, true));
        };
        const auto ours = time(Road::xbgas);
        if (std::string(operation.name) == "compare_swap") swaps = ours;
        add_time(run, machine, "100 times " + claim + " corner to corner" + where + ", time", ours,
                 time(Road::rdma), true,
                 "simulated; node 0 at the last one, each complete before the next",
                 {"Time of 100 operations on 8 bytes, corner to corner", "xBGAS", 0,
                  operation.category});
    }
    for (const char* const operation : {"min", "max"}) {
        run.progress(std::string("atomic ") + operation + ", corner to corner");
        const std::vector<std::string> arguments = {"--operation", operation, "--count", "100"};
        const std::string claim = std::string("8-byte atomic ") + operation;
        constexpr const char* kNone =
            "by xbrtime, as OpenSHMEM has none; the NIC has none either and reads, compares and "
            "swaps";
        const auto count = [&](Road road) -> std::optional<double> {
            const auto counts = machine.count(road, nodes, "extremes", arguments);
            if (!counts) return {};
            return counts->communication / 100;
        };
        Row row;
        row.claim = claim + ", instructions";
        row.unit = "instructions";
        row.peer = kRdmaPeer;
        row.ours = count(Road::xbgas);
        row.peer_value = count(Road::rdma);
        if (row.peer_value) row.must = at_most(*row.peer_value);
        row.reason = machine.why_not();
        row.method = std::string("without the arguments; ") + kNone;
        run.add(row);
        add_time(run, machine, "100 times " + claim + " corner to corner" + where + ", time",
                 machine.time(Road::xbgas, nodes, "extremes", arguments),
                 machine.time(Road::rdma, nodes, "extremes", arguments), true,
                 std::string("simulated; node 0 at the last one; ") + kNone);
    }
    Row trips;
    trips.claim = "trips of a compare-and-swap";
    trips.unit = "trips";
    trips.must = at_most(1.0);
    trips.reason = machine.why_not();
    trips.method =
        "remote atomics of node 0 for each compare-and-swap, counted by its NIC (elr and esc took "
        "two)";
    if (swaps)
        trips.ours = swaps->report["nodes"][0]["nic"]["operations"]["atomic"].get<double>() / 100;
    run.add(trips);
}

}  // namespace isthmus::bench
