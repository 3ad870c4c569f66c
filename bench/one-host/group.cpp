#include "one-host/group.hpp"

namespace isthmus::bench {
namespace {

std::vector<std::string> missing(const Run& run) {
    std::vector<std::string> lines;
    if (!run.has_peer())
        lines.push_back(std::string(Run::peer_name()) + ": " + run.peer_note() +
                        "; rows whose bound is what it does (times, bandwidth against the peer, "
                        "collectives) do not hold");
    if (run.options().counts && find_program("valgrind").empty())
        lines.push_back("instructions: no valgrind (package valgrind); its rows do not hold");
    return lines;
}

}  // namespace

Group one_host() {
    return {"one-host",
            "PEs that reach each other's memory: instructions, times, bandwidth, start-up, memory",
            {{"counts", measure_counts},
             {"times", measure_times},
             {"bandwidth", measure_bandwidth},
             {"gups", measure_gups},
             {"collectives", measure_collectives},
             {"startup", measure_startup},
             {"memory", measure_memory}},
            missing};
}

}  // namespace isthmus::bench
