// Which libraries a program is linked with, as far as that says that it looks for another launcher.
#pragma once

#include <string>
#include <vector>

namespace isthmus::launch {

// The names in the dynamic section of an ELF file of this machine; empty if it is none, or damaged.
std::vector<std::string> needed_libraries(const std::string& path);

// A line for the user if the program is of another OpenSHMEM, or of MPI alone: each of its
// processes would be a job of its own here, silently. Else empty.
std::string warn_of_foreign_program(const std::string& path, int pes);

}  // namespace isthmus::launch
