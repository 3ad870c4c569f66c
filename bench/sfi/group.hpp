// Claims about PEs of several hosts, over libfabric: what the layer above it costs, and what the
// paper states beside it.
#pragma once

#include "harness/run.hpp"

namespace isthmus::bench {

Group sfi();

// counts.cpp
void measure_far_counts(Run& run);
// times.cpp
void measure_far_times(Run& run);
// messages.cpp
void measure_far_messages(Run& run);
// active_messages.cpp
void measure_active_messages(Run& run);
// barrier.cpp
void measure_far_barrier(Run& run);
// startup.cpp
void measure_far_startup(Run& run);

}  // namespace isthmus::bench
