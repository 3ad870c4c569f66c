#include "xbgas/group.hpp"

namespace isthmus::bench {

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
             {"speed", measure_speed},
             {"applications", measure_applications}}};
}

}  // namespace isthmus::bench
