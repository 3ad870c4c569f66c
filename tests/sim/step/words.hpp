// Instruction words for tests, and a hart with some of them in front of it.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <isthmus/step.hpp>
#include <string>

namespace isthmus::sim::test {

inline constexpr std::uint64_t kStart = 0x80000000;

namespace word {

constexpr std::uint32_t i_type(unsigned opcode, unsigned function, unsigned rd, unsigned rs1,
                               std::int32_t imm) {
    return static_cast<std::uint32_t>(imm) << 20 | rs1 << 15 | function << 12 | rd << 7 | opcode;
}
constexpr std::uint32_t s_type(unsigned function, unsigned rs2, unsigned rs1, std::int32_t imm) {
    const auto bits = static_cast<std::uint32_t>(imm);
    return (bits >> 5 & 127) << 25 | rs2 << 20 | rs1 << 15 | function << 12 | (bits & 31) << 7 |
           0x23;
}
constexpr std::uint32_t addi(unsigned rd, unsigned rs1, std::int32_t imm) {
    return i_type(0x13, 0, rd, rs1, imm);
}
constexpr std::uint32_t csrrw(unsigned rd, unsigned csr, unsigned rs1) {
    return i_type(0x73, 1, rd, rs1, static_cast<std::int32_t>(csr));
}
constexpr std::uint32_t csrrs(unsigned rd, unsigned csr, unsigned rs1) {
    return i_type(0x73, 2, rd, rs1, static_cast<std::int32_t>(csr));
}
constexpr std::uint32_t eaddie(unsigned ed, unsigned rs1, std::int32_t imm) {
    return i_type(0x7b, 5, ed, rs1, imm);
}
/// x[rd] = 64 bits of namespace e[rs1] at x[rs1].
constexpr std::uint32_t eld(unsigned rd, unsigned rs1, std::int32_t imm) {
    return i_type(0x77, 3, rd, rs1, imm);
}
constexpr std::uint32_t esd(unsigned rs2, unsigned rs1, std::int32_t imm) {
    return (s_type(3, rs2, rs1, imm) & ~0x7fu) | 0x7b;
}
constexpr std::uint32_t sfence_vma(unsigned rs1, unsigned rs2) {
    return 9u << 25 | rs2 << 20 | rs1 << 15 | 0x73;
}
inline constexpr std::uint32_t kNop = 0x13, kEcall = 0x73, kEbreak = 0x100073, kMret = 0x30200073,
                               kSret = 0x10200073, kWfi = 0x10500073;

}  // namespace word

/// A hart with these words at its reset pc.
inline step::Hart hart_with(const std::string& parameters,
                            std::initializer_list<std::uint32_t> words) {
    step::Hart hart(parameters + " memory=0x80000000:0x10000");
    std::uint64_t at = kStart;
    for (const std::uint32_t each : words) {
        hart.write_memory(at, &each, 4);
        at += 4;
    }
    return hart;
}

/// The value that the last step wrote to a CSR; a number that nothing has if it did not.
inline std::uint64_t written_csr(const step::Hart& hart, unsigned number) {
    const step::Record& record = hart.last();
    for (unsigned i = 0; i < record.csr_count; ++i) {
        if (record.csrs[i].number == number) return record.csrs[i].value;
    }
    return 0xdeadbeefdeadbeef;
}

}  // namespace isthmus::sim::test
