// Long copies on x86-64, one function an instruction set, and the limits between their loops.
#pragma once

#include <cstddef>

namespace isthmus {

// In bytes, ascending. Written once when the library is loaded, before any copy.
struct CopyLimits {
    std::size_t turn;    // from here on, every other copy runs downwards, claiming lines ahead
    std::size_t stream;  // from here on, stores go past the caches
    bool shun_alias;     // copy downwards if dest is just ahead of source modulo 4096
};
extern CopyLimits copy_limits __attribute__((visibility("hidden")));

// Which way the next copy of this thread runs. A block that does not fit in a cache and is copied
// again from its beginning finds nothing of itself there: each line is thrown out just before its
// turn. Run from the end that was touched last, it finds all that the cache can hold.
extern constinit thread_local bool copy_downwards_next
    __attribute__((visibility("hidden"), tls_model("initial-exec")));

[[gnu::always_inline]] inline bool turn_copy() {
    return copy_downwards_next = !copy_downwards_next;
}

// The loops need more than 128 bytes.
void copy_avx2(void* dest, const void* source, std::size_t bytes);
void copy_avx512(void* dest, const void* source, std::size_t bytes);
void copy_streamed_avx2(void* dest, const void* source, std::size_t bytes);
void copy_streamed_avx512(void* dest, const void* source, std::size_t bytes);
// Any size.
void copy_any_avx2(void* dest, const void* source, std::size_t bytes);
void copy_any_avx512(void* dest, const void* source, std::size_t bytes);

}  // namespace isthmus
