// The library's functions that are compiled into the program: by name and by file, since addr2line
// may tell the one or the other wrongly.
#pragma once

#include <cstdint>
#include <string_view>

namespace isthmus {

// "shmem_p" of "shmem_p(long volatile*, long, int)"; "isthmus::Queue<long>::push" of
// "bool isthmus::Queue<long>::push(long)".
std::string_view qualified_name(std::string_view function);

// Which of the library's functions in the program are looked for: where one of OpenSHMEM's routines
// is called, only shmem.h's, which no other header calls; where a store is, those of all headers.
enum class Sought : std::uint8_t { openshmem, all };

// As addr2line tells it: the function and "/usr/include/isthmus/queue.h:12". Of the innermost of
// calls that are inlined into each other the name may be wrong, of a function without optimisation
// the file.
struct ToldFrame {
    std::string_view function;
    std::string_view file;
    bool is_innermost;
};
bool is_of_own_headers(const ToldFrame& frame, Sought sought);
// Whether a function of the library's has that name where it is one of its own, not inlined into
// the program's: C's inlined operations never are.
bool is_own_function(std::string_view function, Sought sought);
// Whether a function of the library's may be told by that name, inlined or not.
bool is_own_name(std::string_view function);
// The same of a symbol, which the linker knows: "_Z7shmem_pPVlli".
bool is_own_symbol(std::string_view symbol);

}  // namespace isthmus
