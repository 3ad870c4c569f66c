// The tree of processes below this one, read from /proc.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace isthmus::launch {

// All processes below `ancestor`, children before grandchildren; without the trees that begin at a
// process in `except`. Processes that come and go meanwhile may be missed: callers repeat.
std::vector<pid_t> descendants(pid_t ancestor, const std::vector<pid_t>& except = {});

bool is_descendant(pid_t process, pid_t ancestor);

// The process below `ancestor` that calls itself `number`, which is another number than ours if it
// is in a process-number namespace of its own (a container); 0 if there is none.
pid_t find_by_own_number(pid_t number, pid_t ancestor);

// The name of the program that a process has executed since it had mapped the file, which it
// inherited under this number; empty if it has not, or nobody may know.
std::string program_behind(pid_t process, int file);

// Kills everything below this process and reaps it; this process must be the reaper of its
// descendants (PR_SET_CHILD_SUBREAPER), so that none escapes by losing its parent. Gives up after
// `seconds`: a process in an uninterruptible wait, or of another user, cannot be killed.
struct SweepResult {
    int killed = 0;            // processes that were still there
    std::vector<pid_t> stuck;  // processes that still are
};
SweepResult sweep_descendants(const std::vector<pid_t>& except, double seconds);

}  // namespace isthmus::launch
