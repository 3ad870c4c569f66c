// The read-modify-write operations, shared by the local and the remote atomics.
#pragma once

#include <cstdint>
#include <type_traits>

namespace isthmus::sim {

/// Those of the A extension, and compare-and-swap.
enum class AtomicOperation : std::uint8_t {
    swap,
    add,
    bit_xor,
    bit_and,
    bit_or,
    min,
    max,
    minu,
    maxu,
    compare_swap
};

namespace atomic {

// T is a signed type; the unsigned operations look at the same bits.

template <class T>
T swap_(T, T operand) {
    return operand;
}
template <class T>
T add_(T old, T operand) {
    using U = std::make_unsigned_t<T>;
    return static_cast<T>(static_cast<U>(old) + static_cast<U>(operand));
}
template <class T>
T xor_(T old, T operand) {
    return old ^ operand;
}
template <class T>
T and_(T old, T operand) {
    return old & operand;
}
template <class T>
T or_(T old, T operand) {
    return old | operand;
}
template <class T>
T min_(T old, T operand) {
    return old < operand ? old : operand;
}
template <class T>
T max_(T old, T operand) {
    return old > operand ? old : operand;
}
template <class T>
T minu_(T old, T operand) {
    using U = std::make_unsigned_t<T>;
    return static_cast<U>(old) < static_cast<U>(operand) ? old : operand;
}
template <class T>
T maxu_(T old, T operand) {
    using U = std::make_unsigned_t<T>;
    return static_cast<U>(old) > static_cast<U>(operand) ? old : operand;
}

template <class T>
T apply(AtomicOperation operation, T old, T operand, T compare) {
    using enum AtomicOperation;
    switch (operation) {
        case swap: break;
        case add: return add_(old, operand);
        case bit_xor: return xor_(old, operand);
        case bit_and: return and_(old, operand);
        case bit_or: return or_(old, operand);
        case min: return min_(old, operand);
        case max: return max_(old, operand);
        case minu: return minu_(old, operand);
        case maxu: return maxu_(old, operand);
        case compare_swap: return old == compare ? operand : old;
    }
    return swap_(old, operand);
}

}  // namespace atomic

/// The new value of `bytes` (4 or 8) bytes. 4-byte values are taken from the low halves.
inline std::uint64_t apply_atomic(AtomicOperation operation, std::uint64_t old,
                                  std::uint64_t operand, std::uint64_t compare,
                                  std::uint64_t bytes) {
    const auto as = [&]<class T>() {
        return static_cast<std::make_unsigned_t<T>>(atomic::apply(
            operation, static_cast<T>(old), static_cast<T>(operand), static_cast<T>(compare)));
    };
    return bytes == 4 ? as.template operator()<std::int32_t>()
                      : as.template operator()<std::int64_t>();
}

}  // namespace isthmus::sim
