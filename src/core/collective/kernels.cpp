#include "core/collective/kernels.hpp"

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
const KernelTable& choose() { return baseline::kTable; }
#endif

}  // namespace

const KernelTable& kernels() {
    static const KernelTable& chosen = choose();
    return chosen;
}

}  // namespace isthmus::collective
