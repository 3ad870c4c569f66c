// The remote shell that starts an agent (agent.hpp) on another host.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "launch/options.hpp"
#include "launch/spawn.hpp"

namespace isthmus::launch {

// The words of the remote shell, to which host and command are added: the setting
// ISTHMUS_REMOTE_SHELL, else ssh so that it never asks and never waits for long.
std::vector<std::string> remote_shell();
// For one host, as it is executed. `tool`: the path of `isthmus`, the same everywhere.
std::vector<std::string> agent_command(const std::string& tool, const std::string& host);
// A line for each host: its PEs and the command.
std::string describe_remote_start(const RunOptions& options, const std::string& tool);
// The directory in which PEs start, and the names of the variables of this process that they get:
// a line each.
std::string describe_inherited(const RunOptions& options);

struct RemoteShell {
    pid_t process = -1;
    int from = -1;      // what the agent says, not blocking; the caller's from now on, as `to`
    int to = -1;        // what it is told
    std::string error;  // empty if it runs
    int status = 0;     // of the job then
};

RemoteShell start_remote_shell(const std::string& tool, const std::string& host,
                               const Inheritance& inheritance);

}  // namespace isthmus::launch
