#include "sim/isa/disassemble.hpp"

#include <algorithm>
#include <cstdio>
#include <utility>

namespace isthmus::sim {
namespace {

constexpr const char* kIntegerNames[32] = {"zero", "ra", "sp",  "gp",  "tp", "t0", "t1", "t2",
                                           "s0",   "s1", "a0",  "a1",  "a2", "a3", "a4", "a5",
                                           "a6",   "a7", "s2",  "s3",  "s4", "s5", "s6", "s7",
                                           "s8",   "s9", "s10", "s11", "t3", "t4", "t5", "t6"};
constexpr const char* kFloatNames[32] = {
    "ft0", "ft1", "ft2", "ft3", "ft4",  "ft5",  "ft6", "ft7", "fs0",  "fs1", "fa0",
    "fa1", "fa2", "fa3", "fa4", "fa5",  "fa6",  "fa7", "fs2", "fs3",  "fs4", "fs5",
    "fs6", "fs7", "fs8", "fs9", "fs10", "fs11", "ft8", "ft9", "ft10", "ft11"};
constexpr std::pair<unsigned, const char*> kCsrNames[] = {
    {0x001, "fflags"},       {0x002, "frm"},        {0x003, "fcsr"},     {0xc00, "cycle"},
    {0xc01, "time"},         {0xc02, "instret"},    {0xc80, "cycleh"},   {0xc81, "timeh"},
    {0xc82, "instreth"},     {0xf11, "mvendorid"},  {0xf12, "marchid"},  {0xf13, "mimpid"},
    {0xf14, "mhartid"},      {0x300, "mstatus"},    {0x301, "misa"},     {0x304, "mie"},
    {0x305, "mtvec"},        {0x306, "mcounteren"}, {0x310, "mstatush"}, {0x340, "mscratch"},
    {0x341, "mepc"},         {0x342, "mcause"},     {0x343, "mtval"},    {0x344, "mip"},
    {0xb00, "mcycle"},       {0xb02, "minstret"},   {0xb80, "mcycleh"},  {0xb82, "minstreth"},
    {0x320, "mcountinhibit"}};

std::string format(const char* pattern, std::uint64_t value) {
    char text[32];
    std::snprintf(text, sizeof text, pattern, static_cast<unsigned long>(value));
    return text;
}

std::string decimal(std::int64_t value) {
    return std::to_string(value);
}

std::string fence_text(unsigned imm) {
    if (imm == 0x010) return "pause";
    if ((imm >> 8) == 8 && (imm & 0xff) == 0x33) return "fence.tso";
    if ((imm >> 8) != 0 || (imm & 15) == 0 || ((imm >> 4) & 15) == 0) return "";
    std::string text = "fence   ";
    for (unsigned set : {(imm >> 4) & 15, imm & 15}) {
        for (int bit = 3; bit >= 0; --bit) {
            if ((set >> bit) & 1) text += "wroi"[bit];
        }
        text += ", ";
    }
    text.resize(text.size() - 2);
    return text;
}

std::string raw(std::uint32_t word) {
    return (word & 3) == 3 ? format(".4byte  0x%lx", word) : format(".2byte  0x%lx", word & 0xffff);
}

/// One operand token of a syntax pattern; empty for a rounding mode that the assembler leaves out.
std::string operand(std::string_view token, const Decoded& d, std::uint64_t pc, bool relative) {
    const auto slot = [&](std::string_view name) -> unsigned {
        switch (name.back()) {
            case '1': return d.rs1;
            case '2': return d.rs2;
            case '3': return d.rs3;
            default: return d.rd;
        }
    };
    if (token == "imm" || token == "shamt" || token == "uimm") return decimal(d.imm);
    if (token == "imm20")
        return format("0x%lx", (static_cast<std::uint32_t>(d.imm) >> 12) & 0xfffff);
    if (token == "csr") return csr_name(static_cast<unsigned>(d.imm));
    if (token == "zimm") return decimal(d.rs1);
    if (token == "target") {
        if (relative) return std::string(". + ").append(decimal(d.imm));
        return format("0x%lx", pc + static_cast<std::uint64_t>(static_cast<std::int64_t>(d.imm)));
    }
    if (token == "rm") {
        static constexpr const char* kModes[8] = {"rne", "rtz", "rdn", "rup", "rmm", "5", "6", ""};
        return kModes[d.imm & 7];
    }
    if (token == "sp") return "sp";
    if (token.front() == 'f') return register_name(RegisterFile::f, slot(token));
    if (token.front() == 'e') return register_name(RegisterFile::e, slot(token));
    return register_name(RegisterFile::x, slot(token));
}

}  // namespace

std::string register_name(RegisterFile file, unsigned index) {
    switch (file) {
        case RegisterFile::x: return kIntegerNames[index & 31];
        case RegisterFile::f: return kFloatNames[index & 31];
        case RegisterFile::e: return std::string("e").append(std::to_string(index & 31));
        case RegisterFile::none: break;
    }
    return "";
}

std::string csr_name(unsigned number) {
    for (const auto& [known, name] : kCsrNames) {
        if (known == number) return name;
    }
    return format("0x%lx", number);
}

std::string disassemble(const Decoder& decoder, std::uint32_t word, std::uint64_t pc,
                        bool relative) {
    Decoded d;
    if (!decoder.decode(word, d)) return raw(word);
    const Encoding& encoding = encodings()[d.encoding];
    if (d.op == Op::fence) {
        const std::string text =
            d.rd == 0 && d.rs1 == 0 ? fence_text(static_cast<unsigned>(d.imm)) : "";
        return text.empty() ? raw(word) : text;
    }
    // Forms the assembler cannot be asked for: a reserved rounding mode, operands in a bare
    // fence.i.
    const InstructionClass klass = info(d.op).klass;
    const bool has_mode = encoding.syntax.find("rm") != std::string_view::npos;
    if (has_mode && (d.imm == 5 || d.imm == 6)) return raw(word);
    if (d.op == Op::fence_i && (word >> 15 || d.rd)) return raw(word);

    std::string text(encoding.name);
    if (klass == InstructionClass::atomic || klass == InstructionClass::remote_atomic) {
        static constexpr const char* kOrder[4] = {"", ".rl", ".aq", ".aqrl"};
        text += kOrder[d.imm & 3];
    }
    if (!encoding.syntax.empty()) text.resize(std::max<std::size_t>(text.size() + 1, 8), ' ');
    std::string_view rest = encoding.syntax;
    bool first = true;
    while (!rest.empty()) {
        std::string_view part = rest.substr(0, rest.find(", "));
        rest.remove_prefix(std::min(rest.size(), part.size() + 2));
        std::string piece;
        if (const auto open = part.find('('); open != std::string_view::npos) {
            if (open != 0) piece = operand(part.substr(0, open), d, pc, relative);
            piece.append("(").append(
                operand(part.substr(open + 1, part.size() - open - 2), d, pc, relative));
            piece.push_back(')');
        } else {
            // The exact widenings take no rounding mode in assembly unless it is not the default 0.
            if (part == "rm" && d.imm == 0 &&
                (d.op == Op::fcvt_d_s || d.op == Op::fcvt_d_w || d.op == Op::fcvt_d_wu))
                continue;
            piece = operand(part, d, pc, relative);
            if (piece.empty()) continue;
        }
        if (!first) text += ", ";
        text += piece;
        first = false;
    }
    return text;
}

}  // namespace isthmus::sim
