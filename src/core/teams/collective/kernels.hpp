// The arithmetic of reductions: one loop for each operation and kind of number, compiled for the
// baseline processor and for wider vectors, chosen once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace isthmus::collective {

enum class Operation : std::uint8_t { bit_and, bit_or, bit_xor, max, min, sum, prod, count };

// Kinds of numbers. Types that differ in name only (long, long long, size_t) are one kind.
enum class Kind : std::uint8_t {
    i8,
    i16,
    i32,
    i64,
    u8,
    u16,
    u32,
    u64,
    f32,
    f64,
    f80,
    c32,
    c64,
    count
};

// out[i] = a[i] OP b[i]. `out` may equal `a` or `b`; otherwise the three do not overlap.
using Combine = void (*)(void* out, const void* a, const void* b, std::size_t elements);

struct KernelTable {
    Combine combine[static_cast<int>(Operation::count)][static_cast<int>(Kind::count)];
    const char* name;
};

// The table for this processor.
const KernelTable& kernels();
inline Combine kernel(Operation operation, Kind kind) {
    return kernels().combine[static_cast<int>(operation)][static_cast<int>(kind)];
}

inline constexpr std::size_t kKindBytes[] = {1, 2, 4, 8, 1, 2, 4, 8, 4, 8, sizeof(long double),
                                             8, 16};

// The kind of a type that the standard's tables name; complex types are given as `Kind` directly.
template <typename T>
constexpr Kind kind_of() {
    if constexpr (std::is_same_v<T, float>)
        return Kind::f32;
    else if constexpr (std::is_same_v<T, double>)
        return Kind::f64;
    else if constexpr (std::is_same_v<T, long double>)
        return Kind::f80;
    else if constexpr (std::is_integral_v<T>) {
        constexpr int width = sizeof(T) == 1 ? 0 : sizeof(T) == 2 ? 1 : sizeof(T) == 4 ? 2 : 3;
        return static_cast<Kind>(width + (std::is_signed_v<T> ? 0 : 4));
    } else {
        return sizeof(T) == 8 ? Kind::c32 : Kind::c64;
    }
}

// One for each way the loops are compiled.
namespace baseline {
extern const KernelTable kTable;
}
namespace avx2 {
extern const KernelTable kTable;
}
namespace avx512 {
extern const KernelTable kTable;
}

}  // namespace isthmus::collective
