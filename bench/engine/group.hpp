// The claims about the HyperTransport engine in gates.
#pragma once

#include "harness/run.hpp"

namespace isthmus::bench {

Group engine();

}  // namespace isthmus::bench
