// Which process manager started this process, from what it left in the environment.
#pragma once

#include <memory>
#include <string>

#include "core/job/exchange.hpp"

namespace isthmus {

// The manager of the launcher that started this process; null if there is none. `why` says so if
// there is one that cannot be used.
std::unique_ptr<Exchange> find_exchange(std::string& why);

// What the environment alone says, before anything is opened. By PMI-1 the manager is spoken with
// at once; PMIx loads a module, and starts threads.
bool is_launched_by_pmi1();
// The rank, or -1.
int launched_rank();
// Processes that the environment speaks of, or 0 if it does not say.
int launched_size();
// What starts a program may have closed the file that leads there; empty: it has not.
std::string why_manager_is_cut_off();

}  // namespace isthmus
