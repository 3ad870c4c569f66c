// What differs between the two programs made of isthmus_sim.cpp: isthmus-sim has all nodes in one
// process, isthmus-sim-processes shares them out over the PEs of a job.
#pragma once

#include <memory>

#include "sim/hart/spread.hpp"

namespace isthmus::sim {

/// True in isthmus-sim-processes.
extern const bool kSpreads;
/// Null: this process has all nodes.
std::unique_ptr<Spread> make_spread(unsigned nodes);

}  // namespace isthmus::sim
