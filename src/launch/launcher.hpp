// `isthmus run`: the process that the user sees.
#pragma once

#include "launch/options.hpp"

namespace isthmus::launch {

// Runs the job and returns its exit status; prints what goes wrong.
int run_job(const RunOptions& options);

// `isthmus run ARGUMENTS` with all its output; `name` is "isthmus run" or "oshrun";
// `library_folder` that of libisthmus.so; `tool` the path of `isthmus`.
int run_command(const std::string& name, const std::vector<std::string>& arguments,
                const std::string& library_folder, const std::string& tool);

}  // namespace isthmus::launch
