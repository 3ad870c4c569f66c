// Room for the slots of other PEs above static data that the kernel has placed high.
//
// Libraries, and executables without a dynamic linker, lie at the top of the address space, below
// the room that the limit of the stack says when a program begins. So a program is executed once
// more with such a limit, if that makes room.
#pragma once

#include "core/job/job.hpp"

namespace isthmus {

// With more slots those of the program reach up to where the libraries are.
inline constexpr int kMostSlotsAbove = 128;

bool has_room_above(const Range& range, int slots);

// Executes the program again, or returns if it cannot, or has been executed again already.
void make_room_above(int slots);

// First of all: the limit that the program was started with holds again, for its main thread and
// for those that it will start.
void restore_stack_limit();

}  // namespace isthmus
