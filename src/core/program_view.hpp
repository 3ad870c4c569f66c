// Tells the program which PE it is (isthmus/window.h); before main.
#pragma once

#include <cstdint>

namespace isthmus {

void tell_program(std::uint32_t me);

}  // namespace isthmus
