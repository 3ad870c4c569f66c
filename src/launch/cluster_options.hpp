// What a description of a cluster means for a job: hosts, PEs and settings.
#pragma once

#include <string>

#include "launch/cluster.hpp"
#include "launch/options.hpp"

namespace isthmus::launch {

// Sets hosts, pes and environment; what the user has set by --env stays. Returns what is wrong, or
// nothing.
std::string apply_cluster(const Cluster& cluster, RunOptions& options);

// A line a node, and one for what is between them; for --dry-run.
std::string describe(const Cluster& cluster);

}  // namespace isthmus::launch
