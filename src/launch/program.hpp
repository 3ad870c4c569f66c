// Finding the program to run before anything is started, so that a mistake is one line and not one
// a PE.
#pragma once

#include <string>

namespace isthmus::launch {

// Exit statuses of the launcher itself, as env(1), timeout(1) and the shells use them.
inline constexpr int kStatusTimeout = 124;
inline constexpr int kStatusLauncher = 125;
inline constexpr int kStatusNotExecutable = 126;
inline constexpr int kStatusNotFound = 127;
inline constexpr int kStatusUsage = 2;

struct Program {
    std::string path;   // what to execute
    std::string error;  // or why not
    int status = 0;     // the exit status that goes with the error
};

// `name` with a slash is a path, relative to `directory` (empty: the current one); without, it is
// looked for in PATH as execvp does.
Program find_program(const std::string& name, const std::string& directory);

// Text for an errno that execve gave.
std::string describe_exec_error(const std::string& path, int error);

}  // namespace isthmus::launch
