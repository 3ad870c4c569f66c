// IEEE 754 binary32 and binary64 in integers: every operation exact, with the flags and rounding
// modes of RISC-V.
//
// All operations work on one intermediate form, sign * significand * 2^exponent with a 128-bit
// significand whose lowest bit may stand for "and something more", and one function rounds it.
// Tininess is detected after rounding.
#pragma once

#include <bit>
#include <cstdint>

namespace isthmus::sim::soft_float {

enum Rounding : unsigned {
    kNearestEven = 0,
    kTowardZero = 1,
    kDown = 2,
    kUp = 3,
    kNearestMaxMagnitude = 4
};
enum Flag : unsigned {
    kInexact = 1,
    kUnderflow = 2,
    kOverflow = 4,
    kDivideByZero = 8,
    kInvalid = 16
};

using u128 = unsigned __int128;

struct Single {
    using Bits = std::uint32_t;
    using Host = float;
    static constexpr int kFraction = 23, kExponent = 8;
};
struct Double {
    using Bits = std::uint64_t;
    using Host = double;
    static constexpr int kFraction = 52, kExponent = 11;
};

template <class F>
struct Layout {
    using Bits = typename F::Bits;
    static constexpr int kWidth = F::kFraction + F::kExponent + 1;
    static constexpr int kBias = (1 << (F::kExponent - 1)) - 1;
    static constexpr int kMaxExponent = (1 << F::kExponent) - 1;
    static constexpr Bits kSign = Bits{1} << (kWidth - 1);
    static constexpr Bits kFractionMask = (Bits{1} << F::kFraction) - 1;
    static constexpr Bits kInfinity = static_cast<Bits>(kMaxExponent) << F::kFraction;
    static constexpr Bits kQuietBit = Bits{1} << (F::kFraction - 1);
    static constexpr Bits kNan = kInfinity | kQuietBit;  // the canonical NaN
    static constexpr Bits kLargest = kInfinity - 1;
};

template <class F>
constexpr bool is_nan(typename F::Bits a) {
    return (a & ~Layout<F>::kSign) > Layout<F>::kInfinity;
}
template <class F>
constexpr bool is_signaling(typename F::Bits a) {
    return is_nan<F>(a) && !(a & Layout<F>::kQuietBit);
}
template <class F>
constexpr bool is_infinite(typename F::Bits a) {
    return (a & ~Layout<F>::kSign) == Layout<F>::kInfinity;
}
template <class F>
constexpr bool is_zero(typename F::Bits a) {
    return (a & ~Layout<F>::kSign) == 0;
}
template <class F>
constexpr bool sign_of(typename F::Bits a) {
    return (a & Layout<F>::kSign) != 0;
}

/// A finite number: significand * 2^exponent.
struct Number {
    bool sign = false;
    int exponent = 0;
    u128 significand = 0;
};

constexpr int top_bit(u128 v) {
    const auto high = static_cast<std::uint64_t>(v >> 64);
    return high ? 127 - std::countl_zero(high)
                : 63 - std::countl_zero(static_cast<std::uint64_t>(v));
}

/// Shifts right and keeps in the lowest bit whether anything was lost.
constexpr u128 shift_right_sticky(u128 v, int n) {
    if (n <= 0) return v;
    if (n > 127) return v != 0;
    return (v >> n) | ((v & ((u128{1} << n) - 1)) != 0);
}

template <class F>
constexpr Number unpack(typename F::Bits a) {
    using L = Layout<F>;
    Number n;
    n.sign = sign_of<F>(a);
    const int exponent = static_cast<int>((a >> F::kFraction) & L::kMaxExponent);
    n.significand = a & L::kFractionMask;
    if (exponent) n.significand |= L::kFractionMask + 1;
    n.exponent = (exponent ? exponent : 1) - L::kBias - F::kFraction;
    return n;
}

/// Whether to add one unit after cutting; `half` is the first bit cut, `rest` whether any later one
/// is set.
constexpr bool rounds_up(unsigned mode, bool sign, bool odd, bool half, bool rest) {
    switch (mode) {
        case kNearestEven: return half && (rest || odd);
        case kTowardZero: return false;
        case kDown: return sign && (half || rest);
        case kUp: return !sign && (half || rest);
        default: return half;
    }
}

/// Rounds a finite, non-zero number (zero gives a zero of its sign).
template <class F>
constexpr typename F::Bits round_pack(Number n, unsigned mode, unsigned& flags) {
    using L = Layout<F>;
    using Bits = typename F::Bits;
    const Bits sign = n.sign ? L::kSign : 0;
    if (n.significand == 0) return sign;
    const int top = top_bit(n.significand);
    const int exponent = n.exponent + top;  // of the leading bit
    constexpr int kLowest = 1 - L::kBias;
    const bool subnormal = exponent < kLowest;
    // Bits to cut so that the last one kept is the unit of the result.
    const int cut = subnormal ? kLowest - F::kFraction - n.exponent : top - F::kFraction;
    std::uint64_t kept;
    bool half = false, rest = false;
    const auto split = [&](int bits, std::uint64_t& keep, bool& h, bool& r) {
        if (bits <= 0) {
            keep = static_cast<std::uint64_t>(n.significand << -bits);
            h = r = false;
        } else if (bits > 127) {
            keep = 0;
            h = false;
            r = true;
        } else {
            keep = static_cast<std::uint64_t>(n.significand >> bits);
            h = (n.significand >> (bits - 1)) & 1;
            r = (n.significand & ((u128{1} << (bits - 1)) - 1)) != 0;
        }
    };
    split(cut, kept, half, rest);
    const bool inexact = half || rest;
    if (rounds_up(mode, n.sign, kept & 1, half, rest)) ++kept;
    if (subnormal) {
        if (inexact) {
            flags |= kInexact;
            // Tiny unless rounding to full precision with unbounded exponent reaches the lowest
            // normal number.
            bool tiny = true;
            if (exponent == kLowest - 1) {
                std::uint64_t full;
                bool h = false, r = false;
                split(top - F::kFraction, full, h, r);
                if (rounds_up(mode, n.sign, full & 1, h, r)) ++full;
                tiny = full >> (F::kFraction + 1) == 0;
            }
            if (tiny) flags |= kUnderflow;
        }
        return sign | static_cast<Bits>(
                          kept);  // a carry into the exponent makes it the lowest normal number
    }
    int biased = exponent + L::kBias;
    if (kept >> (F::kFraction + 1)) {
        kept >>= 1;
        ++biased;
    }
    if (biased >= L::kMaxExponent) {
        flags |= kOverflow | kInexact;
        const bool to_infinity = mode == kNearestEven || mode == kNearestMaxMagnitude ||
                                 (mode == kUp && !n.sign) || (mode == kDown && n.sign);
        return sign | (to_infinity ? L::kInfinity : L::kLargest);
    }
    if (inexact) flags |= kInexact;
    return sign | static_cast<Bits>(biased) << F::kFraction |
           (static_cast<Bits>(kept) & L::kFractionMask);
}

template <class F>
constexpr typename F::Bits nan_result(unsigned& flags, bool invalid) {
    if (invalid) flags |= kInvalid;
    return Layout<F>::kNan;
}

/// The exact sum up to a sticky bit; the result of an exact cancellation has significand 0.
constexpr Number sum(Number a, Number b, unsigned mode) {
    if (a.significand == 0 && b.significand == 0) {
        a.sign = a.sign == b.sign ? a.sign : mode == kDown;
        return a;
    }
    if (a.significand == 0) return b;
    if (b.significand == 0) return a;
    // Both leading bits to bit 125: one spare for the carry, and at least 19 below every
    // significand that occurs.
    for (Number* n : {&a, &b}) {
        const int shift = 125 - top_bit(n->significand);
        n->significand <<= shift;
        n->exponent -= shift;
    }
    if (a.exponent < b.exponent || (a.exponent == b.exponent && a.significand < b.significand)) {
        const Number t = a;
        a = b;
        b = t;
    }
    const u128 small = shift_right_sticky(b.significand, a.exponent - b.exponent);
    if (a.sign == b.sign) {
        a.significand += small;
    } else {
        a.significand -= small;
        if (a.significand == 0) a.sign = mode == kDown;
    }
    return a;
}

template <class F>
constexpr typename F::Bits add(typename F::Bits a, typename F::Bits b, unsigned mode,
                               unsigned& flags) {
    if (is_nan<F>(a) || is_nan<F>(b))
        return nan_result<F>(flags, is_signaling<F>(a) || is_signaling<F>(b));
    if (is_infinite<F>(a)) return is_infinite<F>(b) && a != b ? nan_result<F>(flags, true) : a;
    if (is_infinite<F>(b)) return b;
    return round_pack<F>(sum(unpack<F>(a), unpack<F>(b), mode), mode, flags);
}

template <class F>
constexpr typename F::Bits sub(typename F::Bits a, typename F::Bits b, unsigned mode,
                               unsigned& flags) {
    return add<F>(a, is_nan<F>(b) ? b : b ^ Layout<F>::kSign, mode, flags);
}

template <class F>
constexpr typename F::Bits mul(typename F::Bits a, typename F::Bits b, unsigned mode,
                               unsigned& flags) {
    using L = Layout<F>;
    if (is_nan<F>(a) || is_nan<F>(b))
        return nan_result<F>(flags, is_signaling<F>(a) || is_signaling<F>(b));
    const typename F::Bits sign = (a ^ b) & L::kSign;
    if (is_infinite<F>(a) || is_infinite<F>(b)) {
        if (is_zero<F>(a) || is_zero<F>(b)) return nan_result<F>(flags, true);
        return sign | L::kInfinity;
    }
    Number x = unpack<F>(a);
    const Number y = unpack<F>(b);
    x.sign = sign != 0;
    x.exponent += y.exponent;
    x.significand *= y.significand;
    return round_pack<F>(x, mode, flags);
}

/// a * b + c with one rounding.
template <class F>
constexpr typename F::Bits fma(typename F::Bits a, typename F::Bits b, typename F::Bits c,
                               unsigned mode, unsigned& flags) {
    using L = Layout<F>;
    const bool infinite_product = is_infinite<F>(a) || is_infinite<F>(b);
    const bool invalid_product =
        (is_infinite<F>(a) && is_zero<F>(b)) || (is_zero<F>(a) && is_infinite<F>(b));
    if (is_nan<F>(a) || is_nan<F>(b) || is_nan<F>(c) || invalid_product) {
        return nan_result<F>(flags, invalid_product || is_signaling<F>(a) || is_signaling<F>(b) ||
                                        is_signaling<F>(c));
    }
    const typename F::Bits sign = (a ^ b) & L::kSign;
    if (infinite_product) {
        const typename F::Bits product = sign | L::kInfinity;
        return is_infinite<F>(c) && c != product ? nan_result<F>(flags, true) : product;
    }
    if (is_infinite<F>(c)) return c;
    Number x = unpack<F>(a);
    const Number y = unpack<F>(b);
    x.sign = sign != 0;
    x.exponent += y.exponent;
    x.significand *= y.significand;
    return round_pack<F>(sum(x, unpack<F>(c), mode), mode, flags);
}

template <class F>
constexpr typename F::Bits div(typename F::Bits a, typename F::Bits b, unsigned mode,
                               unsigned& flags) {
    using L = Layout<F>;
    if (is_nan<F>(a) || is_nan<F>(b))
        return nan_result<F>(flags, is_signaling<F>(a) || is_signaling<F>(b));
    const typename F::Bits sign = (a ^ b) & L::kSign;
    if (is_infinite<F>(a))
        return is_infinite<F>(b) ? nan_result<F>(flags, true) : sign | L::kInfinity;
    if (is_infinite<F>(b)) return sign;
    if (is_zero<F>(b)) {
        if (is_zero<F>(a)) return nan_result<F>(flags, true);
        flags |= kDivideByZero;
        return sign | L::kInfinity;
    }
    if (is_zero<F>(a)) return sign;
    Number x = unpack<F>(a), y = unpack<F>(b);
    // Leading bits to 127 and 63: the quotient has 64 or 65 bits.
    const int up = 127 - top_bit(x.significand), up_y = 63 - top_bit(y.significand);
    x.significand <<= up;
    y.significand <<= up_y;
    const u128 quotient = x.significand / y.significand;
    x.exponent = (x.exponent - up) - (y.exponent - up_y);
    x.sign = sign != 0;
    x.significand = quotient << 1 | (quotient * y.significand != x.significand);
    --x.exponent;
    return round_pack<F>(x, mode, flags);
}

template <class F>
constexpr typename F::Bits sqrt(typename F::Bits a, unsigned mode, unsigned& flags) {
    if (is_nan<F>(a)) return nan_result<F>(flags, is_signaling<F>(a));
    if (is_zero<F>(a)) return a;
    if (sign_of<F>(a)) return nan_result<F>(flags, true);
    if (is_infinite<F>(a)) return a;
    Number x = unpack<F>(a);
    int up = 125 - top_bit(x.significand);
    if ((x.exponent - up) & 1) --up;
    x.significand <<= up;
    x.exponent = (x.exponent - up) / 2;
    u128 root = 0, rest = x.significand;
    for (u128 bit = u128{1} << 124; bit; bit >>= 2) {
        if (rest >= root + bit) {
            rest -= root + bit;
            root = (root >> 1) + bit;
        } else {
            root >>= 1;
        }
    }
    x.significand = root << 1 | (rest != 0);
    --x.exponent;
    return round_pack<F>(x, mode, flags);
}

template <class To, class From>
constexpr typename To::Bits convert(typename From::Bits a, unsigned mode, unsigned& flags) {
    if (is_nan<From>(a)) return nan_result<To>(flags, is_signaling<From>(a));
    const typename To::Bits sign = sign_of<From>(a) ? Layout<To>::kSign : 0;
    if (is_infinite<From>(a)) return sign | Layout<To>::kInfinity;
    return round_pack<To>(unpack<From>(a), mode, flags);
}

template <class F>
constexpr typename F::Bits from_integer(bool sign, std::uint64_t magnitude, unsigned mode,
                                        unsigned& flags) {
    if (magnitude == 0) return 0;
    return round_pack<F>(Number{sign, 0, magnitude}, mode, flags);
}

/// To an integer of `bits` bits; out of range saturates and raises invalid. Returned sign-extended
/// from `bits`.
template <class F>
constexpr std::int64_t to_integer(typename F::Bits a, int bits, bool is_signed, unsigned mode,
                                  unsigned& flags) {
    const std::uint64_t mask = bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
    const std::uint64_t largest = is_signed ? mask >> 1 : mask;
    const auto extend = [&](std::uint64_t v) {
        return bits == 64 ? static_cast<std::int64_t>(v)
                          : static_cast<std::int64_t>(
                                static_cast<std::int32_t>(static_cast<std::uint32_t>(v)));
    };
    const auto saturated = [&](bool negative) {
        flags |= kInvalid;
        return extend(negative ? (is_signed ? largest + 1 : 0) : largest);
    };
    if (is_nan<F>(a)) return saturated(false);
    if (is_infinite<F>(a)) return saturated(sign_of<F>(a));
    const Number n = unpack<F>(a);
    u128 whole = 0;
    bool half = false, rest = false;
    if (n.exponent >= 0) {
        if (n.significand != 0 && n.exponent > 64) return saturated(n.sign);
        whole = n.significand << n.exponent;
    } else if (n.exponent < -127) {
        rest = n.significand != 0;
    } else {
        whole = n.significand >> -n.exponent;
        half = (n.significand >> (-n.exponent - 1)) & 1;
        rest = (n.significand & ((u128{1} << (-n.exponent - 1)) - 1)) != 0;
    }
    if (rounds_up(mode, n.sign, whole & 1, half, rest)) ++whole;
    const u128 limit = n.sign ? (is_signed ? u128{largest} + 1 : 0) : u128{largest};
    if (whole > limit) return saturated(n.sign);
    if (half || rest) flags |= kInexact;
    const auto magnitude = static_cast<std::uint64_t>(whole);
    return extend(n.sign ? 0 - magnitude : magnitude);
}

/// Ordering as integers; NaNs excluded.
template <class F>
constexpr bool less(typename F::Bits a, typename F::Bits b, bool or_equal) {
    if (is_zero<F>(a) && is_zero<F>(b)) return or_equal;
    const bool sa = sign_of<F>(a), sb = sign_of<F>(b);
    if (sa != sb) return sa;
    if (a == b) return or_equal;
    return (a < b) != sa;
}

template <class F>
constexpr bool equal_quiet(typename F::Bits a, typename F::Bits b, unsigned& flags) {
    if (is_nan<F>(a) || is_nan<F>(b)) {
        if (is_signaling<F>(a) || is_signaling<F>(b)) flags |= kInvalid;
        return false;
    }
    return a == b || (is_zero<F>(a) && is_zero<F>(b));
}

template <class F>
constexpr bool less_signaling(typename F::Bits a, typename F::Bits b, bool or_equal,
                              unsigned& flags) {
    if (is_nan<F>(a) || is_nan<F>(b)) {
        flags |= kInvalid;
        return false;
    }
    return less<F>(a, b, or_equal);
}

/// minimumNumber / maximumNumber: a NaN loses against a number, -0 is below +0.
template <class F>
constexpr typename F::Bits min_max(typename F::Bits a, typename F::Bits b, bool maximum,
                                   unsigned& flags) {
    if (is_signaling<F>(a) || is_signaling<F>(b)) flags |= kInvalid;
    if (is_nan<F>(a)) return is_nan<F>(b) ? Layout<F>::kNan : b;
    if (is_nan<F>(b)) return a;
    bool a_first = less<F>(a, b, false);
    if (is_zero<F>(a) && is_zero<F>(b)) a_first = sign_of<F>(a);
    return a_first != maximum ? a : b;
}

template <class F>
constexpr unsigned classify(typename F::Bits a) {
    using L = Layout<F>;
    const bool sign = sign_of<F>(a);
    if (is_nan<F>(a)) return is_signaling<F>(a) ? 1u << 8 : 1u << 9;
    if (is_infinite<F>(a)) return sign ? 1u << 0 : 1u << 7;
    if (is_zero<F>(a)) return sign ? 1u << 3 : 1u << 4;
    const bool subnormal = ((a >> F::kFraction) & L::kMaxExponent) == 0;
    if (subnormal) return sign ? 1u << 2 : 1u << 5;
    return sign ? 1u << 1 : 1u << 6;
}

/// Whether the host's operation gives the same bits and no flag but an inexact that is set already:
/// both operands and the result are ordinary numbers, the mode is the host's. The caller checks the
/// result with is_ordinary too.
template <class F>
constexpr bool is_ordinary(typename F::Bits a) {
    const auto exponent = (a >> F::kFraction) & Layout<F>::kMaxExponent;
    return exponent - 1 < Layout<F>::kMaxExponent - 1u;
}

}  // namespace isthmus::sim::soft_float
