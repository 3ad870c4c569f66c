// Opening and closing the road to the PEs that the window does not reach.
#pragma once

#include <string>

namespace isthmus {

// Collective, at initialisation and finalisation. Opening loads the transport that the settings
// name and ends the job with a message if it cannot be had; it does nothing without far PEs.
void open_road();
void close_road();
// Behind a barrier of the PEs that have closed theirs: how much came to them that was refused.
void tell_refused();
// In a forked child, which has neither the transport's thread nor its connections.
void abandon_road();
// Collective: everyone's arena can be reached from now on.
void publish_arena();
// The module of that name, of this library's version; else the job ends with a message.
void* load_road(const std::string& name);
// What the transport does and how, for people; empty without one.
const char* road_description();

}  // namespace isthmus
