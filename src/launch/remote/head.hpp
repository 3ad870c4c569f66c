// The launcher's side of a job on several hosts that it starts itself: a remote shell for each
// host, and at its other end an agent (agent.hpp).
#pragma once

#include <string>
#include <vector>

#include "launch/options.hpp"

namespace isthmus::launch {

// The words of the remote shell, to which host and command are added: the setting
// ISTHMUS_REMOTE_SHELL, else ssh so that it never asks and never waits for long.
std::vector<std::string> remote_shell();
// For one host, as it is executed. `tool`: the path of `isthmus`, the same everywhere.
std::vector<std::string> agent_command(const std::string& tool, const std::string& host);
// A line for each host: its PEs and the command.
std::string describe_remote_start(const RunOptions& options, const std::string& tool);

// Runs the job to its end and returns its exit status.
int run_on_hosts(const RunOptions& options, const std::string& tool);

}  // namespace isthmus::launch
