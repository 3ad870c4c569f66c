// The arena: each PE's room for segments that only this PE makes. It lies in the same window slot
// as the symmetric heap, above it, so every PE reaches it by the same arithmetic; but blocks in it
// are at different offsets at different PEs, and nobody else takes part in allocating one.
#pragma once

#include <cstdint>
#include <vector>

#include "core/job/job.hpp"

namespace isthmus {

// Once the arenas of all PEs are mapped (core/session/arenas.hpp): the first block may be made.
void begin_arena();
// All blocks go.
void end_arena();

// Whole, zeroed pages; null if there is no room. `access`, not 0, is what the segment on their
// first `size` bytes allows: PEs that come by address alone look it up page by page.
void* arena_allocate(std::uint64_t size, std::uint32_t access);
void arena_release(void* block);
std::uint64_t arena_free_bytes();
std::uint64_t arena_size();

// True if [address, address + size), an address of this PE, has a counterpart in the arena of `pe`.
bool is_in_arena(const void* address, std::uint64_t size, int pe);
// What the one segment of `pe` that has all of these bytes allows; 0 if none has.
std::uint32_t arena_access(const void* address, std::uint64_t size, int pe);

// Moves whole pages of this PE's private memory onto `block` of the arena, in place, contents kept;
// and back, which leaves no mapping of their own where the pages beside them are of the same kind.
// False and errno if the kernel refuses; then nothing has changed. No other thread uses them.
bool adopt_pages(void* pages, std::uint64_t size, void* block);
bool return_pages(void* pages, std::uint64_t size, const void* block);
// Adopted or returned pages may only be read and written: these may be executed as well, where the
// kernel allows that.
void allow_execution(const std::vector<Range>& pages);

}  // namespace isthmus
