// Whose code a frame of the stack is in. In a program that is linked with -static all of it lies in
// one object, where the library's has a section of its own (cmake/own_section.cmake).
#pragma once

#include <link.h>

#include <cstdint>

#include "core/job/job.hpp"

namespace isthmus {

// Where the instructions of a loaded object are.
Range executable_part(const dl_phdr_info& object);
// The beginning of the object that holds an address; null: of none.
const void* object_base(const void* address);

enum class CodeOf : std::uint8_t {
    library,  // this one
    system,   // the C library, or of a static program what copies in it
    program,  // the executable
    other     // a library of the program's, or nobody knows
};

// Once, before any fault.
void find_own_code();
// A look at a range, which takes nothing.
bool is_own_code(const void* at);
// Asks the dynamic linker, or reads the executable's symbols.
CodeOf code_of(const void* at);

// Where the program has called the library, among the frames of a stack from the innermost on.
// Roads are libraries of their own that this one calls, and a sanitizer looks at some of its calls:
// what is not the program's is passed over, but a library of the program's that calls this one has
// no line by this way.
class CallSearch {
  public:
    void pass(const void* at);
    bool is_over() const { return is_over_; }
    const void* found() const { return found_; }
    // What was found is the library's own, compiled into the program: its caller is meant.
    void go_outward();

  private:
    bool is_within_ = false;  // the library's frames have begun
    bool is_left_ = false;  // the last one that counts was neither the library's nor the program's
    bool is_over_ = false;
    const void* found_ = nullptr;
};

}  // namespace isthmus
