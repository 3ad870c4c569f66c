// RVFI, the RISC-V Formal Interface: what its ports say of a retirement, as a record.
#pragma once

#include "sim/step/comparison.hpp"

namespace isthmus::sim {

/// The access that the masks describe, aligned or not: its reads are those of `mem_rmask`.
isthmus_step_access rvfi_read(const isthmus_rvfi& core);

/// Steps and compares. Throws std::runtime_error if the hart waits for a remote value.
unsigned check_rvfi(SteppedHart& hart, Comparison& comparison, const isthmus_rvfi& core);

}  // namespace isthmus::sim
