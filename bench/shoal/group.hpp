// Claims about packets between two hosts, beside sockets alone in the same run; and about kernels.
#pragma once

#include "harness/run.hpp"

namespace isthmus::bench {

Group shoal();

// times.cpp
void measure_packets_by_tcp(Run& run);
void measure_packets_without_hashes(Run& run);
void measure_packets_by_udp(Run& run);
void measure_idle_node(Run& run);
// jacobi.cpp
void measure_jacobi(Run& run);

}  // namespace isthmus::bench
