#include "core/job/window.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <new>

#include "base/os.hpp"
#include "base/seen_memory.hpp"
#include "base/this_thread.hpp"
#include "core/job/block_map.hpp"
#include "core/job/fetch_watch.hpp"
#include "core/job/shown_window.hpp"

namespace {

// Until core/copy has chosen: constructors of other files may copy.
void copy_plainly(void* dest, const void* source, std::size_t bytes) {
    std::memcpy(dest, source, bytes);
}

}  // namespace

namespace isthmus {
static constexpr std::uint32_t kClosed = 0;
}

// A page of these alone, in this order, which other PEs of the host may write (shown_window.hpp).
// Programs that are not compiled for shared libraries have isthmus_window among their own data.
#if __has_attribute(no_reorder)
#define ISTHMUS_SHOWN __attribute__((section("isthmus_shown"), no_reorder))
#else  // clang, which does not reorder
#define ISTHMUS_SHOWN __attribute__((section("isthmus_shown")))
#endif

namespace isthmus {
alignas(kShownPageSize) ISTHMUS_SHOWN Window window;
}

extern "C" {
// The stores are set while the library is loaded (core/reach/far_store.hpp).
alignas(isthmus::kShownPart) ISTHMUS_SHOWN
    __attribute__((visibility("default"))) isthmus_window_view isthmus_window{
        0, copy_plainly, nullptr, nullptr, 0, nullptr, nullptr};
}

namespace isthmus {
ISTHMUS_SHOWN ShownRest shown_rest;
static_assert(sizeof window <= kShownPart && sizeof isthmus_window <= kShownPart);
}  // namespace isthmus

extern "C" {
__attribute__((visibility("default")))
isthmus_checks_view isthmus_checks{&isthmus::kClosed, 0, 0, nullptr, 0, 0, 0, 0, nullptr};
}

namespace isthmus {

CheckedWindow checked_window;
PassingPages passing_pages;

bool PassingPages::open() {
    if (begins_ && madvise(static_cast<void*>(begins_), kBytes, MADV_DONTNEED) != 0) return false;
    if (!begins_) {
        void* const place = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE,
                                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (place == MAP_FAILED) return false;
        begins_ = static_cast<std::atomic<std::uintptr_t>*>(place);
    }
    // Zero is no page's beginning but that of page 0, which is not known either.
    begins_[0].store(~std::uintptr_t{0}, std::memory_order_relaxed);
    return true;
}

void PassingPages::add(const void* address, std::size_t bytes, bool with_chunk) {
    // Relaxed: each stands for itself.
    const auto put = [&](std::uintptr_t number) {
        place_of(number).store(number << ISTHMUS_CHECKS_PAGE, std::memory_order_relaxed);
    };
    const auto at = reinterpret_cast<std::uintptr_t>(address);
    const std::uintptr_t first = at >> ISTHMUS_CHECKS_PAGE;
    const bool is_free = place_of(first).load(std::memory_order_relaxed) == 0;
    put(first);
    put((at + bytes - 1) >> ISTHMUS_CHECKS_PAGE);
    // One that takes the place of another's may have to give it back at once.
    if (!with_chunk || !is_free) return;
    constexpr std::uintptr_t kPages = SeenMemory::kChunkBytes >> ISTHMUS_CHECKS_PAGE;
    const std::uintptr_t begin = first / kPages * kPages;
    for (std::uintptr_t number = begin; number < begin + kPages; ++number)
        put(number);
}

void open_window() {
    window.limit = window.open_limit;
    window.sole = window.host_pes == window.pes ? window.open_limit : 0;
    isthmus_window.limit = window.open_limit;
}

void close_window() {
    window.limit = window.sole = 0;
    checked_window = {};
    isthmus_window.limit = 0;
    close_checks();
    fetch_watch::forget();
}

void close_checks() {
    isthmus_checks = {&kClosed, 0, 0, nullptr, 0, 0, 0, 0, nullptr};
}

void open_checks() {
    static_assert(ISTHMUS_CHECKS_GRANULE == BlockMap::kGranule);
    constexpr std::uint64_t kGranule = ISTHMUS_CHECKS_GRANULE;
    const CheckedWindow& checked = checked_window;
    // What begins in front of the end passes, if it ends in the same page: the last variables pass.
    const std::uint64_t pages = os::page_up(checked.data + checked.data_size) - checked.data;
    static_assert(sizeof *checked.limit_now == sizeof *isthmus_checks.limit &&
                  std::atomic<std::uint32_t>::is_always_lock_free);
    isthmus_checks = {
        reinterpret_cast<const std::uint32_t*>(checked.limit_now),
        checked.heap,
        checked.heap_size - kGranule,
        checked.in_use,
        checked.data - checked.heap,
        std::min(checked.data_size, pages - kGranule),
        this_thread(),
        checked.thread,
        passing_pages.begins(),
    };
    // Nothing is to be done for the order of stores, but to see who asks for it.
    if (checked.thread == 0 && window.host_pes == window.pes) window.sole = checked.limit;
}

}  // namespace isthmus
