#include "core/job/heap_size.hpp"

#include <algorithm>

#include "base/os.hpp"
#include "base/settings.hpp"
#include "core/job/job_layout.hpp"
#include "core/job/window.hpp"

namespace isthmus {

HeapChoice choose_heap(int pes) {
    HeapChoice choice;
    // The last quarter of a window slot belongs to the arena (core/segments/arena.hpp).
    choice.largest = std::min(window_stride(), kDataOffset) / 4 * 3 - kInternalSize;
    choice.bytes = os::page_up(size(Setting::symmetric_size, os::memory_size()));
    if (value(Setting::symmetric_size).origin != SettingOrigin::standard) return choice;

    const auto cut = [&choice](std::uint64_t most, const char* reason) {
        if (choice.bytes <= most) return;
        choice.bytes = most;
        choice.cut_by = reason;
    };
    cut(choice.largest, "the largest that fits in the window");
    // Memcheck keeps a table of every mapped page.
    if (os::under_valgrind()) cut((std::uint64_t{1} << 30) - kInternalSize, "valgrind's tables");
    // Half of the address space that a limit leaves is for the heaps of all PEs: each PE maps all.
    const std::uint64_t share =
        os::page_down(os::address_space_limit() / 2 / static_cast<std::uint64_t>(pes));
    cut(std::max(share, kInternalSize + os::page_size()) - kInternalSize,
        "the limit of address space (ulimit -v)");
    return choice;
}

}  // namespace isthmus
