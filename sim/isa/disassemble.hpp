// From instruction words to text, in the syntax the GNU assembler (with xbgas.inc) reads back.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "sim/isa/decode.hpp"

namespace isthmus::sim {

/// Text of the word at `pc`; a word that is no instruction gives ".4byte 0x..." or ".2byte 0x...".
/// Branch targets are absolute addresses, or ". + n" if `relative`.
std::string disassemble(const Decoder& decoder, std::uint32_t word, std::uint64_t pc,
                        bool relative = false);

/// ABI name: a0, fa0, e10. `index` is 0..31.
std::string register_name(RegisterFile file, unsigned index);

/// Name of a CSR, or its number as 0x...
std::string csr_name(unsigned number);

}  // namespace isthmus::sim
