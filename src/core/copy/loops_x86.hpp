// Long copies on x86-64: one function an instruction set, and which of its loops a block takes.
#pragma once

#include <cstddef>
#include <cstdint>

namespace isthmus {

// Blocks of less are copied by the plain loop before anything is looked at: the smaller of
// kLongBlock and what fits in the first level. Written once when the library is loaded.
extern std::size_t copy_looks_from __attribute__((visibility("hidden")));

// Copies of less than that with 32-byte vectors run downwards if dest is just ahead of source
// modulo 4096, where stores hold up the loads behind them.
inline constexpr std::size_t kAliasBytes = 512;  // a few groups' worth of stores still under way
[[gnu::always_inline]] inline bool is_alias(const void* dest, const void* source) {
    const auto distance =
        reinterpret_cast<std::uintptr_t>(dest) - reinterpret_cast<std::uintptr_t>(source);
    return distance % 4096 - 1 < kAliasBytes;
}

// Which way the next alternating copy of this thread runs. A block that does not fit in a cache and
// is copied again from its beginning finds nothing of itself there: each line is thrown out just
// before its turn. Run from the end that was touched last, it finds all that the cache can hold.
extern constinit thread_local bool copy_downwards_next
    __attribute__((visibility("hidden"), tls_model("initial-exec")));

// One loop.
enum class Road : std::uint8_t {
    plain,
    plain_downwards,
    claimed,
    claimed_downwards,
    string,
    streamed_narrow,
    streamed
};

// A block of at least copy_looks_from bytes that is part of an operation of `whole` bytes, by these
// loops.
void copy_chosen(void (*copy_by)(Road road, void* dest, const void* source, std::size_t bytes),
                 std::size_t whole, void* dest, const void* source, std::size_t bytes);

// The loops need more than 128 bytes, those by a road more than 512.
void copy_avx2(void* dest, const void* source, std::size_t bytes);
void copy_avx512(void* dest, const void* source, std::size_t bytes);
void copy_within_avx2(std::size_t whole, void* dest, const void* source, std::size_t bytes);
void copy_within_avx512(std::size_t whole, void* dest, const void* source, std::size_t bytes);
void copy_by_avx2(Road road, void* dest, const void* source, std::size_t bytes);
void copy_by_avx512(Road road, void* dest, const void* source, std::size_t bytes);
// Any size.
void copy_any_avx2(void* dest, const void* source, std::size_t bytes);
void copy_any_avx512(void* dest, const void* source, std::size_t bytes);

// The processor's own copy.
[[gnu::always_inline]] inline void copy_by_string(void* dest, const void* source,
                                                  std::size_t bytes) {
    __asm__ __volatile__("rep movsb" : "+D"(dest), "+S"(source), "+c"(bytes)::"memory");
}

}  // namespace isthmus
