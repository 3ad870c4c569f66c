// An executable or a library as the dynamic linker has loaded it, and its static data: moved onto
// the job file, in place.
#pragma once

#include <link.h>

#include <cstdint>
#include <string>
#include <vector>

#include "core/job/job.hpp"

namespace isthmus {

struct LoadedObject {
    std::uintptr_t load_address = 0;
    std::vector<ElfW(Phdr)> headers;
    bool is_library = false;
};

LoadedObject main_program();

// Whether this library is a part of the program (libisthmus.a), which then loads no modules.
bool is_linked_into_program();

// Among what is closed once it has been relocated (RELRO): constants that hold addresses, and what
// shares their pages. Takes no memory.
bool is_relocated_constant(const dl_phdr_info& object, std::uintptr_t address);

// Writable pages that stay writable (without RELRO).
Range data_range(const LoadedObject& object);
// From its begin to behind the last variable: the rest of the last page is nobody's.
std::uint64_t variables_size(const LoadedObject& object);

// Equal for the same program or library, wherever its file lies: made of how it is laid out, and of
// what the linker has taken for its mark (-Wl,--build-id, usual).
std::uint64_t identity(const LoadedObject& object);

// Copies that range into `file` at `offset` and maps it there, shared. Only while the process has
// one thread: a write between copy and mapping would be lost. False and a reason on failure.
bool share_data(const LoadedObject& object, int file, std::uint64_t offset, std::string& reason);

}  // namespace isthmus
