// The executable: its constants, and the names of what is in it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "core/job/job.hpp"

namespace isthmus {

// Read-only parts of the executable: where constants are. The same bytes at every PE, so a get from
// a constant of another PE only needs the file mapped where that PE's constant would be.
struct ProgramConstants {
    Range range;
    std::uint64_t offset;  // in the executable file
};
std::vector<ProgramConstants> program_constants();

// Name of the variable of the executable that holds or precedes `address`, "name" or "name+24"; of
// the function that holds it. Empty if there is none or the executable has no symbols. Reads the
// file; for error messages.
std::string program_variable(const void* address);
std::string program_function(const void* address);

// The variable of a shared library that holds or precedes `address`: "counter of libmodel.so",
// "a variable of libmodel.so". Empty if the address is in no library's variables.
Text library_variable(const void* address);

}  // namespace isthmus
