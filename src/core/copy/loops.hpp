// The copy loop over vectors of one width. Included by the file of each instruction set, which
// alone may use that set: everything here is in an unnamed namespace or inlined, so that no other
// file can be given this code by the linker.
//
// Every store of the loops is aligned to a cache line; loads are where they must be. Groups are
// loaded before they are stored, so that dest == source is harmless.
#pragma once

#include <immintrin.h>

#include <cstddef>
#include <cstdint>

namespace isthmus {
namespace {

inline constexpr std::size_t kLine = 64;
// How far ahead lines of the destination are claimed. 256 to 1024 measure alike.
inline constexpr std::size_t kClaimAhead = 512;

inline std::size_t to_line_boundary(const char* address) {
    return -reinterpret_cast<std::uintptr_t>(address) & (kLine - 1);
}

// The processor's own loop.
inline void copy_by_string_move(char* to, const char* from, std::size_t bytes) {
    __asm__ __volatile__("rep movsb" : "+D"(to), "+S"(from), "+c"(bytes) : : "memory");
}

// `Vector` moves `width` bytes: load (anywhere), store (aligned), stream (aligned, past the
// caches).
enum class Stores { plain, claimed, streamed };

// Copies whole groups of `kGroup` vectors upwards; dest is aligned to a line. Returns the bytes
// copied, less than a group short of `bytes`.
template <typename Vector, int kGroup, Stores kStores>
[[gnu::always_inline]] inline std::size_t copy_upwards(char* dest, const char* source,
                                                       std::size_t bytes) {
    constexpr std::size_t kStep = kGroup * Vector::kWidth;
    static_assert(kStep % kLine == 0);
    const char* const end = dest + bytes / kStep * kStep;
    const std::ptrdiff_t distance = source - dest;
    char* to = dest;
    for (; to != end; to += kStep) {
        if constexpr (kStores == Stores::claimed) {
#pragma GCC unroll 8
            for (std::size_t line = 0; line < kStep; line += kLine)
                __builtin_prefetch(to + kClaimAhead + line, 1, 3);
        }
        typename Vector::Register group[kGroup];
#pragma GCC unroll 8
        for (int i = 0; i < kGroup; ++i)
            group[i] = Vector::load(to + distance + i * Vector::kWidth);
#pragma GCC unroll 8
        for (int i = 0; i < kGroup; ++i) {
            if constexpr (kStores == Stores::streamed)
                Vector::stream(to + i * Vector::kWidth, group[i]);
            else
                Vector::store(to + i * Vector::kWidth, group[i]);
        }
    }
    // Streamed stores are not ordered with later ones; a flag must not overtake them.
    if constexpr (kStores == Stores::streamed) _mm_sfence();
    return static_cast<std::size_t>(to - dest);
}

// The same downwards: dest_end is aligned to a line.
template <typename Vector, int kGroup>
[[gnu::always_inline]] inline std::size_t copy_downwards(char* dest_end, const char* source_end,
                                                         std::size_t bytes) {
    constexpr std::size_t kStep = kGroup * Vector::kWidth;
    static_assert(kStep % kLine == 0);
    const char* const end = dest_end - bytes / kStep * kStep;
    const std::ptrdiff_t distance = source_end - dest_end;
    char* to = dest_end;
    while (to != end) {
        to -= kStep;
        typename Vector::Register group[kGroup];
#pragma GCC unroll 8
        for (int i = 0; i < kGroup; ++i)
            group[i] = Vector::load(to + distance + i * Vector::kWidth);
#pragma GCC unroll 8
        for (int i = kGroup - 1; i >= 0; --i)
            Vector::store(to + i * Vector::kWidth, group[i]);
    }
    return static_cast<std::size_t>(dest_end - to);
}

}  // namespace
}  // namespace isthmus
