// Which loop, and from which sizes on. Chosen once, when the library is loaded.
#pragma once

#include <cstddef>

namespace isthmus {

// Copies of more than 128 bytes. dest and source do not overlap, except that they may be equal.
using LongCopy = void (*)(void* dest, const void* source, std::size_t bytes);

struct ChosenCopy {
    LongCopy copy;
    LongCopy copy_any;  // the same with the short sizes before it, for programs
    // Past the caches, for blocks of at least kStreamedBlock within operations of at least
    // `stream` bytes; the same as `copy` where there is nothing better.
    LongCopy copy_streamed;
    std::size_t stream;
    const char* name;
};
// Defined once per processor family: choose_x86.cpp, choose_generic.cpp.
ChosenCopy choose_long_copy();

}  // namespace isthmus
