// Handles of GASNet-1 and events of GASNet-EX, which are one: a word that tells what it stands for.
#pragma once

#include "api/gasnet/exchange.hpp"
#include "core/reach/handle.hpp"

namespace isthmus::gasnet::events {

gasnet_handle_t of(far::Handle& handle);
far::Handle& handle_of(gasnet_handle_t event);
// The collective is the event's from now on, made by new.
gasnet_handle_t of(isthmus_gasnet_collective* collective);
// Local completion of what has this event, which is valid and not complete: seen with the whole of
// it, and nothing to be consumed.
gasnet_handle_t leaf_of(gasnet_handle_t root);

// Whether it is complete; then it is gone.
bool test(gasnet_handle_t event);
// Until it is, for the call that polls, is refused by this name and noted as a routine that stall
// reports know. An invalid one is complete.
void wait(gasnet_handle_t event, const char* routine, Routine noted);

}  // namespace isthmus::gasnet::events
