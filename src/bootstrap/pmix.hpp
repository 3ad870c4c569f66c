// PMIx: how Open MPI's mpirun, prterun and `srun --mpi=pmix` serve their processes. In a module of
// its own (libisthmus-pmix.so), which alone needs libpmix.
#pragma once

#include "core/job/exchange.hpp"

namespace isthmus::bootstrap {

// Throws std::runtime_error.
using OpenPmix = Exchange* (*)();
inline constexpr const char* kOpenPmixSymbol = "isthmus_open_pmix";

}  // namespace isthmus::bootstrap
