// User programs: a static Linux executable on a node, with the system calls that a C library needs.
#pragma once

#include "sim/hart/machine.hpp"

namespace isthmus::sim {

/// Base of the shared region that e13 announces to Linux programs; the same on every node.
inline constexpr std::uint64_t kLinuxSharedBase = 0x10'0000'0000;
/// Anonymous mappings grow upwards from here, the stack downwards from there.
inline constexpr std::uint64_t kLinuxMapBase = 0x20'0000'0000;
inline constexpr std::uint64_t kLinuxStackTop = 0x3f'ffff'f000;
/// Where a position-independent program goes.
inline constexpr std::uint64_t kLinuxProgramBase = 0x40'0000;

/// Boots a node into the program with the machine's arguments and environment. Every node gets the
/// same layout. Throws std::runtime_error if the program is not for RV64.
///
/// Served: files, shared parts of them, locks and waiting for them, pipes, pairs of sockets,
/// eventfd, signalfd, epoll, memory maps, time, timers, threads (clone with a shared address space,
/// futex), signals, exit. A handler finds siginfo and ucontext as on the real system, and its
/// e-registers saved. What a fault or abort ends is told with registers and back trace, what
/// another signal without a handler ends in a line, and SIGPIPE not at all. The process ignores
/// SIGPIPE from then on: broken pipes are the program's.
///
/// Not done: processes besides the own one; signals that stop; interval timers but ITIMER_REAL;
/// priorities; robust mutexes; nodes that wait for each other by named pipes; locks of files that
/// belong to a process (F_SETLK) between nodes. What the host says of itself is not the program's:
/// nothing is below /proc and /sys but /proc/self/exe, and random bytes come from the seed. Time
/// passes at once when all threads wait for it, and stands still while a program with one thread
/// waits for others than itself. An unknown system call returns -ENOSYS; with the environment
/// variable ISTHMUS_SIM_STRACE set, each call is printed.
void boot_linux(Machine& machine, Node& node);

}  // namespace isthmus::sim
