// The six comparisons of point-to-point synchronisation (9.11).
#pragma once

#include <shmem.h>

#include <string>

#include "base/error.hpp"

namespace isthmus::shmem {

template <typename T>
inline bool compare(T left, int comparison, T right) {
    switch (comparison) {
        case SHMEM_CMP_EQ: return left == right;
        case SHMEM_CMP_NE: return left != right;
        case SHMEM_CMP_GT: return left > right;
        case SHMEM_CMP_GE: return left >= right;
        case SHMEM_CMP_LT: return left < right;
        default: return left <= right;
    }
}

inline void require_comparison(int comparison, const char* routine) {
    static_assert(SHMEM_CMP_EQ == 0 && SHMEM_CMP_GE == 5);
    if (static_cast<unsigned>(comparison) > 5) [[unlikely]]
        fail(routine, "cmp " + std::to_string(comparison) + " is none of SHMEM_CMP_EQ, NE, GT, GE, "
                      "LT, LE");
}

}  // namespace isthmus::shmem
