#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "core/copy/choose.hpp"
#include "core/copy/loops_x86.hpp"
#include "core/copy/parameters.hpp"

namespace isthmus {

namespace {

// The first level's size by an instruction; what else is known of the caches is read from files,
// when it is first wanted.
std::size_t level1_size() {
    const long bytes = sysconf(_SC_LEVEL1_DCACHE_SIZE);
    return bytes > 0 ? static_cast<std::size_t>(bytes) : 0;
}

void copy_by_library(void* dest, const void* source, std::size_t bytes) {
    std::memcpy(dest, source, bytes);
}
void copy_part_by_library(std::size_t, void* dest, const void* source, std::size_t bytes) {
    std::memcpy(dest, source, bytes);
}

// 64-byte vectors: not where they slow the clock down (before Ice Lake, the first with VBMI2).
bool has_wide_vectors() {
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vbmi2");
}

constexpr ChosenCopy kNarrow{copy_avx2, copy_any_avx2, copy_within_avx2, copy_by_avx2,
                             "32-byte vectors"};

}  // namespace

ChosenCopy widest_copy() {
    copy_looks_from = std::min(kLongBlock, standard_parameters({level1_size(), 0, 0, 1}).turn);
    if (has_wide_vectors())
        return {copy_avx512, copy_any_avx512, copy_within_avx512, copy_by_avx512,
                "64-byte vectors"};
    if (__builtin_cpu_supports("avx2")) return kNarrow;
    return {copy_by_library, copy_by_library, copy_part_by_library, nullptr,
            "memcpy of the C library (the processor has no AVX2)"};
}

ChosenCopy narrower_copy() {
    return has_wide_vectors() ? kNarrow : ChosenCopy{};
}

}  // namespace isthmus
