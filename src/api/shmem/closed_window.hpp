// What operations do whose PE has been asked what it fetches (core/job/shown_window.hpp).
#pragma once

#include <cstdint>

#include "core/job/window.hpp"

namespace isthmus::shmem {

// Behind checked_target(): the window reaches that PE, and has been closed by another one for a
// moment, to see what this one does. What it would do is done then, whatever else is refused here.
inline bool is_window_closed_for(int pe) {
    return (static_cast<std::uint32_t>(pe) ^ window.me) < window.open_limit;
}

}  // namespace isthmus::shmem
