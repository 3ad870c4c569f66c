#include "core/job/window.hpp"

#include <cstring>

namespace {

// Until core/copy has chosen: constructors of other files may copy.
void copy_plainly(void* dest, const void* source, std::size_t bytes) {
    std::memcpy(dest, source, bytes);
}

}  // namespace

// The stores are set while the library is loaded (core/reach/far_store.hpp).
extern "C" {
__attribute__((visibility("default")))
isthmus_window_view isthmus_window{0, copy_plainly, nullptr, nullptr, 0, nullptr, nullptr};
}

namespace isthmus {

Window window;
CheckedWindow checked_window;

void open_window() {
    window.limit = window.open_limit;
    window.sole = window.host_pes == window.pes ? window.open_limit : 0;
    isthmus_window.limit = window.open_limit;
}

void close_window() {
    window.limit = window.sole = 0;
    checked_window = {};
    isthmus_window.limit = 0;
}

}  // namespace isthmus
