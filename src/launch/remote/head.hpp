// The launcher's side of a job on several hosts that it starts itself: a remote shell (shell.hpp)
// for each host, and at its other end an agent (agent.hpp).
#pragma once

#include <string>

#include "launch/options.hpp"

namespace isthmus::launch {

// Runs the job to its end and returns its exit status.
int run_on_hosts(const RunOptions& options, const std::string& tool);

}  // namespace isthmus::launch
