#include "core/copy/rows.hpp"

#include "core/copy/copy.hpp"

namespace isthmus {

// 16-byte vectors, which every processor that we know of has.
void copy_rows_plain(const Rows& rows) {
    if (rows.row <= 32) return copy_rows_from_both_ends<16, 1>(rows);
    if (rows.row <= 64) return copy_rows_from_both_ends<16, 2>(rows);
    if (rows.row <= 128) return copy_rows_from_both_ends<16, 4>(rows);
    for (std::uint64_t i = 0; i < rows.rows; ++i)
        copy_long(rows.to + i * rows.to_pitch, rows.from + i * rows.from_pitch, rows.row);
}

constinit RowsCopy copy_short_rows = copy_rows_plain;

#if defined(__x86_64__)
namespace {

// As the long copies choose (choose_x86.cpp): 64-byte vectors not where they slow the clock down.
[[gnu::constructor]] void choose_rows() {
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vbmi2"))
        copy_short_rows = copy_rows_avx512;
    else if (__builtin_cpu_supports("avx2"))
        copy_short_rows = copy_rows_avx2;
}

}  // namespace
#endif

}  // namespace isthmus
