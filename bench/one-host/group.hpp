// Claims about PEs of one host: docs/benchmarks.md says what each family measures and how.
#pragma once

#include "harness/run.hpp"

namespace isthmus::bench {

Group one_host();

// The families, one file each.
void measure_counts(Run& run);
void measure_times(Run& run);
void measure_bandwidth(Run& run);
void measure_gups(Run& run);
void measure_collectives(Run& run);
void measure_startup(Run& run);
void measure_memory(Run& run);

// Against the peer a value may be worse by this much, the spread of two runs of the same program.
inline constexpr double kTie = 0.03;

}  // namespace isthmus::bench
