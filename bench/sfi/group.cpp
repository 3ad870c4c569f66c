#include "sfi/group.hpp"

namespace isthmus::bench {

Group sfi() {
    return {"sfi",
            "PEs of several hosts: instructions down to libfabric's provider, and times beside "
            "libfabric alone",
            {{"counts", measure_far_counts},
             {"times", measure_far_times},
             {"messages", measure_far_messages},
             {"barrier", measure_far_barrier},
             {"startup", measure_far_startup}},
            false};
}

}  // namespace isthmus::bench
