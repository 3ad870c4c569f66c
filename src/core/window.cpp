#include "core/window.hpp"
#include "core/copy.hpp"
#include "core/far_store.hpp"

extern "C" {
__attribute__((visibility("default")))
isthmus_window_view isthmus_window{0, isthmus::copy_before_choice, isthmus::far::store32_by_address,
                                   isthmus::far::store64_by_address, 0};
}

namespace isthmus {

Window window;

void open_window() {
    window.limit = window.open_limit;
    window.sole = window.host_pes == window.pes ? window.open_limit : 0;
    isthmus_window.limit = window.open_limit;
}

void close_window() {
    window.limit = window.sole = 0;
    isthmus_window.limit = 0;
}

}  // namespace isthmus
