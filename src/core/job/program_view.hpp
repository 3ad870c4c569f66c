// Tells the program which PE it is (isthmus/window.h); before main.
#pragma once

#include <cstdint>

namespace isthmus {

void show_program(std::uint32_t me);

}  // namespace isthmus
