// Who reports a crash.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstdint>

namespace isthmus {

// The thread of this process that does; 0: none. A child of vfork shares it.
extern std::atomic<pid_t> crash_reporter __attribute__((visibility("hidden")));

// PeStatus::has_told_end of who begins at this time, in monotonic nanoseconds: milliseconds, not 0.
constexpr std::uint32_t report_word(std::uint64_t now) {
    return static_cast<std::uint32_t>(now / 1'000'000) | 1;
}

// Of two such words of one host: whether the first is of the report that began before. Without a
// report (0) nothing did.
constexpr bool began_before(std::uint32_t one, std::uint32_t other) {
    return one != 0 && (other == 0 || static_cast<std::int32_t>(one - other) < 0);
}

}  // namespace isthmus
