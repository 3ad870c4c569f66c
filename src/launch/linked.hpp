// Which libraries a program is linked with, or has loaded, as far as that says that it looks for
// another launcher.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace isthmus::launch {

// The names in the dynamic section of an ELF file of this machine; empty if it is none, or damaged.
std::vector<std::string> needed_libraries(const std::string& path);

// A program without a dynamic linker, into which nothing can be loaded.
bool is_static_program(const std::string& path);

// Whom the PEs' libraries can ask for their numbers: this launcher, whom ours alone knows, or a
// process manager of PMI-1, whom all but Open MPI's know.
enum class Numbering : unsigned char { ours, pmi1 };

// A line for the user if the program is of another OpenSHMEM, or of MPI, alone or beside ours: each
// of its processes would be a job of its own there, silently. Else empty. So is a program that
// `arguments` name by its path, as those of wrappers do (`env A=1 ./prog`).
std::string warn_of_foreign_program(const std::string& path,
                                    const std::vector<std::string>& arguments, int pes,
                                    Numbering numbering);

// The same by what a process has loaded, or one below it: whatever wrapper started it.
std::string warn_of_foreign_process(pid_t process, Numbering numbering);

}  // namespace isthmus::launch
