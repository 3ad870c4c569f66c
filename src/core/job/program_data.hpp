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

// A name, and how many bytes behind its beginning an address is; empty if there is none.
struct NamedPlace {
    std::string name;
    std::uint64_t beyond = 0;
};

// The variable of the executable that holds or precedes `address`, as the program writes it; the
// name of the function that holds it, as the linker does. Empty if there is none or the executable
// has no symbols. Read the file, for error messages; the first one is for no handler of a signal.
NamedPlace place_in_program(const void* address);
std::string program_function(const void* address);
// "app::flag", "counter+32 bytes"
std::string program_variable(const void* address);

// The variable of a shared library that holds or precedes `address`: "counter of libmodel.so",
// "a variable of libmodel.so". Empty if the address is in no library's variables.
Text library_variable(const void* address);
// Its name as the program writes it; not in a handler of a signal. Empty if it has none.
NamedPlace place_in_library(const void* address);

}  // namespace isthmus
