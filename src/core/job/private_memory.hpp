// Which memory of this PE is symmetric, and what the rest is, for messages.
#pragma once

#include <cstdint>

#include "base/text.hpp"

namespace isthmus {

// Whether why_not_symmetric() has nothing to say: without the search for what it is.
bool is_symmetric(const void* address, std::uint64_t bytes);

// "on the stack", "memory of malloc", "a thread-local variable of a.out", "a constant of
// libm.so.6", "code of a.out"; empty if it cannot be told, or is none of these. `stack`: an address
// on this thread's. Takes no memory.
Text describe_private(const void* address, std::uintptr_t stack);

}  // namespace isthmus
