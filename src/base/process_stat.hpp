// What the kernel tells in /proc, of a process or of a thread.
#pragma once

#include <sys/types.h>

#include "base/text.hpp"

namespace isthmus::os {

struct ProcessStat {
    char state = '\0';  // R, S, D, T, t, Z, X ...
    pid_t parent = 0;
    // Of the process. The first one counts until the process ends, even if it has ended itself:
    // then it is a zombie, and the process lives as long as there are others.
    int threads = 0;
    unsigned long long began = 0;  // in the system's ticks since its own start
    char name[64] = "";            // of the program
};

// Of a process or a thread, itself.
inline bool has_ended(char state) {
    return state == 'Z' || state == 'X';
}
// Of a process.
inline bool is_alive(const ProcessStat& stat) {
    return !has_ended(stat.state) || stat.threads > 1;
}

// False: there is none any more, or nobody may know. Allocates nothing.
bool read_process_stat(const char* path, ProcessStat& stat);
bool read_process_stat(pid_t process, ProcessStat& stat);

// "/proc/self/WHAT", or the calling thread's where the first one has ended, of which the kernel
// tells nothing any more. Emulators and checkers know the former alone. Allocates nothing.
Text own_proc(const char* what);

}  // namespace isthmus::os
