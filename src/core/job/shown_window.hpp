// The window of a PE, closed for a moment by another one of its host, so that its operations go the
// way on which it is seen what it fetches (fetch_watch.hpp). The short way is as short as ever: the
// limits that it compares with lie in memory that the other one can write.
//
// Who asks does no more than close it. The PE itself opens it again, with the first operation on
// the long way that finds nobody asking: so nothing depends on who asked, which may be stopped or
// killed meanwhile. A limit of 0 is never wrong, whenever it comes.
//
// In jobs of several hosts a thread of the PE's own closes it, that of its road, behind the short
// calls on the road: who finds the window closed would try these next. So they are opened behind
// the window as well, by the program's only thread: where several may call at once, one may be
// between the two, and the short calls stay closed (fetch_watch.cpp).
//
// Without checks. A PE that uses another face than OpenSHMEM keeps its window to itself: routines
// there refuse what the window would do.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "core/job/job.hpp"
#include "core/job/job_layout.hpp"
#include "core/job/window.hpp"

namespace isthmus {

// Whether others may close it. Of another layout of the job file: zero.
enum class WindowWatch : std::uint32_t { forbidden, allowed, closing, kept };

// A page of the library's variables (window.cpp), of each PE in the job file, by its number in the
// job: `window`, isthmus_window and the rest, so far apart.
inline constexpr std::size_t kShownPageSize = 4096;
inline constexpr std::size_t kShownPart = 64;
inline constexpr std::uint64_t kShownPagesOffset = std::uint64_t{1} << 29;
constexpr std::uint64_t shown_page(int pe) {
    return kShownPagesOffset + static_cast<std::uint64_t>(pe) * kShownPageSize;
}
static_assert(sizeof(JobHeader) <= kShownPagesOffset);

struct alignas(kShownPart) ShownRest {
    std::atomic<WindowWatch> watch;
    std::byte nothing[kShownPageSize - 2 * kShownPart - sizeof(WindowWatch)];
};
static_assert(sizeof(ShownRest) == kShownPageSize - 2 * kShownPart);
extern ShownRest shown_rest __attribute__((visibility("hidden")));

// From now on others may close it, unless it is kept; and not any more, in front of the end of the
// session. Kept until then: it stays open.
void show_window();
void keep_window();
void hide_window();
// From the long ways of operations: opens it again if nobody asks any more.
void open_shown_window();
// In a forked child, with this function, which makes a part of the job file private memory.
void unshare_shown_page(void (*make_private)(const Range& range, std::uint64_t offset));

// Closes that of another PE of this host. False if it does not allow it.
bool close_window_of(int pe);
// This PE's, with a road (fetch_watch.cpp). False if it does not allow it.
bool close_own_window();
void open_own_window();

}  // namespace isthmus
