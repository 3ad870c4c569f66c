// Allocation inside a segment, by any PE: boundary tags and binned free lists, kept in the segment
// itself as offsets, under one lock in its first bytes.
#pragma once

#include <cstdint>

namespace isthmus {

inline constexpr std::uint64_t kSmallestAllocator = 4096;
inline constexpr std::uint64_t kAllocatorAlignment = 16;  // of the memory, and of what it gives

// A segment that holds an allocator, as this PE sees it. The size comes from the view of the
// segment, not from the memory, which others may have written over.
struct AllocatorMemory {
    char* base;
    std::uint64_t size;
};

// Makes the memory an empty allocator. False, and nothing is written, if it is too small. Writes
// into the first kFormattedBytes alone.
inline constexpr std::uint64_t kFormattedBytes = 1024;
bool format_allocator(char* base, std::uint64_t size);

enum class AllocatorResult { done, no_room, not_a_block, damaged };

// `alignment` is a power of two, 16 to 4096. Offsets count from `base`.
AllocatorResult allocator_allocate(const AllocatorMemory& memory, std::uint64_t size,
                                   std::uint64_t alignment, std::uint64_t& offset);
AllocatorResult allocator_free(const AllocatorMemory& memory, std::uint64_t offset);

struct AllocatorReport {
    std::uint64_t size;
    std::uint64_t free_bytes;
    std::uint64_t largest;
};
AllocatorReport allocator_report(const AllocatorMemory& memory);

// The same in a segment of a far PE, which is asked to do it; `home` is where the memory lies as an
// address of this PE. The report is of when there was no room.
AllocatorResult allocator_allocate_far(int pe, const AllocatorMemory& home, std::uint64_t size,
                                       std::uint64_t alignment, std::uint64_t& offset,
                                       AllocatorReport& report);
AllocatorResult allocator_free_far(int pe, const AllocatorMemory& home, std::uint64_t offset);

}  // namespace isthmus
