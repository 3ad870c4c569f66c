// The six comparisons of point-to-point synchronisation (9.11).
#pragma once

#include <shmem.h>

#include <string>

#include "base/error.hpp"
#include "core/wait/wait.hpp"

namespace isthmus::shmem {

// Without a branch on `comparison`: one hexadecimal digit for each, in it one bit for each of
// equal, greater, less that satisfies it.
template <typename T>
inline bool compare(T left, int comparison, T right) {
    static_assert(SHMEM_CMP_EQ == 0 && SHMEM_CMP_NE == 1 && SHMEM_CMP_GT == 2 &&
                  SHMEM_CMP_LE == 3 && SHMEM_CMP_LT == 4 && SHMEM_CMP_GE == 5);
    constexpr unsigned kSatisfied = 0x345261;
    const unsigned order = (left > right ? 1u : 0u) | (left < right ? 2u : 0u);
    return (kSatisfied >> (static_cast<unsigned>(comparison) * 4 + order) & 1u) != 0;
}

inline void require_comparison(int comparison, const char* routine) {
    if (static_cast<unsigned>(comparison) > SHMEM_CMP_GE) [[unlikely]]
        refuse(routine, "cmp " + std::to_string(comparison) +
                            " is none of SHMEM_CMP_EQ, NE, GT, GE, "
                            "LT, LE");
}

// The same for the stall report.
inline Condition condition_of(int comparison) {
    return static_cast<Condition>(comparison + 1);
}
static_assert(static_cast<int>(Condition::equal) == SHMEM_CMP_EQ + 1 &&
              static_cast<int>(Condition::not_equal) == SHMEM_CMP_NE + 1 &&
              static_cast<int>(Condition::greater) == SHMEM_CMP_GT + 1 &&
              static_cast<int>(Condition::less_equal) == SHMEM_CMP_LE + 1 &&
              static_cast<int>(Condition::less) == SHMEM_CMP_LT + 1 &&
              static_cast<int>(Condition::greater_equal) == SHMEM_CMP_GE + 1);

}  // namespace isthmus::shmem
