// Counting instructions: a group's program `counts` puts each call to be counted into a function of
// its own, named probe_*. Callgrind counts while that function runs and dumps a total each time it
// is left.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "harness/run.hpp"

namespace isthmus::bench {

// Totals of each probe, one a call, without those of the warm-up.
using ProbeTotals = std::map<std::string, std::vector<double>>;

// Calls of each probe that the program makes before those that count.
inline constexpr std::size_t kWarmCalls = 3;

// Runs the program `counts` of the group on `pes` PEs, all under callgrind, which counts in PE 0
// alone: a PE under valgrind and one that is not would not be taken for the same executable. Empty
// if that failed; `reason` then says why.
ProbeTotals count_probes(const Run& run, Side side, const std::vector<std::string>& probes,
                         std::string& reason, int pes = 2);

}  // namespace isthmus::bench
