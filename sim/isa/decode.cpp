#include "sim/isa/decode.hpp"

namespace isthmus::sim {
namespace {

constexpr std::uint32_t bit(Extension extension) {
    return Extensions::bit(extension);
}

constexpr Encoding kEncodings[] = {
#define ISTHMUS_SIM_ENCODING(mask, match, size, op, format, xlens, profiles, where, name, syntax, \
                             extension, needs)                                                    \
    {mask,     match,        size, Op::op, format,    xlens,                                      \
     profiles, Where::where, name, syntax, extension, needs},
#include "isthmus/sim/isa/encodings.inc"
#undef ISTHMUS_SIM_ENCODING
};

bool holds(Where where, const Decoded& d, Xlen xlen) {
    switch (where) {
        case Where::always: return true;
        case Where::immediate_not_zero: return d.imm != 0;
        case Where::rd_not_zero: return d.rd != 0;
        case Where::rs1_not_zero: return d.rs1 != 0;
        case Where::rs2_not_zero: return d.rs2 != 0;
        case Where::shift_below_xlen: return d.imm < static_cast<int>(xlen);
    }
    return false;
}

}  // namespace

std::span<const Encoding> encodings() {
    return kEncodings;
}

Decoded extract(const Encoding& encoding, std::uint32_t word) {
    Decoded d;
    d.op = encoding.op;
    d.size = encoding.size;
    d.encoding = static_cast<std::uint16_t>(&encoding - kEncodings);
    const std::uint32_t w = word;
    switch (encoding.format) {
#include "isthmus/sim/isa/extract.inc"
        default: break;
    }
    return d;
}

// 32-bit words by their major opcode, 16-bit ones by quadrant and the three top bits.
std::size_t Decoder::bucket(std::uint32_t word) {
    if ((word & 3) == 3) return (word >> 2) & 31;
    return 32 + ((word & 3) << 3 | ((word >> 13) & 7));
}

Decoder::Decoder(Xlen xlen, Profile profile, Extensions extensions)
    : xlen_(xlen), profile_(profile), extensions_(extensions) {
    const unsigned xlen_bit = xlen == Xlen::k32 ? 1 : 2;
    for (const Encoding& encoding : kEncodings) {
        if ((encoding.xlens & xlen_bit) == 0) continue;
        if ((encoding.profiles & static_cast<unsigned>(profile)) == 0) continue;
        if ((encoding.needs & ~extensions.bits) != 0) continue;
        buckets_[bucket(encoding.match)].push_back(&encoding);
    }
}

bool Decoder::decode(std::uint32_t word, Decoded& out) const {
    if ((word & 3) != 3) word &= 0xffff;
    for (const Encoding* encoding : buckets_[bucket(word)]) {
        if ((word & encoding->mask) != encoding->match) continue;
        const Decoded d = extract(*encoding, word);
        if (!holds(encoding->where, d, xlen_)) continue;
        out = d;
        return true;
    }
    return false;
}

}  // namespace isthmus::sim
