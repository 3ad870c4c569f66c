// Which loops. The widest vectors when the library is loaded; narrower ones when a PE starts, if
// these were measured to be faster here (prepare.hpp).
#pragma once

#include <cstddef>

namespace isthmus {

enum class Road : unsigned char;

// Copies of more than 128 bytes. dest and source do not overlap, except that they may be equal.
using LongCopy = void (*)(void* dest, const void* source, std::size_t bytes);
using PartCopy = void (*)(std::size_t whole, void* dest, const void* source, std::size_t bytes);
using RoadCopy = void (*)(Road road, void* dest, const void* source, std::size_t bytes);

struct ChosenCopy {
    LongCopy copy;
    LongCopy copy_any;   // the same with the short sizes before it, for programs
    PartCopy copy_part;  // of a block of an operation on more
    RoadCopy copy_by;    // along one road; null: the library has no loops of its own here
    const char* name;
};
// Defined once per processor family: choose_x86.cpp, choose_generic.cpp.
ChosenCopy widest_copy();
ChosenCopy narrower_copy();  // `copy` is null: there is none beside the widest

// Puts loops into the pointers of copy.hpp and into the window. While nobody copies.
void use_loops(const ChosenCopy& loops);

}  // namespace isthmus
