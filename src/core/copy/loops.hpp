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

struct Vector32 {
    using Register = __m256i;
    static constexpr std::size_t kWidth = 32;
    static Register load(const char* from) {
        return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
    }
    static void store(char* to, Register value) {
        _mm256_store_si256(reinterpret_cast<__m256i*>(to), value);
    }
    static void stream(char* to, Register value) {
        _mm256_stream_si256(reinterpret_cast<__m256i*>(to), value);
    }
};

// `Vector` moves `width` bytes: load (anywhere), store (aligned), stream (aligned, past the
// caches).
enum class Stores { plain, claimed, streamed };

template <typename Vector, int kGroup, Stores kStores>
[[gnu::always_inline]] inline void copy_group(char* to, std::ptrdiff_t distance) {
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

template <std::size_t kStep>
[[gnu::always_inline]] inline void claim_lines(char* at) {
#pragma GCC unroll 8
    for (std::size_t line = 0; line < kStep; line += kLine)
        __builtin_prefetch(at + line, 1, 3);
}

// Streamed stores are not ordered with later ones; a flag must not overtake them.
inline void order_streamed() {
    _mm_sfence();
}

// Copies whole groups of `kGroup` vectors upwards; dest is aligned to a line. Returns the bytes
// copied, less than a group short of `bytes`. Nothing behind the block is claimed. Whoever streams
// calls order_streamed() afterwards.
template <typename Vector, int kGroup, Stores kStores>
[[gnu::always_inline]] inline std::size_t copy_upwards(char* dest, const char* source,
                                                       std::size_t bytes) {
    constexpr std::size_t kStep = kGroup * Vector::kWidth;
    static_assert(kStep % kLine == 0 && kClaimAhead % kStep == 0);
    const char* const end = dest + bytes / kStep * kStep;
    const std::ptrdiff_t distance = source - dest;
    char* to = dest;
    if constexpr (kStores == Stores::claimed) {
        for (; end - to > static_cast<std::ptrdiff_t>(kClaimAhead); to += kStep) {
            claim_lines<kStep>(to + kClaimAhead);
            copy_group<Vector, kGroup, kStores>(to, distance);
        }
    }
    for (; to != end; to += kStep)
        copy_group<Vector, kGroup, kStores>(to, distance);
    return static_cast<std::size_t>(to - dest);
}

// The same downwards: dest_end is aligned to a line.
template <typename Vector, int kGroup, Stores kStores>
[[gnu::always_inline]] inline std::size_t copy_downwards(char* dest_end, const char* source_end,
                                                         std::size_t bytes) {
    constexpr std::size_t kStep = kGroup * Vector::kWidth;
    static_assert(kStores != Stores::streamed && kStep % kLine == 0 && kClaimAhead % kStep == 0);
    const char* const end = dest_end - bytes / kStep * kStep;
    const std::ptrdiff_t distance = source_end - dest_end;
    char* to = dest_end;
    if constexpr (kStores == Stores::claimed) {
        while (to - end > static_cast<std::ptrdiff_t>(kClaimAhead)) {
            to -= kStep;
            claim_lines<kStep>(to - kClaimAhead);
            copy_group<Vector, kGroup, kStores>(to, distance);
        }
    }
    while (to != end) {
        to -= kStep;
        copy_group<Vector, kGroup, kStores>(to, distance);
    }
    return static_cast<std::size_t>(dest_end - to);
}

}  // namespace
}  // namespace isthmus
