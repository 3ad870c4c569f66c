// The switch between what is right and a fault of the catalogue. faults.py writes an include of
// this file, and calls of isthmus_fault(), into a copy of the tree; nothing else includes it.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>

namespace isthmus_faults {

// Constant initialisation: faults may be asked for before main(). Two threads that look at once
// find the same.
inline int chosen = -1;
inline bool reached = false;

[[gnu::noinline]] inline bool is_on(int number) {
    if (chosen < 0) {
        const char* const text = std::getenv("TEST_FAULT");
        chosen = text ? std::atoi(text) : 0;
    }
    if (chosen != number) return false;
    if (!reached) {
        reached = true;
        const char* const mark = std::getenv("TEST_FAULT_REACHED");
        const int file = mark ? open(mark, O_CREAT | O_WRONLY | O_CLOEXEC, 0666) : -1;
        if (file >= 0) close(file);
    }
    return true;
}

}  // namespace isthmus_faults

constexpr bool isthmus_fault(int number) {
    if (__builtin_is_constant_evaluated()) return false;
    return isthmus_faults::is_on(number);
}
