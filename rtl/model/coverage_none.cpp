#include "model/coverage.hpp"

namespace isthmus::rtl {

void keep_counts(VerilatedContext& /*context*/) {}

}  // namespace isthmus::rtl
