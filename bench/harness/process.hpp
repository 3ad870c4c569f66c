// Running a command with a limit of time, and what it printed and cost.
#pragma once

#include <string>
#include <vector>

namespace isthmus::bench {

struct Command {
    std::vector<std::string> arguments;                            // program first
    std::vector<std::pair<std::string, std::string>> environment;  // added to ours
    double limit_seconds = 120;
};

struct Finished {
    int status = -1;         // exit status; 128 + signal; 124 if the limit was reached
    std::string output;      // standard output
    std::string errors;      // standard error
    double cpu_seconds = 0;  // user and system time of the command and all its descendants
    double wall_seconds = 0;
    bool succeeded() const { return status == 0; }
    // Last line of what it said, for a reason.
    std::string last_words() const;
};

// Descendants that outlive the command are waited for too, within the limit; nothing stays behind.
Finished run_command(const Command& command);

// Path of `program` in PATH, or empty.
std::string find_program(const std::string& program);

}  // namespace isthmus::bench
