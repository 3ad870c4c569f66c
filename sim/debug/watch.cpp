#include "sim/debug/watch.hpp"

#include "sim/hart/execute.hpp"

namespace isthmus::sim {

template Stop run<WatchObserver>(Hart&, WatchObserver&, std::int64_t);

}  // namespace isthmus::sim
