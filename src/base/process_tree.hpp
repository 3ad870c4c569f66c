// Processes of this host and what they have started, as /proc tells of them: what one that has many
// threads has started, and what it is when its first thread has ended.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "base/process_stat.hpp"

namespace isthmus::os {

// One that is not there counts as dead.
ProcessStat facts_of(pid_t process);

// In the order of their numbers.
std::vector<pid_t> threads_of(pid_t process);
// The same of this process, whatever it is called in /proc.
std::vector<pid_t> own_threads();
// Of all its threads.
std::vector<pid_t> children_of(pid_t process);

// "/proc/7/WHAT". That is the first thread's, and nothing once that has ended; then it is another
// one's.
std::string in_proc(pid_t process, const char* what);

// A program of ours, so far as anybody may know.
bool has_library(pid_t process);

}  // namespace isthmus::os
