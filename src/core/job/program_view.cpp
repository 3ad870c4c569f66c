// The one word that programs see as const (isthmus/window.h, which this file therefore does not
// include) and that the library's constructor writes, before any code of the program has run.
#include "core/job/program_view.hpp"

extern "C" __attribute__((visibility("default"))) std::uint32_t isthmus_window_me;

// In memory without the const: the linker puts the program's copy where it can be written.
std::uint32_t isthmus_window_me = 0;

namespace isthmus {

void show_program(std::uint32_t me) {
    isthmus_window_me = me;
}

}  // namespace isthmus
