// The wrappers of the profiling library, which is linked before libisthmus: its symbols are the
// ones a program gets, and it calls pshmem_NAME.
#include <shmem.h>

#include "api/profile/profiled.hpp"

#define ISTHMUS_NEXT(NAME) (Next<decltype(NAME)>{NAME})
#include "api/profile/wrappers.inc"
