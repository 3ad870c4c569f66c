#include "xbgas/group.hpp"

namespace isthmus::bench {
namespace {

std::vector<std::string> missing(const Run& run) {
    std::vector<std::string> lines;
    if (!run.has_peer())
        lines.push_back(std::string(Run::peer_name()) + ": " + run.peer_note() +
                        "; the family oshmem is not measured");
    for (const char* const program : {"spike", "qemu-riscv64"}) {
        if (find_program(program).empty())
            lines.push_back(std::string(program) + ", which is not on the PATH");
    }
    return lines;
}

}  // namespace

Group xbgas() {
    return {"xbgas",
            "the xBGAS machine against the same nodes with an RDMA NIC, and the paper's figures",
            {{"operations", measure_operation_counts},
             {"sizes", measure_put_by_size},
             {"latency", measure_software_share},
             {"broadcast", measure_broadcast},
             {"collectives", measure_barrier_and_reduction},
             {"oshmem", measure_against_oshmem},
             {"messages", measure_message_format},
             {"figures", measure_figures},
             {"overlap", measure_overlap},
             {"speed", measure_speed},
             {"applications", measure_applications},
             {"classes", measure_classes},
             {"sensitivity", measure_sensitivity}},
            missing};
}

}  // namespace isthmus::bench
