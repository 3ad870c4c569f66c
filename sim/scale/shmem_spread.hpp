// Spread over the PEs of a job: every PE of the library is one process of the simulation, and its
// puts carry what crosses between them.
//
// A turn is a word that the process before puts; the last one puts the outcome to all. Memory of
// another process is reached through its mailbox: whoever has the turn, and there is only one, puts
// a request there and waits for the answer in its own; the others look into their mailboxes while
// they wait.
#pragma once

#include <memory>

#include "sim/hart/spread.hpp"

namespace isthmus::sim {

/// Starts the library; nodes [0, nodes) are shared out evenly in ranges. Throws std::runtime_error
/// if there are more processes than nodes.
std::unique_ptr<Spread> make_shmem_spread(unsigned nodes);

}  // namespace isthmus::sim
