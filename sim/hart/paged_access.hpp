// The slow paths of loads and stores behind page tables. They stand apart from those for physical
// addresses (Hart::load_slow, store_slow), which pay one comparison for them and nothing else.
#pragma once

#include <cstdint>

#include "sim/hart/hart.hpp"

namespace isthmus::sim {

/// `fault` is the cause where there is no memory. False: the hart has stopped.
bool load_paged(Hart& hart, std::uint64_t address, void* value, unsigned size, Cause fault);
bool store_paged(Hart& hart, std::uint64_t address, const void* value, unsigned size);

}  // namespace isthmus::sim
