// What programs store by straight away between hosts: isthmus_window.store32 and store64
// (isthmus/window.h), of memory that they know to lie in the heap.
#pragma once

#include <cstdint>

namespace isthmus::far {

// Any time, in any job: find out what the address is.
void store32_by_address(std::uintptr_t, std::uint32_t value, std::uintptr_t, std::uint64_t pe,
                        std::uintptr_t offset);
void store64_by_address(std::uintptr_t, std::uint64_t value, std::uintptr_t, std::uint64_t pe,
                        std::uintptr_t offset);

// Where the express way is open, until close_stores().
void open_stores();
void close_stores();

}  // namespace isthmus::far
