// Compiled with -mavx512f; called only where the processor has it.
#include "core/copy/rows.hpp"

namespace isthmus {

void copy_rows_avx512(const Rows& rows) {
    if (rows.row <= 32) return copy_rows_from_both_ends<16, 1>(rows);
    if (rows.row <= 64) return copy_rows_from_both_ends<32, 1>(rows);
    if (rows.row <= 128) return copy_rows_from_both_ends<64, 1>(rows);
    // Rows lie at any address. A 64-byte store then nearly always lies in two lines, which costs
    // more than two stores; of the 32-byte ones every other does not.
    if (rows.row <= 256) return copy_rows_from_both_ends<32, 4>(rows);
    copy_rows_from_both_ends<32, 8>(rows);
}

}  // namespace isthmus
