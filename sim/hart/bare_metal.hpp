// Bare-metal programs: DRAM at 0x80000000, a CLINT, and the tohost word for output and exit.
#pragma once

#include <string_view>

#include "sim/hart/machine.hpp"

namespace isthmus::sim {

inline constexpr std::uint64_t kDramBase = 0x80000000;
inline constexpr std::uint64_t kClintBase = 0x02000000;

/// Boots a node at the program's entry in machine mode. a0 holds the hart id (0). Throws
/// std::runtime_error if the program does not fit its memory.
///
/// The word at symbol tohost: an odd value exits with value >> 1; device 1, command 1 prints a
/// character; an even value is the address of a system call block {number, arguments}, of which
/// write (64) and exit (93) are served.
void boot_bare_metal(Machine& machine, Node& node);

/// Whether a program is bare metal, by a mode of the commands: "bare", "linux", or "auto", which
/// goes by its symbol tohost.
bool is_bare_metal(const Program& program, std::string_view mode);

}  // namespace isthmus::sim
