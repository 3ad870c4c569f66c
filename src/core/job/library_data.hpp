// Static data of the shared libraries that a program brings: symmetric like its own, where the
// window can show it.
//
// The other PEs' data lies in their slots above this PE's, so a library needs room above it
// (core/job/room_above.hpp).
#pragma once

#include <cstdint>

#include "base/text.hpp"
#include "core/job/job.hpp"

namespace isthmus {

// Fills in job.libraries with what was loaded with the program; nothing is moved. `slots`: of the
// window, that the job takes. May execute the program again: only from the library's constructor,
// while there is one thread.
void find_library_data(int slots);

// Of the program and of all libraries in job.libraries.
std::uint64_t program_checksum();

// Moves the data of all libraries in job.libraries onto `file`, from `offset` on: each to its place
// behind the program's data. Those that cannot be moved are taken out.
void share_library_data(int file, std::uint64_t offset);

// Takes out those libraries whose bit of `mask` is not set: another PE could not move them.
void keep_libraries(std::uint64_t mask);

// This PE's static data and that of its libraries behind it, mapped once more, as one range: for
// roads, which take one. job.data itself without libraries. Empty if there is no room.
Range whole_static_data(int file, std::uint64_t offset);

// Why the variables of the library that `address` lies in are private.
Text why_library_is_private(const void* address);

}  // namespace isthmus
