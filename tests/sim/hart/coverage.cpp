#include "tests/sim/hart/coverage.hpp"

#include "sim/hart/execute.hpp"

namespace isthmus::sim {

template Stop run<test::Coverage>(Hart&, test::Coverage&, std::int64_t);

}  // namespace isthmus::sim
