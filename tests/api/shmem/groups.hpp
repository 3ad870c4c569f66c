// What the tests of team and active-set collectives share: groups of PEs, operands in both kinds of
// symmetric memory, and the model that says what each PE must find.
#pragma once

#include <complex>

#include "harness.hpp"

namespace test {

// An ordered set of PEs, as a team or as an active set.
struct Group {
    const char* name;
    int start, stride, size;
    shmem_team_t team = SHMEM_TEAM_INVALID;

    int world(int index) const { return start + index * stride; }
    int index() const {
        for (int i = 0; i < size; ++i) {
            if (world(i) == shmem_my_pe()) return i;
        }
        return -1;
    }
};

inline constexpr int kLargest = 7;  // elements of one PE
inline constexpr std::size_t kOperandBytes = 8 * kLargest * 3 * 16 + 64;
alignas(16) inline char static_operands[3][kOperandBytes];
inline char* heap_operands[3];
inline int place = 0;  // alternates from call to call

template <typename T>
T* operand(int number) {
    return reinterpret_cast<T*>(place == 0 ? heap_operands[number] : static_operands[number]);
}

// Values of a reduction that every order of adding gives exactly: integers wrap, the floating types
// get small whole numbers.
template <typename T>
T term(int element, int pe) {
    if constexpr (std::is_integral_v<T>) {
        return sample<T>(element + (pe & 1), pe);
    } else {
        const auto small = [&](int salt) {
            return static_cast<int>(mix(static_cast<std::uint64_t>(element * 64 + pe * 4 + salt)) %
                                    7) -
                   3;
        };
        if constexpr (std::is_floating_point_v<T>)
            return static_cast<T>(small(0));
        else
            return T(static_cast<typename T::value_type>(small(0)),
                     static_cast<typename T::value_type>(small(1)));
    }
}

enum class Operator { bit_and, bit_or, bit_xor, maximum, minimum, sum, product };

template <Operator Op, typename T>
T combine(T left, T right) {
    if constexpr (Op == Operator::bit_and)
        return static_cast<T>(left & right);
    else if constexpr (Op == Operator::bit_or)
        return static_cast<T>(left | right);
    else if constexpr (Op == Operator::bit_xor)
        return static_cast<T>(left ^ right);
    else if constexpr (Op == Operator::maximum)
        return left < right ? right : left;
    else if constexpr (Op == Operator::minimum)
        return right < left ? right : left;
    else if constexpr (std::is_integral_v<T>) {
        const auto l = static_cast<std::uint64_t>(left);
        const auto r = static_cast<std::uint64_t>(right);
        return static_cast<T>(Op == Operator::sum ? l + r : l * r);
    } else {
        return Op == Operator::sum ? left + right : left * right;
    }
}

// What members first..last (exclusive) of the group make together; T{} if none.
template <Operator Op, typename T>
T combined(const Group& group, int element, int first, int last) {
    T value{};
    for (int i = first; i < last; ++i) {
        const T next = term<T>(element, group.world(i));
        value = i == first ? next : combine<Op>(value, next);
    }
    return value;
}

// Clears the destination, fills the source with value(i), waits for all PEs, calls body if this PE
// is a member. Afterwards the other place.
template <typename T, typename Value, typename Body>
void collective(const Group& group, int elements, Value&& value, Body&& body) {
    std::memset(static_cast<void*>(operand<T>(0)), Arena::kUntouched, kOperandBytes);
    for (int i = 0; i < elements; ++i)
        operand<T>(1)[i] = value(i);
    shmem_barrier_all();
    if (group.index() >= 0) body(operand<T>(0), static_cast<const T*>(operand<T>(1)));
    shmem_barrier_all();
    place = 1 - place;
}

inline void make_operands() {
    for (char*& each : heap_operands)
        each = static_cast<char*>(shmem_align(16, kOperandBytes));
}
inline void free_operands() {
    for (char* each : heap_operands)
        shmem_free(each);
}

template <int Bits>
struct Bytes {
    unsigned char bytes[Bits / 8];
};

}  // namespace test
