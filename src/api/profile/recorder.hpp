// Counting and tracing of calls. Each thread writes its own record; nobody waits for anybody.
// Cost of a call with ISTHMUS_STATS: two readings of the clock and five stores.
#pragma once

#include <atomic>
#include <cstdint>

#include "api/profile/description.hpp"
#include "base/os.hpp"

namespace isthmus::profile {

inline constexpr std::uint32_t kCounting = 1;
inline constexpr std::uint32_t kTracing = 2;

// What is recorded now; 0 outside init..finalize, after shmem_pcontrol(0), and if neither setting
// is on. Relaxed: a call that misses the change by a moment is counted or not, either is right.
extern std::atomic<std::uint32_t> recording __attribute__((visibility("hidden")));

// After a call: notes it for this thread. `target` -1: no PE in particular.
void record(Index routine, std::uint64_t begin, std::uint64_t bytes, int target);

// Before a call that writes `word` of `target`, and behind one that has waited for `count` words of
// so many bytes: for the trace's arrows.
void before_write(const void* word, int target, std::uint64_t begin);
void after_wait(const void* words, std::size_t count, std::size_t bytes);

// After init (which began at `begin`) and before finalize; counted as the library counts them.
void opened(Index routine, std::uint64_t begin);
void closing();

// shmem_pcontrol: 0 stops recording, 1 starts it, 2 starts it and writes the trace's events out.
void control(int level);

}  // namespace isthmus::profile
