// A field of a word: some of its bits, from `low` up.
#pragma once

#include <cstdint>

namespace isthmus::packet {

template <unsigned kLow, unsigned kBits>
struct Field {
    static_assert(kBits > 0 && kLow + kBits <= 64);
    static constexpr unsigned low = kLow;
    static constexpr unsigned bits = kBits;
    static constexpr std::uint64_t most = ~std::uint64_t{0} >> (64 - kBits);
    static constexpr std::uint64_t mask = most << kLow;

    constexpr std::uint64_t of(std::uint64_t word) const { return word >> kLow & most; }
    // The word with nothing but this field. The value is in the field's range.
    constexpr std::uint64_t in(std::uint64_t value) const { return value << kLow; }
    static constexpr bool fits(std::uint64_t value) { return value <= most; }
};

// The same with a sign.
template <unsigned kLow, unsigned kBits>
struct SignedField : Field<kLow, kBits> {
    constexpr std::int64_t of(std::uint64_t word) const {
        return static_cast<std::int64_t>(word << (64 - kLow - kBits)) >> (64 - kBits);
    }
    constexpr std::uint64_t in(std::int64_t value) const {
        return static_cast<std::uint64_t>(value) << kLow & Field<kLow, kBits>::mask;
    }
};

}  // namespace isthmus::packet
