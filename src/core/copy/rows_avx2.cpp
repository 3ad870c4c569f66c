// Compiled with -mavx2; called only where the processor has it.
#include "core/copy/rows.hpp"

namespace isthmus {

void copy_rows_avx2(const Rows& rows) {
    if (rows.row <= 32) return copy_rows_from_both_ends<16, 1>(rows);
    if (rows.row <= 64) return copy_rows_from_both_ends<32, 1>(rows);
    if (rows.row <= 128) return copy_rows_from_both_ends<32, 2>(rows);
    if (rows.row <= 256) return copy_rows_from_both_ends<32, 4>(rows);
    copy_rows_from_both_ends<32, 8>(rows);
}

}  // namespace isthmus
