// The caches of this machine's processors, as the kernel shows them.
#pragma once

#include <cstddef>

namespace isthmus {

// In bytes, of one processor; 0: not known. `level3` is what is one processor's share of the last
// level where several share it.
struct Caches {
    std::size_t level1 = 0;
    std::size_t level2 = 0;
    std::size_t level3 = 0;
    int sharing = 1;  // processors that share the last level
};

// From `folder`/index*/: level, type, size, shared_cpu_list. The C library's sysconf is no
// substitute: of some processors it gives the last level of a whole socket.
Caches read_caches(const char* folder = "/sys/devices/system/cpu/cpu0/cache");

}  // namespace isthmus
