// Claims about the native interface, and the figures and tables of the paper that it follows (the
// asynchronous one-sided engine of a manycore processor, ESTIMedia 2017), with our column beside
// the paper's. docs/benchmarks.md says what each family measures and how.
#pragma once

#include "harness/run.hpp"

namespace isthmus::bench {

Group aos();

// The families, one file each. measure_transfers also reproduces Fig. 2, Fig. 3 and Table 1,
// measure_aos_atomics Fig. 4, measure_queues Table 2.
void measure_aos_counts(Run& run);
void measure_transfers(Run& run);
void measure_queues(Run& run);
void measure_irregular(Run& run);
void measure_aos_atomics(Run& run);

inline constexpr const char* kPaper = "MPPA2 (paper)";

// True if this machine can run a PE on a core of its own each.
bool has_cores_for(int pes);
// A cell of the paper that this machine cannot fill.
Row waiting_row(std::string claim, const char* unit, std::optional<double> paper);

// Records of a program of this group, appended; `reason` if it failed.
void append_records(const Run& run, int pes, const std::string& name,
                    const std::vector<std::string>& arguments, std::vector<Record>& records,
                    std::string& reason);

// Text of a field, or empty.
std::string field(const Record& record, const std::string& key);

}  // namespace isthmus::bench
