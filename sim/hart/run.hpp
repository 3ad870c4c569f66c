// Runs a hart under an observer. The loop is in execute.hpp, which is expensive to compile: for
// each observer one file includes it and instantiates run(); everybody else needs this header only.
#pragma once

#include <cstdint>

#include "sim/hart/hart.hpp"
#include "sim/hart/observer.hpp"

namespace isthmus::sim {

/// Runs about `budget` instructions (at most a block more) and returns why it stopped. Switching
/// between observers costs the decoded code.
template <HartObserver Observer>
Stop run(Hart& hart, Observer& observer, std::int64_t budget);

}  // namespace isthmus::sim
