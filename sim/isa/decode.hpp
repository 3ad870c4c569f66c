// From instruction words to operations.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "sim/isa/instruction.hpp"
#include "sim/isa/subset.hpp"

namespace isthmus::sim {

/// The two published, incompatible encodings of xBGAS.
enum class Profile : std::uint8_t { a = 1, b = 2 };

/// A decoded instruction. Registers are the numbers in the word; imm also holds the rounding mode
/// of floating-point operations, the aq (2) and rl (1) bits of atomics and the number of a CSR.
struct Decoded {
    Op op = Op::kCount;
    std::uint8_t size = 0;  // bytes: 2 or 4
    std::uint8_t rd = 0, rs1 = 0, rs2 = 0, rs3 = 0;
    std::int32_t imm = 0;
    std::uint16_t encoding = 0;  // index into encodings()
};

/// A condition on a word that its fixed bits do not express.
enum class Where : std::uint8_t {
    always,
    immediate_not_zero,
    rd_not_zero,
    rs1_not_zero,
    rs2_not_zero,
    shift_below_xlen
};

/// One row of the table.
struct Encoding {
    std::uint32_t mask, match;
    std::uint8_t size;
    Op op;
    std::uint8_t format;
    std::uint8_t xlens;     // bit 0: RV32, bit 1: RV64
    std::uint8_t profiles;  // bit 0: A, bit 1: B
    Where where;
    std::string_view name, syntax, extension;
    std::uint32_t needs;  // extensions: its own, and of a compressed one that of what it stands for
};

/// The whole table, the most specific encodings first.
std::span<const Encoding> encodings();

/// Fills the operands of a word that is known to be an instance of the encoding.
Decoded extract(const Encoding& encoding, std::uint32_t word);

/// Length in bytes of the instruction that starts with these bits. Lengths above 4 are reported as
/// 4; they decode to nothing.
constexpr unsigned instruction_length(std::uint32_t word) {
    return (word & 3) == 3 ? 4 : 2;
}

/// Decodes for one machine. Immutable after construction, so threads may share it.
class Decoder {
  public:
    Decoder(Xlen xlen, Profile profile, Extensions extensions = Extensions::all());

    /// False if the word is no legal instruction of this machine; `out` is untouched then.
    bool decode(std::uint32_t word, Decoded& out) const;

    Xlen xlen() const { return xlen_; }
    Profile profile() const { return profile_; }
    Extensions extensions() const { return extensions_; }

  private:
    static std::size_t bucket(std::uint32_t word);

    Xlen xlen_;
    Profile profile_;
    Extensions extensions_;
    std::array<std::vector<const Encoding*>, 64> buckets_;
};

}  // namespace isthmus::sim
