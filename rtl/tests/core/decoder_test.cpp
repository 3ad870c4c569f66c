// The decoder in gates against the simulator's: the same operation, registers and immediate for
// every row of the table and for random words, on machines of several subsets. Then its control
// signals drive a datapath, here in C++, whose results are those of the simulator's hart.
#include <gtest/gtest.h>

#include <isthmus/step.hpp>
#include <random>

#include "Vdecoder_ports.h"
#include "Vdecoder_ports_xbgas_decode_pkg.h"
#include "sim/isa/decode.hpp"
#include "sim/isa/disassemble.hpp"

namespace isthmus::sim {
namespace {

using Pkg = Vdecoder_ports_xbgas_decode_pkg;

struct Gates {
    Vdecoder_ports model;

    void decode(std::uint32_t word, const Decoder& like) {
        model.insn_i = word;
        model.rv64_i = like.xlen() == Xlen::k64;
        model.profile_b_i = like.profile() == Profile::b;
        model.extensions_i = like.extensions().bits;
        model.eval();
    }
};

std::uint32_t instance(const Encoding& row, std::mt19937_64& random) {
    const auto bits = static_cast<std::uint32_t>(random());
    const std::uint32_t word = row.match | (bits & ~row.mask);
    // What stands behind a compressed instruction is none of the decoder's business.
    return row.size == 2 ? (word & 0xffff) | (bits & 0xffff0000) : word;
}

/// Compares one word; whether it is an instruction.
bool same(Gates& gates, const Decoder& decoder, std::uint32_t word, std::string& what) {
    Decoded d;
    const bool legal = decoder.decode(word, d);
    gates.decode(word, decoder);
    const Vdecoder_ports& m = gates.model;
    const unsigned op = legal ? static_cast<unsigned>(d.op) + 1 : 0;
    const bool equal = m.op_o == op && (!legal || (m.rd_o == d.rd && m.rs1_o == d.rs1 &&
                                                   m.rs2_o == d.rs2 && m.rs3_o == d.rs3 &&
                                                   m.imm_o == static_cast<std::uint32_t>(d.imm) &&
                                                   m.compressed_o == (d.size == 2)));
    if (!equal)
        what = disassemble(decoder, word, 0) + ": op " + std::to_string(m.op_o) + " for " +
               std::to_string(op) + ", imm " + std::to_string(m.imm_o) + " for " +
               std::to_string(d.imm);
    return legal;
}

class Machines : public testing::TestWithParam<std::pair<const char*, Profile>> {};

TEST_P(Machines, DecodeAsTheSimulatorDoes) {
    const auto [name, profile] = GetParam();
    Isa isa = parse_isa(name);
    // Supervisor mode is no letter of the name; the largest machines have it.
    if (isa.extensions.has(Extension::Xbgasbulk)) isa.extensions.add(Extension::Supervisor);
    const Decoder decoder(isa.xlen, profile, isa.extensions);
    Gates gates;
    std::mt19937_64 random(1);
    std::string what;
    std::vector<unsigned> seen(kOpCount);
    const auto check = [&](std::uint32_t word) {
        const bool legal = same(gates, decoder, word, what);
        if (legal) ++seen[gates.model.op_o - 1u];
        return what.empty();
    };
    for (const Encoding& row : encodings()) {
        for (int i = 0; i < 60; ++i) {
            const std::uint32_t word = instance(row, random);
            ASSERT_TRUE(check(word)) << row.name << " " << std::hex << word << ": " << what;
        }
    }
    for (int i = 0; i < 60'000; ++i) {
        const auto word = static_cast<std::uint32_t>(random());
        ASSERT_TRUE(check(word)) << std::hex << word << ": " << what;
    }
    // Every operation of this machine was among them.
    for (const Encoding& row : encodings()) {
        const bool here = (row.xlens & (isa.xlen == Xlen::k32 ? 1 : 2)) &&
                          (row.profiles & static_cast<unsigned>(profile)) &&
                          (row.needs & ~isa.extensions.bits) == 0;
        EXPECT_TRUE(!here || seen[static_cast<std::size_t>(row.op)] > 0) << row.name;
    }
}

INSTANTIATE_TEST_SUITE_P(Subsets, Machines,
                         testing::Values(std::pair{"rv64gc_xbgasamo_xbgasbulk", Profile::b},
                                         std::pair{"rv64gc_xbgasamo_xbgasbulk", Profile::a},
                                         std::pair{"rv32gc_xbgasamo_xbgasbulk", Profile::b},
                                         std::pair{"rv32imc_zicsr", Profile::b},
                                         std::pair{"rv64i", Profile::b},
                                         std::pair{"rv64ifc", Profile::b}),
                         [](const auto& each) {
                             return std::string(each.param.first) +
                                    (each.param.second == Profile::a ? "_a" : "_b");
                         });

// The datapath ------------------------------------------------------------------------------------

using s64 = std::int64_t;
using u64 = std::uint64_t;

/// Arithmetic on registers of `width` bits; the result is extended as registers are.
u64 arithmetic(unsigned operation, u64 a, u64 b, unsigned width) {
    const auto sign = [&](u64 value) {
        return width == 64 ? static_cast<s64>(value) : s64{static_cast<std::int32_t>(value)};
    };
    const auto zero = [&](u64 value) {
        return width == 64 ? value : u64{static_cast<std::uint32_t>(value)};
    };
    const s64 sa = sign(a), sb = sign(b);
    const u64 ua = zero(a), ub = zero(b);
    const unsigned shift = b & (width - 1);
    const bool least = sa == (width == 64 ? INT64_MIN : s64{INT32_MIN}) && sb == -1;
    switch (operation) {
        case Pkg::alu_e::AluAdd: return u64(sign(a + b));
        case Pkg::alu_e::AluSub: return u64(sign(a - b));
        case Pkg::alu_e::AluSll: return u64(sign(ua << shift));
        case Pkg::alu_e::AluSlt: return sa < sb;
        case Pkg::alu_e::AluSltu: return ua < ub;
        case Pkg::alu_e::AluXor: return u64(sign(a ^ b));
        case Pkg::alu_e::AluSrl: return u64(sign(ua >> shift));
        case Pkg::alu_e::AluSra: return u64(sa >> shift);
        case Pkg::alu_e::AluOr: return u64(sign(a | b));
        case Pkg::alu_e::AluAnd: return u64(sign(a & b));
        case Pkg::alu_e::AluEq: return ua == ub;
        case Pkg::alu_e::AluNe: return ua != ub;
        case Pkg::alu_e::AluGe: return sa >= sb;
        case Pkg::alu_e::AluGeu: return ua >= ub;
        case Pkg::alu_e::AluMul: return u64(sign(a * b));
        case Pkg::alu_e::AluMulh: return u64(sign(u64((__int128{sa} * sb) >> width)));
        case Pkg::alu_e::AluMulhsu:
            return u64(sign(u64((__int128{sa} * static_cast<__int128>(ub)) >> width)));
        case Pkg::alu_e::AluMulhu:
            return u64(sign(u64((static_cast<unsigned __int128>(ua) * ub) >> width)));
        case Pkg::alu_e::AluDiv: return sb == 0 ? ~u64{0} : least ? u64(sa) : u64(sa / sb);
        case Pkg::alu_e::AluDivu: return ub == 0 ? ~u64{0} : u64(sign(ua / ub));
        case Pkg::alu_e::AluRem: return sb == 0 ? u64(sa) : least ? 0 : u64(sa % sb);
        case Pkg::alu_e::AluRemu: return ub == 0 ? u64(sign(ua)) : u64(sign(ua % ub));
        case Pkg::alu_e::AluSecond: return u64(sb);
        case Pkg::alu_e::AluMin: return u64(sa < sb ? sa : sb);
        case Pkg::alu_e::AluMax: return u64(sa > sb ? sa : sb);
        case Pkg::alu_e::AluMinu: return u64(ua < ub ? sa : sb);
        case Pkg::alu_e::AluMaxu: return u64(ua > ub ? sa : sb);
        default: ADD_FAILURE() << "operation " << operation; return 0;
    }
}

u64 low(u64 value, unsigned bytes) {
    return bytes >= 8 ? value : value & ((u64{1} << 8 * bytes) - 1);
}
u64 extended(u64 value, unsigned bytes, bool is_signed) {
    const unsigned shift = 64 - 8 * bytes;
    return is_signed ? u64(s64(value << shift) >> shift) : low(value, bytes);
}

constexpr u64 kCode = 0x80000000, kData = 0x80008000, kCsr = 0x123456789abcdef;

/// A hart with random registers; addresses point into memory where the instruction has one.
class Datapath {
  public:
    explicit Datapath(Xlen xlen)
        : xlen_(xlen),
          decoder_(xlen, Profile::b),
          hart_(std::string("isa=") + (xlen == Xlen::k32 ? "rv32gc" : "rv64gc") +
                "_xbgasamo_xbgasbulk modes=msu memory=0x80000000:0x20000"),
          random_(3) {}

    void check(const Encoding& row) {
        for (int tries = 0, done = 0; done < 40 && tries < 20000; ++tries) {
            const std::uint32_t word = instance(row, random_);
            Decoded d;
            if (!decoder_.decode(word, d) || &encodings()[d.encoding] != &row) continue;
            if (row.syntax.find("rm") != std::string_view::npos && d.imm > 4) continue;
            if (row.extension == "Zicsr" && d.imm != 0x340) {
                if (tries % 2 == 0) continue;
                run((word & 0xfffff) | 0x340u << 20, row);
            } else {
                run(word, row);
            }
            ++done;
            if (testing::Test::HasFailure()) return;
        }
    }

  private:
    u64 cut(u64 value) const { return xlen_ == Xlen::k32 ? value & 0xffffffff : value; }
    /// Slot numbers: 0 is rs1.
    u64 source(unsigned slot) const {
        const Vdecoder_ports& m = gates_.model;
        const unsigned file = slot == 0 ? m.rs1_file_o : slot == 1 ? m.rs2_file_o : m.rs3_file_o;
        const unsigned number = slot == 0 ? m.rs1_o : slot == 1 ? m.rs2_o : m.rs3_o;
        return file == Pkg::file_e::FileF   ? f_[number]
               : file == Pkg::file_e::FileE ? e_[number]
                                            : x_[number];
    }

    void prepare(std::uint32_t word) {
        hart_.reset();
        hart_.write_memory(kCode, &word, 4);
        const Vdecoder_ports& m = gates_.model;
        const bool accesses = m.mem_read_o || m.mem_write_o;
        for (unsigned i = 0; i < 32; ++i) {
            static constexpr u64 kEdges[] = {
                0, 1, ~u64{0}, INT64_MAX, u64(INT64_MIN), 0x80000000, 0x7fffffff};
            u64 value = random_() % 3 ? random_() : kEdges[random_() % 7];
            if (accesses && (i == m.rs1_o || (m.bulk_o && i == m.rs2_o)))
                value = kData + 8 * (random_() % 512);
            if (m.bulk_o && i == m.rs3_o) value = random_() % 16;
            hart_.set_x(i, value);
            hart_.set_e(i, random_() % 3 ? random_() % 4 : random_());
            hart_.set_f(i, random_());
            x_[i] = hart_.x(i);
            e_[i] = hart_.e(i);
            f_[i] = hart_.f(i);
        }
        hart_.set_csr(0x300, 0x6000);
        hart_.set_csr(0x340, kCsr);
    }

    void run(std::uint32_t word, const Encoding& row) {
        gates_.decode(word, decoder_);
        const Vdecoder_ports& m = gates_.model;
        // There is no memory at 0, and a count is no address.
        if ((m.mem_read_o || m.mem_write_o) && m.rs1_o == 0) return;
        if (m.bulk_o && (m.rs2_o == 0 || m.rs3_o == m.rs1_o || m.rs3_o == m.rs2_o)) return;
        prepare(word);
        SCOPED_TRACE(std::string(row.name) + ": " + disassemble(decoder_, word, kCode));
        step::Outcome outcome = hart_.step();
        const step::Record& record = hart_.last();
        u64 found = 0;
        if (outcome == step::Outcome::waiting) {
            check_remote(record);
            found = random_();
            if (m.bulk_o && m.mem_read_o) {
                const std::vector<std::byte> bytes(record.remote.count * record.remote.size);
                hart_.inject_remote_bytes(bytes.data(), bytes.size());
            } else {
                hart_.inject_remote(found);
            }
            outcome = hart_.step();
        } else if (record.has_remote) {
            found = record.remote.found[0];  // namespace 0
        }
        const bool system =
            row.op == Op::ecall || row.op == Op::ebreak || row.op == Op::mret || row.op == Op::sret;
        if (system) return;
        if (outcome == step::Outcome::trapped && row.op != Op::kCount) {
            ADD_FAILURE() << hart_.line();
            return;
        }
        if (!record.has_remote) check_access(record);
        check_result(record, record.memory.size ? record.memory.read : found);
    }

    void check_remote(const step::Record& record) const {
        const Vdecoder_ports& m = gates_.model;
        ASSERT_TRUE(m.remote_o);
        const unsigned space = m.space_o;
        const unsigned number = space == Pkg::space_e::SpaceRs1   ? m.rs1_o
                                : space == Pkg::space_e::SpaceRs2 ? m.rs2_o
                                                                  : m.rs3_o;
        EXPECT_EQ(record.remote.name_space, e_[number]);
        EXPECT_EQ(record.remote.size, 1u << m.mem_size_o);
        EXPECT_EQ(record.remote.address, m.bulk_o ? x_[m.rs2_o] : address());
        if (m.bulk_o) {
            EXPECT_EQ(record.remote.local, x_[m.rs1_o]);
            EXPECT_EQ(record.remote.count, x_[m.rs3_o]);
        } else if (m.mem_write_o) {
            EXPECT_EQ(record.remote.operand[0], low(source(1), 1u << m.mem_size_o));
        }
    }
    u64 address() const {
        const Vdecoder_ports& m = gates_.model;
        return m.operand_b_o == Pkg::operand_b_e::BImmediate
                   ? cut(x_[m.rs1_o] + u64(s64{std::int32_t(m.imm_o)}))
                   : x_[m.rs1_o];
    }

    void check_access(const step::Record& record) const {
        const Vdecoder_ports& m = gates_.model;
        const isthmus_step_access& access = record.memory;
        // A store-conditional without its reservation does nothing.
        if (m.conditional_o) return;
        EXPECT_EQ(access.size, m.mem_read_o || m.mem_write_o ? 1u << m.mem_size_o : 0u);
        if (access.size == 0) return;
        EXPECT_EQ(access.reads, m.mem_read_o);
        EXPECT_EQ(access.writes, m.mem_write_o);
        const bool atomic = m.mem_read_o && (m.mem_write_o || m.reserve_o);
        EXPECT_EQ(access.address, atomic ? x_[m.rs1_o] : address());
        if (!access.writes) return;
        u64 value = source(1);
        if (access.reads) value = arithmetic(m.alu_o, access.read, value, 8u * access.size);
        EXPECT_EQ(access.written, low(value, access.size));
    }

    void check_result(const step::Record& record, u64 found) const {
        const Vdecoder_ports& m = gates_.model;
        const bool discards = m.rd_file_o != Pkg::file_e::FileF && m.rd_o == 0;
        const u64 behind = record.pc + (m.compressed_o ? 2 : 4);
        const u64 a = m.operand_a_o == Pkg::operand_a_e::APc     ? record.pc
                      : m.operand_a_o == Pkg::operand_a_e::AZero ? 0
                                                                 : source(0);
        const u64 b = m.operand_b_o == Pkg::operand_b_e::BRs2 ? source(1)
                      : m.operand_b_o == Pkg::operand_b_e::BImmediate
                          ? u64(s64{std::int32_t(m.imm_o)})
                          : 0;
        const unsigned width = m.word_o || xlen_ == Xlen::k32 ? 32 : 64;
        const unsigned bytes = 1u << m.mem_size_o;
        const bool arithmetic_is_of_operands =
            m.branch_o || m.jump_o || m.write_back_o == Pkg::write_back_e::BackAlu;
        const u64 result = arithmetic_is_of_operands ? arithmetic(m.alu_o, a, b, width) : 0;
        EXPECT_EQ(record.next_pc,
                  cut(m.jump_o                    ? result & ~u64{1}
                      : m.branch_o && result != 0 ? record.pc + u64(s64{std::int32_t(m.imm_o)})
                                                  : behind));
        if (m.write_back_o == Pkg::write_back_e::BackNone || discards) {
            EXPECT_EQ(record.write_count, 0);
            return;
        }
        ASSERT_EQ(record.write_count, 1);
        EXPECT_EQ(record.writes[0].file, m.rd_file_o);
        EXPECT_EQ(record.writes[0].number, m.rd_o);
        const u64 value = record.writes[0].value;
        switch (m.write_back_o) {
            case Pkg::write_back_e::BackAlu: EXPECT_EQ(value, cut(result)); break;
            case Pkg::write_back_e::BackMemory:
                if (m.rd_file_o == Pkg::file_e::FileF)
                    EXPECT_EQ(value, bytes == 4 ? found | 0xffffffff00000000 : found);
                else
                    EXPECT_EQ(value, cut(extended(found, bytes, m.mem_signed_o)));
                break;
            case Pkg::write_back_e::BackNextPc: EXPECT_EQ(value, behind); break;
            case Pkg::write_back_e::BackCsr: check_csr(record, value); break;
            case Pkg::write_back_e::BackStatus: EXPECT_EQ(value, 1u); break;
            case Pkg::write_back_e::BackCount: EXPECT_EQ(value, x_[m.rs3_o]); break;
            default: EXPECT_EQ(m.write_back_o, Pkg::write_back_e::BackFloat); break;
        }
    }

    void check_csr(const step::Record& record, u64 value) const {
        const Vdecoder_ports& m = gates_.model;
        const u64 old = cut(kCsr), operand = m.csr_immediate_o ? m.rs1_o : x_[m.rs1_o];
        EXPECT_EQ(value, old);
        const u64 next = m.csr_o == Pkg::csr_e::CsrWrite ? operand
                         : m.csr_o == Pkg::csr_e::CsrSet ? old | operand
                                                         : old & ~operand;
        if (record.csr_count == 1) {
            EXPECT_EQ(record.csrs[0].value, next);
        }
        EXPECT_EQ(record.csr_count == 1, m.csr_o == Pkg::csr_e::CsrWrite || m.rs1_o != 0);
    }

    Xlen xlen_;
    Decoder decoder_;
    step::Hart hart_;
    mutable Gates gates_;
    std::mt19937_64 random_;
    u64 x_[32] = {}, e_[32] = {}, f_[32] = {};
};

class Control : public testing::TestWithParam<Xlen> {};

TEST_P(Control, DrivesADatapathLikeTheHart) {
    Datapath datapath(GetParam());
    for (const Encoding& row : encodings()) {
        if (!(row.xlens & (GetParam() == Xlen::k32 ? 1 : 2)) || !(row.profiles & 2)) continue;
        datapath.check(row);
        if (HasFailure()) return;
    }
}

INSTANTIATE_TEST_SUITE_P(Widths, Control, testing::Values(Xlen::k32, Xlen::k64),
                         [](const auto& each) {
                             return each.param == Xlen::k32 ? "Rv32" : "Rv64";
                         });

}  // namespace
}  // namespace isthmus::sim
