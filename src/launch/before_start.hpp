// What would stop a job at its start, and can be told before: by a dry run, and before PEs are
// started on other hosts.
#pragma once

#include <string>

#include "launch/options.hpp"

namespace isthmus::launch {

// The first setting, in the environment or among options.environment, that no PE would take; empty
// if there is none. What depends on the host of a PE is left to that.
std::string problem_of_settings(const RunOptions& options);

// The same of ISTHMUS_TRANSPORT and ISTHMUS_NODES, as shmem_init judges them: the roads lie in
// `library_folder`. Which of several hosts a PE runs on nobody knows yet.
std::string problem_of_roads(const RunOptions& options, const std::string& library_folder);

// ISTHMUS_DETECT_SECONDS, as the PEs take it.
double detect_seconds(const RunOptions& options);

// Makes the directory of --split, and what it lies in; `keep` false: only tries, and takes away
// what it has made. Why it cannot be made, or nothing.
std::string make_split_directory(const std::string& path, bool keep);

}  // namespace isthmus::launch
