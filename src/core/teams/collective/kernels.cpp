#include "core/teams/collective/kernels.hpp"

#include <initializer_list>

namespace isthmus::collective {
namespace {

#if defined(__x86_64__)
const KernelTable& choose() {
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl"))
        return avx512::kTable;
    if (__builtin_cpu_supports("avx2")) return avx2::kTable;
    return baseline::kTable;
}
#else
const KernelTable& choose() {
    return baseline::kTable;
}
#endif

}  // namespace

namespace {

// GCC 12 fuses the multiplications and additions of complex products although it is told not to
// contract; the baseline has nothing to fuse with, and the bits are the same on every processor.
KernelTable with_unfused_products() {
    KernelTable table = choose();
    for (const Kind kind : {Kind::c32, Kind::c64}) {
        constexpr int prod = static_cast<int>(Operation::prod);
        table.combine[prod][static_cast<int>(kind)] =
            baseline::kTable.combine[prod][static_cast<int>(kind)];
    }
    return table;
}

}  // namespace

const KernelTable& kernels() {
    static const KernelTable table = with_unfused_products();
    return table;
}

}  // namespace isthmus::collective
