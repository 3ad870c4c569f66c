// Who is on the road: for the handler of faults, where the road's own thread has one.
#pragma once

#include <pthread.h>

namespace isthmus::far {

// Whether one of the program's threads alone is in a call that is marked (core/job/road.hpp), and
// which; in checked mode. May be a moment old: that thread is to ask is_marked().
bool find_only_thread_on_road(pthread_t& thread);

}  // namespace isthmus::far
