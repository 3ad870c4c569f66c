// The keeper: a process between the launcher and the PEs that starts them, watches them and, above
// all, outlives the launcher. When the launcher dies (even by SIGKILL) the keeper sees its end of
// the control pipe close and kills everything below it; when the keeper dies, the kernel kills the
// PEs (PR_SET_PDEATHSIG) and the launcher whatever they had started. It is in a process group of
// its own, so that neither Ctrl-C nor a kill of the whole group reaches it.
#pragma once

#include <cstdint>

#include "launch/options.hpp"
#include "launch/program.hpp"
#include "launch/spawn.hpp"

namespace isthmus::launch {

// What the launcher sends through the control pipe for each signal it gets.
struct ControlMessage {
    std::uint8_t signal;
    // The terminal sent it, to the whole foreground group: the PEs have it already.
    std::uint8_t from_terminal;
};

// Runs the job to its end and returns its exit status. In the keeper process; `control` is the
// reading end of the pipe.
int keep_job(const RunOptions& options, const Program& program, const Inheritance& inheritance,
             int control);

}  // namespace isthmus::launch
