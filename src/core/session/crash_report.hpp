// A crash of the program's own: where, before the system ends the PE. The launcher's line comes
// behind it, with the last noted call.
#pragma once

#include <csignal>

namespace isthmus {

// Once, at set-up: what the report says is made ready, for in a crash there may be no memory.
void prepare_crash_report();

// In the handler of a fault: the address, and function, file and line of the top frames, by
// addr2line if that is there. `instruction` is the one that faulted; `access` "read" or "write" or
// null if it is not known. Allocates nothing, and returns within seconds.
void say_crash(int signal, const siginfo_t* info, const void* instruction, const char* access);

}  // namespace isthmus
