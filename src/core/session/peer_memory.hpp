// The memory of the other PEs of this host, mapped where slot arithmetic leads.
#pragma once

#include <cstdint>

namespace isthmus {

// A part of the file of `pe`; `what` it is, for the message. Ends the job if that is not possible.
void map_or_fail(std::uintptr_t address, std::uint64_t length, std::uint64_t offset, int pe,
                 const char* what);

// Their heaps and static data. Also of those that count as far, where operations on them are to be
// late: the road in front of all others (transport/late) does them here.
void map_peers();
// A program may get from a constant, or hand one to a collective.
void map_peers_constants();

// The window's test lets through an aligned power of two of PEs, all of which must be near: what
// the test refuses is looked at again, what it lets through is not.
std::uint32_t window_limit();

}  // namespace isthmus
