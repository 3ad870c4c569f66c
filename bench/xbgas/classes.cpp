// The benchmarks at sizes that others have published, where more computing stands beside the
// communication than at those of applications.cpp.
#include "harness/statistics.hpp"
#include "xbgas/group.hpp"
#include "xbgas/machine.hpp"
#include "xbgas/share.hpp"

namespace isthmus::bench {
namespace {

struct Benchmark {
    const char* name;
    const char* program;
    std::vector<std::string> arguments;
    const char* size;  // of all nodes together, unless it says so
    bool long_run = false;
};

const Benchmark kBenchmarks[] = {
    {"NAS IS, class S", "nas_is", {}, "2^16 keys below 2^11, ranked ten times"},
    {"NAS CG, class S", "nas_cg", {}, "1400 rows, 15 times 25 iterations", true},
    {"NAS MG, class S", "nas_mg", {}, "32 x 32 x 32 points, 4 cycles"},
    {"NAS EP, class S", "nas_ep", {}, "2^24 pairs", true},
    {"SSCA#1, SCALE 22",
     "ssca1_long",
     {"--count", "2048"},
     "two sequences of 2^11, on 64 nodes; gaps cost the same wherever they are",
     true},
    {"GUPS, four updates a word",
     "gups",
     {"--count", "16384"},
     "as HPCC RandomAccess has it, 4096 words of each node"},
    {"gather, 10240 words",
     "scatter",
     {"--gather", "1", "--count", "10240"},
     "of each node, as the xBGAS project's own program"},
    {"scatter, 10240 words",
     "scatter",
     {"--count", "10240"},
     "of each node, as the xBGAS project's own program"}};

}  // namespace

void measure_classes(Run& run) {
    SimulatedMachine machine(run);
    const int nodes = run.options().quick ? 16 : 64;
    const std::string where = std::to_string(nodes) + " nodes";
    std::vector<double> all;
    std::size_t expected = 0;
    for (const Benchmark& b : kBenchmarks) {
        if (run.options().quick && b.long_run) continue;
        ++expected;
        run.progress(std::string(b.name) + " on " + where);
        const auto ours = machine.time(Road::xbgas, nodes, b.program, b.arguments);
        const auto theirs = machine.time(Road::rdma, nodes, b.program, b.arguments);
        Row row;
        row.claim = std::string(b.name) + ", run time saved";
        row.unit = "%";
        row.peer = kRdmaPeer;
        row.reason = machine.why_not();
        row.figure = "Run time saved at published sizes";
        row.series = "against the RDMA NIC";
        row.category = b.name;
        row.must = at_least(0);
        row.method = where + "; " + b.size;
        if (ours && theirs) {
            row.ours = saved(ours->nanoseconds, theirs->nanoseconds);
            row.method += "; " + number_text(ours->nanoseconds / 1e3) + " and " +
                          number_text(theirs->nanoseconds / 1e3) + " us simulated";
            all.push_back(*row.ours);
        }
        run.add(row);
    }
    Row row;
    row.claim = "run time saved, mean at published sizes";
    row.unit = "%";
    row.must = at_least(21.96);
    row.peer = "paper, against OpenSHMEM";
    row.peer_value = 21.96;
    row.reason = machine.why_not();
    row.figure = "Run time saved at published sizes";
    row.series = "against the RDMA NIC";
    row.category = "mean";
    row.method =
        "beside the mean of the small sizes (figure 7), which flatter; the paper says neither its "
        "classes nor its sizes";
    if (all.size() == expected) row.ours = mean(all);
    run.add(row);
}

}  // namespace isthmus::bench
