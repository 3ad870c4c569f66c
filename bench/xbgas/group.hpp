// The claims about the xBGAS machine: what its instructions save against the RDMA NIC on the same
// simulated nodes, and what the paper states beside it.
#pragma once

#include "harness/run.hpp"

namespace isthmus::bench {

Group xbgas();

// operations.cpp
void measure_operation_counts(Run& run);
void measure_put_by_size(Run& run);
void measure_software_share(Run& run);
void measure_broadcast(Run& run);
void measure_message_format(Run& run);
// figures.cpp
void measure_figures(Run& run);
// collectives.cpp
void measure_barrier_and_reduction(Run& run);
// native.cpp
void measure_against_oshmem(Run& run);
// speed.cpp
void measure_speed(Run& run);
// overlap.cpp
void measure_overlap(Run& run);
// sensitivity.cpp
void measure_sensitivity(Run& run);
// classes.cpp
void measure_classes(Run& run);
// applications.cpp
void measure_applications(Run& run);

}  // namespace isthmus::bench
