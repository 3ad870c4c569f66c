#include "one-host/group.hpp"

namespace isthmus::bench {

Group one_host() {
    return {"one-host",
            "PEs that reach each other's memory: instructions, times, bandwidth, start-up, memory",
            {{"counts", measure_counts},
             {"times", measure_times},
             {"bandwidth", measure_bandwidth},
             {"gups", measure_gups},
             {"collectives", measure_collectives},
             {"startup", measure_startup},
             {"memory", measure_memory}}};
}

}  // namespace isthmus::bench
