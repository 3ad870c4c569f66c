#include "sim/timing/hart_view.hpp"

#include "sim/hart/execute.hpp"

namespace isthmus::sim {

template Stop run<TimingObserver>(Hart&, TimingObserver&, std::int64_t);

}  // namespace isthmus::sim
