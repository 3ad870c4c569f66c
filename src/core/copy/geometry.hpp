// Geometry: shapes of transfers, reduced to rows. One pass, no staging.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "core/copy/copy.hpp"
#include "core/copy/rows.hpp"

namespace isthmus {

// Planes of rows of bytes; a strided transfer has one plane. Pitches are start to start, in bytes.
struct Shape {
    std::uint64_t row = 0;   // bytes of a row
    std::uint64_t rows = 0;  // of a plane
    std::uint64_t planes = 1;
};
struct Pitch {
    std::uint64_t row = 0;
    std::uint64_t plane = 0;
};

// Bytes from the first to behind the last byte of the shape; false if that overflows.
inline bool extent(const Shape& shape, const Pitch& pitch, std::uint64_t& bytes) {
    bytes = 0;
    if (shape.row == 0 || shape.rows == 0 || shape.planes == 0) return true;
    std::uint64_t rows = 0;
    std::uint64_t planes = 0;
    return !__builtin_mul_overflow(shape.rows - 1, pitch.row, &rows) &&
           !__builtin_mul_overflow(shape.planes - 1, pitch.plane, &planes) &&
           !__builtin_add_overflow(rows, planes, &bytes) &&
           !__builtin_add_overflow(bytes, shape.row, &bytes);
}

template <std::size_t kRow>
void copy_fixed_rows(char* to, std::uint64_t to_pitch, const char* from, std::uint64_t from_pitch,
                     std::uint64_t rows) {
    for (std::uint64_t i = 0; i < rows; ++i)
        std::memcpy(to + i * to_pitch, from + i * from_pitch, kRow);
}

inline void copy_rows(char* to, std::uint64_t to_pitch, const char* from, std::uint64_t from_pitch,
                      std::uint64_t row, std::uint64_t rows) {
    if (to_pitch == row && from_pitch == row) return copy(to, from, row * rows);  // dense
    switch (row) {  // single elements of a column: the size is known to the compiler
        case 1: return copy_fixed_rows<1>(to, to_pitch, from, from_pitch, rows);
        case 2: return copy_fixed_rows<2>(to, to_pitch, from, from_pitch, rows);
        case 4: return copy_fixed_rows<4>(to, to_pitch, from, from_pitch, rows);
        case 8: return copy_fixed_rows<8>(to, to_pitch, from, from_pitch, rows);
        case 16: return copy_fixed_rows<16>(to, to_pitch, from, from_pitch, rows);
        default: break;
    }
    if (row > 16 && row <= kLongestRow)
        return copy_short_rows({to, to_pitch, from, from_pitch, row, rows});
    for (std::uint64_t i = 0; i < rows; ++i)
        copy(to + i * to_pitch, from + i * from_pitch, row);
}

inline void copy_shape(char* to, const Pitch& to_pitch, const char* from, const Pitch& from_pitch,
                       const Shape& shape) {
    for (std::uint64_t plane = 0; plane < shape.planes; ++plane)
        copy_rows(to + plane * to_pitch.plane, to_pitch.row, from + plane * from_pitch.plane,
                  from_pitch.row, shape.row, shape.rows);
}

}  // namespace isthmus
