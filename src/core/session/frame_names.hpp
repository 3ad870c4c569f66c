// The names of frames: function, file and line, by the dynamic linker and by addr2line if that is
// there. Of crashes, where nothing may be allocated, and of places that a report names.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "core/session/own_names.hpp"

namespace isthmus {

inline constexpr int kFrames = 8;

struct Frame {
    const void* at = nullptr;  // within the call
    const void* module = nullptr;
    const char* file = nullptr;  // of the module
    char text[300] = "";
    const char* inlined = nullptr;  // lines of addr2line: the calls that the compiler put here
};
using Frames = std::array<Frame, kFrames>;

// Once, at set-up: what naming needs of this process.
void prepare_frame_names();
// Whether the program itself has its code there.
bool is_in_program_code(const void* at);
// Writes the texts, in a crash: allocates nothing, and returns within seconds.
void name_frames(Frames& frames, int count);
// The first call of Frame::inlined, which then begins at the next one; empty: there is none.
std::string_view take_inlined(const char*& lines);

// Of the program's own code, by addr2line within a second; empty: not known.
struct ProgramPlace {
    std::string inlined;      // "shmem_long_put": the library's operation that is inlined there
    std::string line;         // " (model.c:12)", where it is called
    bool is_library = false;  // an overload of the library's, which the next frame outward calls
};
// With optimisation addr2line (binutils 2.40) knows nothing of what Clang has inlined: then
// llvm-addr2line is asked, if it is there, and else no line is known.
ProgramPlace place_in_source(const void* at, Sought sought = Sought::all);
inline std::string line_in_program(const void* at) {
    return place_in_source(at).line;
}

// The same of where the program has called the library, among the frames of a stack from the
// innermost on: addresses within calls.
std::string line_of_call(const void* const* frames, int count, Sought sought);
// Of the stack as it is.
std::string line_of_caller(Sought sought);

}  // namespace isthmus
