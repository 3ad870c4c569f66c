#include "sfi/group.hpp"

#include <unistd.h>

namespace isthmus::bench {
namespace {

std::vector<std::string> missing(const Run& run) {
    std::vector<std::string> lines;
    if (access(run.program(Side::ours, "bare").c_str(), X_OK) != 0)
        lines.emplace_back(
            "anything: libfabric 1.17 was not there when this was built (package libfabric-dev); "
            "no "
            "row holds");
    if (find_program("mpiexec.hydra").empty())
        lines.emplace_back(
            "times between hosts: no mpiexec.hydra (package mpich); start-up and barrier do not "
            "hold, times are those of loop-back");
    return lines;
}

}  // namespace

Group sfi() {
    return {"sfi",
            "PEs of several hosts: instructions down to libfabric's provider, and times beside "
            "libfabric alone",
            {{"counts", measure_far_counts},
             {"times", measure_far_times},
             {"messages", measure_far_messages},
             {"active", measure_active_messages},
             {"barrier", measure_far_barrier},
             {"startup", measure_far_startup}},
            missing};
}

}  // namespace isthmus::bench
