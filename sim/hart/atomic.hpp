// The read-modify-write operations, shared by the local and the remote atomics.
#pragma once

#include <type_traits>

namespace isthmus::sim::atomic {

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

}  // namespace isthmus::sim::atomic
