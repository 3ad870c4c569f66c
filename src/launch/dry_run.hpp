// What --dry-run shows of a job beside who starts which program where.
#pragma once

#include <string>
#include <vector>

#include "launch/options.hpp"

namespace isthmus::launch {

// The options that a job has which we start ourselves, and the variables that it gets: a line each,
// if there are any.
std::string describe_settings(const RunOptions& options);

// What to type for another launcher's command with the variables that it is given.
std::vector<std::string> with_variables(const std::vector<std::string>& environment,
                                        const std::vector<std::string>& command);

}  // namespace isthmus::launch
