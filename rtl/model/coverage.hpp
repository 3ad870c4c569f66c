// What Verilator counted in a model, kept when the model goes: only in the build of
// rtl/tests/coverage.py, which links coverage.cpp; all others link coverage_none.cpp.
#pragma once

class VerilatedContext;

namespace isthmus::rtl {

void keep_counts(VerilatedContext& context);

}  // namespace isthmus::rtl
