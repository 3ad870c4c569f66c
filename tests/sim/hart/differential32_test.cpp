// RV32: random streams of every instruction of RV32GC against qemu-riscv32. One program, linked
// once for Linux and once for the bare machine at the same addresses; it keeps its registers and
// the floating-point flags at checkpoints in memory, which the Linux one writes to standard output
// at its end and the test reads out of the bare machine.
#include <gtest/gtest.h>

#include <cstring>
#include <set>
#include <sstream>

#include "sim/hart/bare_metal.hpp"
#include "tests/sim/hart/coverage.hpp"
#include "tests/sim/hart/instruction_stream.hpp"
#include "tests/sim/tools.hpp"

namespace isthmus::sim {
namespace {

constexpr unsigned kStateBytes = 4 * 32 + 8 * 32, kBufferWords = 2 * 520, kEdges = 20,
                   kFloatEdges = 16;

class Generator32 : public test::InstructionStream {
  public:
    explicit Generator32(unsigned start) : InstructionStream(Xlen::k32, start) {}

    std::string program(int passes) {
        stream(passes);
        checkpoint();
        return prologue() + body_.str() + epilogue();
    }
    unsigned checkpoints() const { return checkpoints_; }

  private:
    void load_edge(RegisterFile file, unsigned r) override {
        if (file == RegisterFile::x && r != 0 && !reserved(r))
            body_ << "lw x" << r << ", " << 4 * below(kEdges) << "(x9)\n";
        else if (file == RegisterFile::f)
            body_ << (below(2) ? "fld f" : "flw f") << r << ", "
                  << 4 * kEdges + 8 * below(kFloatEdges) << "(x9)\n";
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
            in_32 =
                in_32 || (encoding.op == op && (encoding.xlens & 1) != 0 &&
                          !encoding.extension.starts_with("Xbgas") &&
                          encoding.extension != "Privileged" && encoding.extension != "Supervisor");
        return in_32 && !kElsewhere.count(op);
    });
    EXPECT_EQ(missing, 0);
}

INSTANTIATE_TEST_SUITE_P(Starts, Differential32, testing::Values(1u, 2u, 3u));

}  // namespace
}  // namespace isthmus::sim
