// The executable's static data (.data and .bss), which OpenSHMEM declares symmetric: moved onto the
// job file, in place, before anything else runs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "core/job/job.hpp"

namespace isthmus {

// Writable pages of the main program that stay writable (without RELRO).
Range program_data_range();

// Read-only parts of the executable: where constants are. The same bytes at every PE, so a get from
// a constant of another PE only needs the file mapped where that PE's constant would be.
struct ProgramConstants {
    Range range;
    std::uint64_t offset;  // in the executable file
};
std::vector<ProgramConstants> program_constants();

// Identity of the executable, equal in two processes exactly if they run the same file.
std::uint64_t program_checksum();

// Copies the range into `file` at `offset` and maps it there, shared. Only while the process has
// one thread: a write between copy and mapping would be lost. False and a reason on failure.
bool share_program_data(const Range& range, int file, std::uint64_t offset, std::string& reason);

// Name of the variable of the executable that holds or precedes `address`, "name" or "name+24"; of
// the function that holds it. Empty if there is none or the executable has no symbols. Reads the
// file; for error messages.
std::string program_variable(const void* address);
std::string program_function(const void* address);

// The variable of a shared library that holds or precedes `address`: "counter of libmodel.so",
// "a variable of libmodel.so". Empty if the address is in no library's variables.
Text library_variable(const void* address);

}  // namespace isthmus
