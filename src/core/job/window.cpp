#include "core/job/window.hpp"

#include <cstring>

#include "base/this_thread.hpp"
#include "core/job/block_map.hpp"

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
__attribute__((visibility("default"))) isthmus_checks_view isthmus_checks{};
}

namespace isthmus {

Window window;
CheckedWindow checked_window;
PassingPages passing_pages;

void open_window() {
    window.limit = window.open_limit;
    window.sole = window.host_pes == window.pes ? window.open_limit : 0;
    isthmus_window.limit = window.open_limit;
}

void close_window() {
    window.limit = window.sole = 0;
    checked_window = {};
    isthmus_window.limit = 0;
    isthmus_checks = {};
}

void open_checks() {
    static_assert(ISTHMUS_CHECKS_GRANULE == BlockMap::kGranule);
    constexpr std::uint64_t kGranule = ISTHMUS_CHECKS_GRANULE;
    const CheckedWindow& checked = checked_window;
    passing_pages.clear();
    isthmus_checks = {
        checked.limit,
        checked.heap,
        checked.heap_size - kGranule,
        checked.in_use,
        checked.data - checked.heap,
        checked.data_size > kGranule ? checked.data_size - kGranule : 0,
        this_thread(),
        checked.thread,
        passing_pages.begins(),
    };
    // Nothing is to be done for the order of stores.
    if (window.host_pes == window.pes) window.sole = checked.limit;
}

}  // namespace isthmus
