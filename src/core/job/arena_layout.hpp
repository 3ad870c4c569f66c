// Where the arena of a PE lies (core/segments/arena.hpp): in the last quarter of its window slot,
// and behind it a word for each of its pages.
#pragma once

#include <cstdint>

#include "base/os.hpp"
#include "core/job/window.hpp"

namespace isthmus {

using ArenaPageWord = std::uint32_t;

inline std::uintptr_t arena_base() {
    return heap_base() + window_stride() / 4 * 3;
}
// The most that any PE's arena and its words can take, from the same address on.
inline std::uint64_t arena_room() {
    return window_stride() / 4;
}
inline std::uint64_t arena_table_size(std::uint64_t arena) {
    return os::page_up(arena / os::page_size() * sizeof(ArenaPageWord));
}
// What is mapped of an arena of this size.
inline std::uint64_t arena_mapping_size(std::uint64_t arena) {
    return arena + arena_table_size(arena);
}

}  // namespace isthmus
