// Rows of up to 512 bytes, many of them: the branch on the size is taken once, not once a row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace isthmus {

// `rows` rows of `row` bytes, their beginnings a pitch apart. No row overlaps another.
struct Rows {
    char* to;
    std::uint64_t to_pitch;
    const char* from;
    std::uint64_t from_pitch;
    std::uint64_t row;
    std::uint64_t rows;
};
using RowsCopy = void (*)(const Rows& rows);

// For rows of 17 to kLongestRow bytes. Written by a constructor, valid before.
inline constexpr std::uint64_t kLongestRow = 512;
extern RowsCopy copy_short_rows __attribute__((visibility("hidden")));

// One an instruction set, each compiled for it.
void copy_rows_plain(const Rows& rows);
void copy_rows_avx2(const Rows& rows);
void copy_rows_avx512(const Rows& rows);

// ---- implementation

// kVectors from either end; they meet or overlap in the middle. Internal linkage, for each file
// that includes this is compiled for another processor.
template <std::size_t kWidth, std::size_t kVectors>
[[gnu::always_inline]] static inline void copy_row_from_both_ends(char* to, const char* from,
                                                                  std::size_t bytes) {
    typedef char Vector __attribute__((vector_size(kWidth)));
    Vector front[kVectors];
    Vector back[kVectors];
    // One by one, or they would be moved by way of the stack; upwards, or stores to the same line
    // do not merge.
    const char* const from_back = from + bytes - kVectors * kWidth;
    char* const to_back = to + bytes - kVectors * kWidth;
    for (std::size_t i = 0; i < kVectors; ++i)
        std::memcpy(&front[i], from + i * kWidth, kWidth);
    for (std::size_t i = 0; i < kVectors; ++i)
        std::memcpy(&back[i], from_back + i * kWidth, kWidth);
    for (std::size_t i = 0; i < kVectors; ++i)
        std::memcpy(to + i * kWidth, &front[i], kWidth);
    for (std::size_t i = 0; i < kVectors; ++i)
        std::memcpy(to_back + i * kWidth, &back[i], kWidth);
}

template <std::size_t kWidth, std::size_t kVectors>
[[gnu::always_inline]] static inline void copy_rows_from_both_ends(const Rows& rows) {
    char* to = rows.to;
    const char* from = rows.from;
    for (std::uint64_t left = rows.rows; left != 0; --left) {
        copy_row_from_both_ends<kWidth, kVectors>(to, from, rows.row);
        to += rows.to_pitch;
        from += rows.from_pitch;
    }
}

}  // namespace isthmus
