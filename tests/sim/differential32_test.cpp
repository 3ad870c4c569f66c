// RV32: random streams of every instruction of RV32GC against qemu-riscv32. One program, linked
// once for Linux and once for the bare machine at the same addresses; it keeps its registers and
// the floating-point flags at checkpoints in memory, which the Linux one writes to standard output
// at its end and the test reads out of the bare machine.
#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <set>
#include <sstream>

#include "sim/hart/bare_metal.hpp"
#include "sim/isa/decode.hpp"
#include "sim/isa/disassemble.hpp"
#include "tests/sim/coverage.hpp"
#include "tests/sim/tools.hpp"

namespace isthmus::sim {
namespace {

constexpr unsigned kStateBytes = 4 * 32 + 8 * 32, kBufferWords = 2 * 520, kEdges = 20,
                   kFloatEdges = 16, kEvery = 40;

/// Reserved: x2, x8 and x31 point into the middle of the buffer, x9 at the edge operands, x30 at an
/// aligned word for atomics.
class Generator32 {
  public:
    explicit Generator32(unsigned start) : random_(start) {}

    std::string program(int passes) {
        for (int pass = 0; pass < passes; ++pass) {
            std::vector<const Encoding*> order;
            for (const Encoding& encoding : encodings()) {
                if (usable(encoding)) order.push_back(&encoding);
            }
            std::shuffle(order.begin(), order.end(), random_);
            for (const Encoding* encoding : order) {
                emit(*encoding);
                if (++emitted_ % kEvery == 0) {
                    body_ << "checkpoint\n";
                    ++checkpoints_;
                }
            }
        }
        body_ << "checkpoint\n";
        ++checkpoints_;
        return prologue() + body_.str() + epilogue();
    }
    unsigned checkpoints() const { return checkpoints_; }

  private:
    static bool usable(const Encoding& encoding) {
        if (encoding.extension.starts_with("Xbgas") || encoding.extension == "Privileged" ||
            (encoding.xlens & 1) == 0)
            return false;
        static const std::set<std::string_view> kNot = {"ecall", "ebreak", "c.ebreak", "fence",
                                                        "fence.i"};
        return !kNot.count(encoding.name);
    }
    static bool reserved(unsigned r) { return r == 2 || r == 8 || r == 9 || r == 30 || r == 31; }
    unsigned below(unsigned n) { return static_cast<unsigned>(random_() % n); }
    unsigned writable() {
        unsigned r;
        do
            r = below(32);
        while (reserved(r));
        return r;
    }
    void load_edge(RegisterFile file, unsigned r) {
        if (file == RegisterFile::kX && r != 0 && !reserved(r))
            body_ << "lw x" << r << ", " << 4 * below(kEdges) << "(x9)\n";
        else if (file == RegisterFile::kF)
            body_ << (below(2) ? "fld f" : "flw f") << r << ", "
                  << 4 * kEdges + 8 * below(kFloatEdges) << "(x9)\n";
    }
    void random_word(const Encoding& encoding) {
        const Decoder decoder(Xlen::k32, Profile::kB);
        for (int trial = 0; trial < 8000; ++trial) {
            std::uint32_t word =
                encoding.match | (static_cast<std::uint32_t>(random_()) & ~encoding.mask);
            if (encoding.size == 2) word &= 0xffff;
            Decoded d;
            if (!decoder.decode(word, d) || encodings()[d.encoding].name != encoding.name) continue;
            const OpInfo& op = info(d.op);
            if (op.rd == RegisterFile::kX && reserved(d.rd)) continue;
            const bool memory =
                op.klass == InstructionClass::kLoad || op.klass == InstructionClass::kStore ||
                op.klass == InstructionClass::kFpLoad || op.klass == InstructionClass::kFpStore;
            if (memory && d.rs1 != 31 && d.rs1 != 2 && d.rs1 != 8) continue;
            if (op.klass == InstructionClass::kAtomic && d.rs1 != 30) continue;
            if (encoding.syntax.find("rm") != std::string_view::npos && d.imm > 4 && d.imm != 7)
                continue;
            if (!memory && op.klass != InstructionClass::kAtomic) {
                if (below(3)) load_edge(op.rs1, d.rs1);
                if (below(3)) load_edge(op.rs2, d.rs2);
                if (below(3)) load_edge(op.rs3, d.rs3);
            }
            body_ << (encoding.size == 4 ? ".4byte " : ".2byte ") << word << " # "
                  << disassemble(decoder, word, 0, true) << "\n";
            return;
        }
        ADD_FAILURE() << "no usable word found for " << encoding.name;
    }
    void filler() {
        body_ << "addi x" << writable() << ", x" << below(32) << ", "
              << static_cast<int>(below(4096)) - 2048 << "\n";
    }
    void emit(const Encoding& encoding) {
        const std::string name(encoding.name);
        const bool compressed = encoding.size == 2;
        const char* const mode = compressed ? ".option rvc\n" : "";
        const char* const back = compressed ? ".option norvc\n" : "";
        const InstructionClass klass = info(encoding.op).klass;
        if (klass == InstructionClass::kBranch) {
            const unsigned a = compressed ? 10 + below(6) : below(32), b = below(32);
            if (below(2)) load_edge(RegisterFile::kX, a);
            body_ << mode << name << " x" << a;
            if (!compressed) body_ << ", x" << (below(4) ? b : a);
            body_ << ", 1f\n" << back;
            filler();
            body_ << "1:\n";
        } else if (klass == InstructionClass::kJump) {
            body_ << mode << name;
            if (!compressed) body_ << " x" << writable() << ",";
            body_ << " 1f\n" << back;
            filler();
            body_ << "1:\n";
        } else if (klass == InstructionClass::kJumpRegister) {
            body_ << "lla x5, 1f\n" << mode;
            if (compressed)
                body_ << name << " x5\n" << back;
            else
                body_ << "addi x5, x5, -12\njalr x" << writable() << ", 12(x5)\n";
            filler();
            body_ << "1:\n";
        } else if (encoding.extension == "Zicsr") {
            // Only values that leave a legal rounding mode.
            static const char* const kFlags[] = {"fflags", "fcsr"};
            const bool clears = name.find('c', 4) != std::string::npos;
            body_ << name << " x" << writable() << ", " << kFlags[clears ? below(2) : 0] << ", ";
            if (name.back() == 'i')
                body_ << below(32) << "\n";
            else
                body_ << "x" << below(32) << "\n";
            body_ << "csrrwi x" << writable() << ", frm, " << below(5) << "\n";
        } else if (name == "c.addi16sp") {
            const unsigned step = 16 * (1 + below(30));
            body_ << mode << "c.addi16sp sp, " << step << "\nc.addi16sp sp, -" << step << "\n"
                  << back;
        } else if (name.starts_with("sc.")) {
            body_ << "lr.w x" << writable() << ", (x30)\n";
            filler();
            if (below(2)) body_ << "amoadd.w x" << writable() << ", x" << below(32) << ", (x30)\n";
            random_word(encoding);
        } else {
            random_word(encoding);
        }
    }

    static const char* all_x() {
        return "1,3,4,5,6,7,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29";
    }
    static const char* all_f() {
        return "0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,"
               "30,31";
    }
    std::string prologue() const {
        std::ostringstream out;
        out << ".option norelax\n.option norvc\n"
               ".macro checkpoint\n    la x30, cursor\n    lw x30, 0(x30)\n"
            << "    .irp r, " << all_x() << "\n    sw x\\r, 4*\\r(x30)\n    .endr\n"
            << "    .irp r, " << all_f() << "\n    fsd f\\r, 128+8*\\r(x30)\n    .endr\n"
            << "    frcsr x5\n    sw x5, 0(x30)\n    lw x5, 4*5(x30)\n    addi x30, x30, "
            << kStateBytes
            << "\n    la x31, cursor\n    sw x30, 0(x31)\n    la x31, middle\n"
               "    la x30, aligned\n.endm\n"
               ".text\n.globl _start\n_start:\n"
               "#ifdef BARE\n    li x5, 0x6000\n    csrs mstatus, x5\n#else\n    nop\n    "
               "nop\n#endif\n"
               "    la x2, middle\n    la x8, middle\n    la x31, middle\n    la x9, edges\n"
               "    la x30, aligned\n    fscsr x0\n"
            << "    .irp r, " << all_x() << "\n    lw x\\r, 4*(\\r%20)(x9)\n    .endr\n"
            << "    .irp r, " << all_f() << "\n    fld f\\r, 80+8*(\\r%16)(x9)\n    .endr\n";
        return out.str();
    }
    std::string epilogue() {
        std::ostringstream out;
        out << R"(
#ifdef BARE
    la x5, tohost
    li x6, 1
    sw x6, 0(x5)
    sw x0, 4(x5)
1:  j 1b
#else
    li x10, 1
    la x11, states
    la x12, states_end
    sub x12, x12, x11
    li x17, 64              # all of it to standard output
    ecall
    li x10, 0
    li x17, 93
    ecall
#endif
.data
.balign 64
.globl tohost
tohost: .8byte 0
cursor: .4byte states
.balign 64
aligned: .8byte 0x123456789abcdef
.balign 4096
.globl states, states_end
buffer:
)";
        for (unsigned i = 0; i < kBufferWords / 2; ++i)
            out << ".4byte " << static_cast<std::uint32_t>(random_()) << "\n";
        out << "middle:\n";
        for (unsigned i = 0; i < kBufferWords / 2; ++i)
            out << ".4byte " << static_cast<std::uint32_t>(random_()) << "\n";
        out << ".zero 512\nedges:\n";
        constexpr std::uint32_t kIntegers[kEdges] = {
            0,  1,  2,  0xffffffff, 0xfffffffe, 0x7fffffff, 0x80000000, 0x80000001, 0x7ffffffe, 31,
            32, 33, 16, 0x12345678, 0xaaaaaaaa, 0x55555555, 0xff,       0xffff,     0x80808080, 3};
        for (const std::uint32_t value : kIntegers)
            out << ".4byte " << value << "\n";
        constexpr std::uint64_t kDoubles[kFloatEdges] = {
            0,
            0x8000000000000000,
            0x3ff0000000000000,
            0xbff0000000000000,
            0x7ff0000000000000,
            0xfff0000000000000,
            0x7ff8000000000000,
            0x7ff0000000000001,
            1,
            0x000fffffffffffff,
            0x0010000000000000,
            0x7fefffffffffffff,
            0x41dfffffffc00000,
            0xffffffff3fc00000,  // singles in their boxes
            0xffffffff7f800001,
            0xffffffffcf000000};
        for (const std::uint64_t value : kDoubles)
            out << ".8byte " << value << "\n";
        out << ".balign 64\nstates: .zero " << checkpoints_ * kStateBytes << "\nstates_end:\n";
        return out.str();
    }

    std::mt19937_64 random_;
    std::ostringstream body_;
    unsigned emitted_ = 0, checkpoints_ = 0;
};
static_assert(kStateBytes == 384 && kEdges == 20 && kFloatEdges == 16, "the macros name them");

class Differential32 : public testing::TestWithParam<unsigned> {};

TEST_P(Differential32, StreamMatchesQemu) {
    if (!*ISTHMUS_TEST_GCC) GTEST_SKIP() << "riscv64-linux-gnu-gcc is not installed";
    if (!*ISTHMUS_TEST_QEMU32) GTEST_SKIP() << "qemu-riscv32 is not installed";
    test::Scratch scratch;
    Generator32 generator(GetParam());
    test::write_file(scratch / "stream.S", generator.program(12));
    for (const auto& [name, flag] : {std::pair{"linux", ""}, std::pair{"bare", "-DBARE "}}) {
        const auto built = test::run(
            std::string(ISTHMUS_TEST_GCC) + " -nostdlib -static -march=rv32gc -mabi=ilp32d " +
            flag + "-Wl,-Ttext=0x80001000,-Tdata=0x80100000,-z,norelro,--build-id=none -o " +
            (scratch / name) + " " + (scratch / "stream.S"));
        ASSERT_EQ(built.status, 0) << built.output.substr(0, 2000);
    }
    const auto reference = test::run(std::string(ISTHMUS_TEST_QEMU32) + " " + (scratch / "linux") +
                                     " > " + (scratch / "qemu"));
    ASSERT_EQ(reference.status, 0) << reference.output;
    const std::string expected = test::read_file(scratch / "qemu");
    ASSERT_EQ(expected.size(), std::size_t{generator.checkpoints()} * kStateBytes);

    const Program program = Program::load(scratch / "bare");
    ASSERT_EQ(program.xlen, Xlen::k32);
    const auto states = program.symbol("states");
    ASSERT_TRUE(states.has_value());
    Machine machine(program, {}, boot_bare_metal);
    std::vector<test::Coverage> coverage(1);
    ASSERT_TRUE(machine.run(std::span(coverage)));
    ASSERT_EQ(machine.exit_code(), 0);
    std::string got(expected.size(), '\0');
    ASSERT_TRUE(machine.nodes()[0]->memory.read(*states, got.data(), got.size()));
    for (std::size_t at = 0; at < got.size(); at += 4) {
        std::uint32_t a = 0, b = 0;
        std::memcpy(&a, got.data() + at, 4);
        std::memcpy(&b, expected.data() + at, 4);
        const std::size_t word = at % kStateBytes / 4;
        ASSERT_EQ(a, b) << "checkpoint " << at / kStateBytes << ", "
                        << (word == 0   ? std::string("fcsr")
                            : word < 32 ? std::string("x").append(std::to_string(word))
                                        : std::string("f").append(std::to_string((word - 32) / 2)))
                        << std::hex << ": 0x" << a << " instead of 0x" << b
                        << "; the stream starts from " << std::dec << GetParam();
    }
    const int missing = coverage[0].print("RV32 streams against qemu", [](Op op) {
        static const std::set<Op> kElsewhere = {Op::ecall, Op::ebreak, Op::mret,
                                                Op::wfi,   Op::fence,  Op::fence_i};
        bool in_32 = false;
        for (const Encoding& encoding : encodings())
            in_32 = in_32 || (encoding.op == op && (encoding.xlens & 1) != 0 &&
                              !encoding.extension.starts_with("Xbgas") &&
                              encoding.extension != "Privileged");
        return in_32 && !kElsewhere.count(op);
    });
    EXPECT_EQ(missing, 0);
}

INSTANTIATE_TEST_SUITE_P(Starts, Differential32, testing::Values(1u, 2u, 3u));

}  // namespace
}  // namespace isthmus::sim
