#include "sim/hart/execute.hpp"

namespace isthmus::sim {

template Stop run<NoObserver>(Hart&, NoObserver&, std::int64_t);

}  // namespace isthmus::sim
