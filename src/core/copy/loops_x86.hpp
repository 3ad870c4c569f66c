// Long copies on x86-64, one function an instruction set, and the limits between their loops.
#pragma once

#include <cstddef>

namespace isthmus {

// In bytes, ascending. Written once when the library is loaded, before any copy.
struct CopyLimits {
    std::size_t claim;         // from here on, lines of the destination are claimed ahead of stores
    std::size_t claim_narrow;  // from here on with 32-byte vectors, which then measure better
    std::size_t claim_wide;    // from here on with the widest again, in larger groups
    std::size_t string;        // from here on, the processor's own string move
    std::size_t stream;        // from here on, stores go past the caches
    bool shun_alias;           // copy downwards if dest is just ahead of source modulo 4096
};
extern CopyLimits copy_limits __attribute__((visibility("hidden")));

// The loops need more than 128 bytes.
void copy_avx2(void* dest, const void* source, std::size_t bytes);
void copy_avx512(void* dest, const void* source, std::size_t bytes);

}  // namespace isthmus
