// Checked mode's heap: behind each block a guard that nobody may write, and a block that is freed
// is kept back for a while, filled with what is no likely number. Both are looked at when blocks
// are freed and at finalisation. All PEs do the same, so that their blocks stay at the same places.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/asan.hpp"
#include "base/text.hpp"
#include "core/job/block_map.hpp"
#include "core/job/job.hpp"
#include "core/job/window.hpp"

namespace isthmus::guarded {

// Behind each block, beside what fills its last 64 bytes up.
inline constexpr std::uint64_t kGuard = 64;
// Of a freed block that much is filled, and what is left of its last page; the pages between are
// given back, and looked at where they exist again. But a page costs the system microseconds, each
// time: where they exist, blocks of more than kFilled, up to kMostWhole, are filled whole. (Longer
// ones would keep too much memory.) From kClosed on that would cost the caches more than to close
// the pages to this PE, which tells its loads and stores at once. So that is done instead, unless
// another PE has a pointer to its memory: what is stored by that is found where it is filled.
inline constexpr std::uint64_t kFilled = 16384;
inline constexpr std::uint64_t kClosed = std::uint64_t{256} << 10;
inline constexpr std::uint64_t kMostWhole = std::uint64_t{64} << 20;
// Blocks of those lengths that are kept back: together that much, what a processor's cache holds;
// or one.
inline constexpr std::uint64_t kMostWholeKept = std::uint64_t{8} << 20;
inline constexpr unsigned char kGuardByte = 0xb6;
inline constexpr unsigned char kFreedByte = 0xdf;

// Once the heap has its range, empty. False and errno if there is no memory for the map.
bool open();
// Looks at all there is, and forgets it. Ends the job in the name of `routine` if it was written.
void close(const char* routine);

// The caller holds heap_guard, in these. As the heap's.
void* allocate(std::uint64_t size, std::uint64_t alignment);
// Whether a block that is given another length moves, so that addresses of the old one are found
// wrong: always up to kFilled; of longer ones, which cost their copying, the first kFirstMoves that
// ask, and then one of kBetweenMoves. Alike at all PEs.
inline constexpr std::uint64_t kFirstMoves = 64;
inline constexpr std::uint64_t kBetweenMoves = 1024;
bool moves(std::uint64_t size);
// In its place: the block keeps its beginning. False, and nothing has changed, if there is no room.
bool resize(const char* routine, void* block, std::uint64_t size);
// False if `block` is not the beginning of one. Nobody may use it any more.
bool release(const char* routine, void* block);

// "byte 9 of a freed block of 1048576 bytes" whose pages are closed; else empty. For reports of
// faults: waits for nobody.
Text describe_closed(const void* address);

// A pointer for the program, to memory of a PE of this host. Nobody is asked about what it stores.
inline void* point_at(const void* address, int pe) {
    std::atomic<std::uint8_t>& flag = job.header->pe[pe].is_pointed_at;
    if (pe != job.me && flag.load(std::memory_order_relaxed) == 0)
        flag.store(1, std::memory_order_relaxed);
    return translate(const_cast<void*>(address), pe);
}

}  // namespace isthmus::guarded

namespace isthmus {

// Of job.data, up to behind the program's last variable.
extern std::uint64_t variables_bytes __attribute__((visibility("hidden")));

// As why_not_symmetric(); in checked mode what lies in the heap lies within one block, and what
// AddressSanitizer knows of, if the program has it, within what it knows.
Text why_not_usable(const void* address, std::uint64_t bytes);
// The last part alone: for memory of this PE that need not be symmetric.
Text why_in_no_object(const void* address, std::uint64_t bytes);
// The quick half of that: nothing is wrong. At least one byte.
inline bool is_surely_usable(const void* address, std::uint64_t bytes) {
    const std::uint64_t offset = reinterpret_cast<std::uintptr_t>(address) - job.data.begin;
    return (offset < variables_bytes && bytes <= variables_bytes - offset && !asan::is_there()) ||
           block_map.covers(address, bytes);
}

}  // namespace isthmus
