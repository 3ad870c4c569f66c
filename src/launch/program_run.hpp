// Running a program to its end and reading all it says.
#pragma once

#include <string>
#include <vector>

namespace isthmus::launch {

struct ProgramRun {
    int status = -1;     // 128 + the signal that killed it; -1: it was not run
    std::string output;  // standard output and standard error
};
ProgramRun run_program(const std::vector<std::string>& command);

std::string first_line_of(const std::string& text);

}  // namespace isthmus::launch
