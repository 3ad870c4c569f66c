// The loops of kernels.hpp, included once for each processor with ISTHMUS_KERNELS naming the
// namespace. Nothing here may instantiate an inline function of another header: the linker would
// keep one copy of it for all, perhaps one that this processor cannot run.
#include "core/teams/collective/kernels.hpp"

namespace isthmus::collective::ISTHMUS_KERNELS {
namespace {

// Integer arithmetic is done in an unsigned type no narrower than int: it wraps around.
template <typename T> struct Wide { using Type = T; };
template <> struct Wide<std::uint8_t> { using Type = unsigned; };
template <> struct Wide<std::uint16_t> { using Type = unsigned; };

struct And { template <typename T> static T apply(T a, T b) { return static_cast<T>(a & b); } };
struct Or { template <typename T> static T apply(T a, T b) { return static_cast<T>(a | b); } };
struct Xor { template <typename T> static T apply(T a, T b) { return static_cast<T>(a ^ b); } };
struct Max { template <typename T> static T apply(T a, T b) { return a > b ? a : b; } };
struct Min { template <typename T> static T apply(T a, T b) { return a < b ? a : b; } };
struct Sum {
    template <typename T> static T apply(T a, T b) {
        using W = typename Wide<T>::Type;
        return static_cast<T>(static_cast<W>(a) + static_cast<W>(b));
    }
};
struct Prod {
    template <typename T> static T apply(T a, T b) {
        using W = typename Wide<T>::Type;
        return static_cast<T>(static_cast<W>(a) * static_cast<W>(b));
    }
};

// What arrives stands behind a word of 8 bytes, so that long double is not always at its alignment.
template <typename T> struct Stored {
    typedef T Type __attribute__((aligned(alignof(T) < 8 ? alignof(T) : 8)));  // `using` drops it
};

template <typename Op, typename T>
void combine(void* out, const void* a, const void* b, std::size_t elements) {
    using S = typename Stored<T>::Type;
    S* const to = static_cast<S*>(out);
    const S* const left = static_cast<const S*>(a);
    const S* const right = static_cast<const S*>(b);
    // Elementwise: an output that equals an input is no dependence.
#pragma GCC ivdep
    for (std::size_t i = 0; i < elements; ++i) to[i] = Op::template apply<T>(left[i], right[i]);
}

using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using i8 = std::int8_t;
using i16 = std::int16_t;
using i32 = std::int32_t;
using i64 = std::int64_t;
using Complex32 = __complex__ float;
using Complex64 = __complex__ double;

// Signs do not matter to bits, sums and products.
#define ISTHMUS_BITS(OP)                                                                        \
    { combine<OP, u8>, combine<OP, u16>, combine<OP, u32>, combine<OP, u64>, combine<OP, u8>,   \
      combine<OP, u16>, combine<OP, u32>, combine<OP, u64>, nullptr, nullptr, nullptr, nullptr, \
      nullptr }
#define ISTHMUS_ORDER(OP)                                                                       \
    { combine<OP, i8>, combine<OP, i16>, combine<OP, i32>, combine<OP, i64>, combine<OP, u8>,   \
      combine<OP, u16>, combine<OP, u32>, combine<OP, u64>, combine<OP, float>,                 \
      combine<OP, double>, combine<OP, long double>, nullptr, nullptr }
#define ISTHMUS_ARITHMETIC(OP)                                                                  \
    { combine<OP, u8>, combine<OP, u16>, combine<OP, u32>, combine<OP, u64>, combine<OP, u8>,   \
      combine<OP, u16>, combine<OP, u32>, combine<OP, u64>, combine<OP, float>,                 \
      combine<OP, double>, combine<OP, long double>, combine<OP, Complex32>,                    \
      combine<OP, Complex64> }

}  // namespace

const KernelTable kTable = {{ISTHMUS_BITS(And), ISTHMUS_BITS(Or), ISTHMUS_BITS(Xor),
                             ISTHMUS_ORDER(Max), ISTHMUS_ORDER(Min), ISTHMUS_ARITHMETIC(Sum),
                             ISTHMUS_ARITHMETIC(Prod)},
#define ISTHMUS_TEXT_(name) #name
#define ISTHMUS_TEXT(name) ISTHMUS_TEXT_(name)
                            ISTHMUS_TEXT(ISTHMUS_KERNELS)};

}  // namespace isthmus::collective::ISTHMUS_KERNELS
