// Model invariants that stay on in every build. A broken one is a defect of the simulator, never of
// the program it runs, so the answer is an exception that ends the run, not a status.
#pragma once

#include <stdexcept>
#include <string>

namespace isthmus::sim {

/// An invariant of the model does not hold. The text says which, where and when.
class ModelError : public std::logic_error {
  public:
    using std::logic_error::logic_error;
};

[[noreturn, gnu::cold, gnu::noinline]] inline void model_error(const std::string& text) {
    throw ModelError(text);
}

}  // namespace isthmus::sim
