// Barrier and reduction: instructions and time by both roads (programs/micro.c).
#include "xbgas/group.hpp"
#include "xbgas/machine.hpp"
#include "xbgas/micro.hpp"

namespace isthmus::bench {

void measure_barrier_and_reduction(Run& run) {
    SimulatedMachine machine(run);
    const int nodes = run.options().quick ? 16 : 64;
    constexpr int kCount = 20;
    struct Collective {
        const char* operation;
        int bytes;
    };
    for (const auto& [operation, bytes] :
         {Collective{"barrier", 0}, Collective{"reduce", 8}, Collective{"reduce", 512}}) {
        const std::string name =
            (bytes == 0 ? std::string("barrier")
                        : "sum of " + std::to_string(bytes) + " bytes of longs") +
            " on " + std::to_string(nodes) + " nodes";
        run.progress(name);
        const auto arguments = micro(operation, bytes, kCount);
        const auto add = [&](const char* what, const char* unit, const char* method,
                             const auto& measure) {
            Row row;
            row.claim = name + ", " + what;
            row.unit = unit;
            row.peer = kRdmaPeer;
            row.ours = measure(Road::xbgas);
            row.peer_value = measure(Road::rdma);
            if (row.peer_value) row.must = at_most(*row.peer_value);
            row.method = method;
            row.reason = machine.why_not();
            run.add(row);
        };
        add("instructions of a node", "instructions", "mean of the nodes, waiting left out",
            [&](Road road) -> std::optional<double> {
                const auto counts = machine.count(road, nodes, "micro", arguments);
                if (!counts) return {};
                return counts->communication / kCount / nodes;
            });
        add("time", "ns", "simulated time, one after the other, as node 0 sees it",
            [&](Road road) -> std::optional<double> {
                const auto timed = machine.time(road, nodes, "micro", arguments);
                if (!timed) return {};
                return timed->nanoseconds / kCount;
            });
    }
}

}  // namespace isthmus::bench
