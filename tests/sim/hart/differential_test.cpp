// Random instruction streams and every instruction on edge operands, against qemu-riscv64: all
// registers, the floating-point flags and memory are written out at checkpoints by the program
// itself and must be the same.
#include <gtest/gtest.h>

#include <cstring>
#include <set>
#include <sstream>

#include "sim/linux/process.hpp"
#include "tests/sim/hart/coverage.hpp"
#include "tests/sim/hart/instruction_stream.hpp"
#include "tests/sim/tools.hpp"

namespace isthmus::sim {
namespace {

class Generator : public test::InstructionStream {
  public:
    explicit Generator(unsigned start) : InstructionStream(Xlen::k64, start) {}

    /// Every instruction `passes` times; all of that runs `repeats` times, as hot code does.
    std::string program(int passes, int repeats = 1) {
        body_ << "again:\n";
        stream(passes);
        body_ << "la x30, repeats\nld x5, 0(x30)\naddi x5, x5, -1\nsd x5, 0(x30)\nla x30, "
                 "buffer\nbeqz x5, 1f\nj again\n1:\n";
        repeats_ = repeats;
        return prologue() + body_.str() + epilogue();
    }

  private:
    void load_edge(RegisterFile file, unsigned r) override {
        if (file == RegisterFile::x && r != 0 && !reserved(r)) {
            body_ << "ld x" << r << ", " << 8 * below(kEdges) << "(x9)\n";
        } else if (file == RegisterFile::f) {
            if (below(2))
                body_ << "fld f" << r << ", " << 8 * (kEdges + below(kFloatEdges)) << "(x9)\n";
            else
                body_ << "flw f" << r << ", " << 8 * (kEdges + kFloatEdges) + 4 * below(kFloatEdges)
                      << "(x9)\n";
        }
    }

    static constexpr unsigned kEdges = 24, kFloatEdges = 32;

    std::string prologue() const {
        std::ostringstream out;
        out << R"(
.option norelax
.option norvc
.macro checkpoint
    la x30, state
    .irp r, 1,3,4,5,6,7,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29
    sd x\r, 8*\r(x30)
    .endr
    .irp r, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
    fsd f\r, 256+8*\r(x30)
    .endr
    frcsr x5
    sd x5, 0(x30)
    jal x1, write_state
    .irp r, 1,3,4,5,6,7,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29
    ld x\r, 8*\r(x30)
    .endr
    la x30, buffer
.endm
.text
.globl _start
_start:
    ld x11, 16(sp)          # argv[1]: the file to write
    li x10, -100
    li x12, 0x241           # O_WRONLY | O_CREAT | O_TRUNC
    li x13, 0x1a4
    li x17, 56
    ecall
    la x5, descriptor
    sd x10, 0(x5)
    la x2, middle
    la x8, middle
    la x31, middle
    la x9, edges
    la x30, buffer
    .irp r, 1,3,4,5,6,7,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29
    ld x\r, 8*(\r%24)(x9)
    .endr
    .irp r, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
    fld f\r, 192+8*\r(x9)
    .endr
)";
        return out.str();
    }
    std::string epilogue() {
        std::ostringstream out;
        out << R"(
    checkpoint
    li x10, 0
    li x17, 93
    ecall
write_state:
    la x5, descriptor
    ld x10, 0(x5)
    la x11, state
    li x12, 5248            # state_end - state
    li x17, 64
    ecall
    jr x1
.data
.balign 4096
state: .zero 512
buffer: .zero 64
)";
        // The buffer starts with bits of all kinds; loads and stores of 12-bit offsets stay inside.
        for (int i = 0; i < 260; ++i)
            out << ".8byte " << random_() << "\n";
        out << "middle:\n";
        for (int i = 0; i < 260; ++i)
            out << ".8byte " << random_() << "\n";
        out << ".zero 512\nstate_end:\ndescriptor: .8byte 0\nrepeats: .8byte " << repeats_
            << "\n.balign 64\nedges:\n";
        static constexpr std::uint64_t kIntegers[kEdges] = {0,
                                                            1,
                                                            2,
                                                            0xffffffffffffffff,
                                                            0xfffffffffffffffe,
                                                            0x7fffffffffffffff,
                                                            0x8000000000000000,
                                                            0x8000000000000001,
                                                            0x7fffffff,
                                                            0x80000000,
                                                            0xffffffff80000000,
                                                            0xffffffff7fffffff,
                                                            0xffffffff,
                                                            0x100000000,
                                                            31,
                                                            32,
                                                            63,
                                                            64,
                                                            0x123456789abcdef0,
                                                            0xaaaaaaaaaaaaaaaa,
                                                            0x5555555555555555,
                                                            0xff,
                                                            0x8080808080808080,
                                                            3};
        for (std::uint64_t value : kIntegers)
            out << ".8byte " << value << "\n";
        static constexpr std::uint64_t kDoubles[kFloatEdges] = {0,
                                                                0x8000000000000000,
                                                                0x3ff0000000000000,
                                                                0xbff0000000000000,
                                                                0x7ff0000000000000,
                                                                0xfff0000000000000,
                                                                0x7ff8000000000000,
                                                                0x7ff0000000000001,
                                                                0xfff4000000000000,
                                                                1,
                                                                0x8000000000000001,
                                                                0x000fffffffffffff,
                                                                0x0010000000000000,
                                                                0x0010000000000001,
                                                                0x7fefffffffffffff,
                                                                0xffefffffffffffff,
                                                                0x3fe0000000000000,
                                                                0x3fefffffffffffff,
                                                                0x4000000000000000,
                                                                0x4330000000000000,
                                                                0x4330000000000001,
                                                                0x43e0000000000000,
                                                                0xc3e0000000000000,
                                                                0x43f0000000000000,
                                                                0x41dfffffffc00000,
                                                                0x41e0000000000000,
                                                                0x3ff8000000000000,
                                                                0x4004000000000000,
                                                                0x3ca0000000000000,
                                                                0x400921fb54442d18,
                                                                0x36a0000000000000,
                                                                0x47efffffefffffff};
        for (std::uint64_t value : kDoubles)
            out << ".8byte " << value << "\n";
        static constexpr std::uint32_t kSingles[kFloatEdges] = {
            0,          0x80000000, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000,
            0x7f800001, 0xffa00000, 1,          0x80000001, 0x007fffff, 0x00800000, 0x00800001,
            0x7f7fffff, 0xff7fffff, 0x3f000000, 0x3f7fffff, 0x40000000, 0x4b000000, 0x4b000001,
            0x4f000000, 0xcf000000, 0x4f800000, 0x5f000000, 0x5f800000, 0x3fc00000, 0x40200000,
            0x33800000, 0x40490fdb, 0x00ffffff, 0x1f800000};
        for (std::uint32_t value : kSingles)
            out << ".4byte " << value << "\n";
        return out.str();
    }

    int repeats_ = 1;
};

constexpr std::size_t kStateBytes = 512 + 64 + 2 * 260 * 8 + 512;
static_assert(kStateBytes == 5248, "write_state names it");

class Differential : public testing::TestWithParam<unsigned> {};

TEST_P(Differential, StreamMatchesQemu) {
    if (!*ISTHMUS_TEST_GCC) GTEST_SKIP() << "riscv64-linux-gnu-gcc is not installed";
    if (!*ISTHMUS_TEST_QEMU) GTEST_SKIP() << "qemu-riscv64 is not installed";
    test::Scratch scratch;
    test::write_file(scratch / "stream.S", Generator(GetParam()).program(24));
    const auto built =
        test::run(std::string(ISTHMUS_TEST_GCC) + " -nostdlib -static -march=rv64gc -o " +
                  (scratch / "stream") + " " + (scratch / "stream.S"));
    ASSERT_EQ(built.status, 0) << built.output.substr(0, 2000);
    const auto reference = test::run(std::string(ISTHMUS_TEST_QEMU) + " " + (scratch / "stream") +
                                     " " + (scratch / "qemu"));
    ASSERT_EQ(reference.status, 0) << reference.output;

    MachineOptions options;
    options.arguments = {"stream", scratch / "fast"};
    Machine fast(Program::load(scratch / "stream"), options, boot_linux);
    ASSERT_TRUE(fast.run());
    ASSERT_EQ(fast.exit_code(), 0);
    options.arguments = {"stream", scratch / "observed"};
    Machine observed(Program::load(scratch / "stream"), options, boot_linux);
    std::vector<test::Coverage> coverage(1);
    ASSERT_TRUE(observed.run(std::span(coverage)));
    EXPECT_EQ(fast.retired(), observed.retired());

    const std::string expected = test::read_file(scratch / "qemu");
    ASSERT_GT(expected.size(), kStateBytes * 100);
    for (const char* name : {"fast", "observed"}) {
        const std::string got = test::read_file(scratch / name);
        ASSERT_EQ(got.size(), expected.size()) << name;
        for (std::size_t at = 0; at < got.size(); at += 8) {
            std::uint64_t a = 0, b = 0;
            std::memcpy(&a, got.data() + at, std::min<std::size_t>(8, got.size() - at));
            std::memcpy(&b, expected.data() + at, std::min<std::size_t>(8, got.size() - at));
            const std::size_t word = at % kStateBytes / 8;
            const std::string place =
                word == 0   ? std::string("fcsr")
                : word < 32 ? std::string("x").append(std::to_string(word))
                : word < 64 ? std::string("f").append(std::to_string(word - 32))
                            : std::string("memory + ").append(std::to_string(word * 8));
            ASSERT_EQ(a, b) << name << ", checkpoint " << at / kStateBytes << ", " << place
                            << std::hex << ": 0x" << a << " instead of 0x" << b
                            << "; the stream starts from " << std::dec << GetParam();
        }
    }
    const int missing = coverage[0].print("streams against qemu", [](Op op) {
        static const std::set<Op> kElsewhere = {Op::ebreak, Op::mret,    Op::sret,      Op::wfi,
                                                Op::fence,  Op::fence_i, Op::sfence_vma};
        const InstructionClass klass = info(op).klass;
        return !kElsewhere.count(op) && !is_remote(klass) && klass != InstructionClass::address &&
               op != Op::ele && op != Op::ese;
    });
    EXPECT_EQ(missing, 0);
}

INSTANTIATE_TEST_SUITE_P(Starts, Differential, testing::Values(1u, 2u, 3u, 4u));

// The same with a loop around it and many short budgets, so that the code gets hot and is
// translated.
TEST(Translation, HotStreamMatchesInterpreterAndQemu) {
    if (!*ISTHMUS_TEST_GCC) GTEST_SKIP() << "riscv64-linux-gnu-gcc is not installed";
    if (!*ISTHMUS_TEST_QEMU) GTEST_SKIP() << "qemu-riscv64 is not installed";
    for (const unsigned start : {11u, 12u, 13u}) {
        test::Scratch scratch;
        test::write_file(scratch / "stream.S", Generator(start).program(4, 120));
        const auto built =
            test::run(std::string(ISTHMUS_TEST_GCC) + " -nostdlib -static -march=rv64gc -o " +
                      (scratch / "stream") + " " + (scratch / "stream.S"));
        ASSERT_EQ(built.status, 0) << built.output.substr(0, 2000);
        ASSERT_EQ(test::run(std::string(ISTHMUS_TEST_QEMU) + " " + (scratch / "stream") + " " +
                            (scratch / "qemu"))
                      .status,
                  0);
        std::uint64_t retired[2] = {}, limited[2] = {}, translated[2] = {};
        for (const bool translate : {false, true}) {
            MachineOptions options;
            options.arguments = {"stream", scratch / (translate ? "translated" : "interpreted")};
            options.translate = translate;
            options.quantum = 23;
            Machine machine(Program::load(scratch / "stream"), options, boot_linux);
            ASSERT_TRUE(machine.run());
            ASSERT_EQ(machine.exit_code(), 0);
            retired[translate] = machine.retired();
            translated[translate] = machine.nodes()[0]->harts[0]->translated_blocks();
            options.arguments[1] = scratch / "limited";
            options.max_instructions = machine.retired() / 2;
            Machine half(Program::load(scratch / "stream"), options, boot_linux);
            ASSERT_FALSE(half.run());
            limited[translate] = half.retired();
        }
        EXPECT_EQ(retired[0], retired[1]);
        EXPECT_EQ(limited[0], limited[1]);
        EXPECT_EQ(translated[0], 0u);
        const std::string expected = test::read_file(scratch / "qemu");
        EXPECT_TRUE(test::read_file(scratch / "interpreted") == expected)
            << "interpreted, stream from " << start;
        EXPECT_TRUE(test::read_file(scratch / "translated") == expected)
            << "translated, stream from " << start;
        std::printf("%lu blocks translated, %lu instructions\n",
                    static_cast<unsigned long>(translated[1]),
                    static_cast<unsigned long>(retired[1]));
    }
}

class CompiledProgram : public testing::TestWithParam<const char*> {};

TEST_P(CompiledProgram, OutputMatchesQemu) {
    if (!*ISTHMUS_TEST_GCC) GTEST_SKIP() << "riscv64-linux-gnu-gcc is not installed";
    if (!*ISTHMUS_TEST_QEMU) GTEST_SKIP() << "qemu-riscv64 is not installed";
    test::Scratch scratch;
    for (const char* level : {"-O0", "-O2"}) {
        const auto built = test::run(
            std::string(ISTHMUS_TEST_GCC) + " " + level + " -static -o " + (scratch / "p") + " " +
            ISTHMUS_TEST_SOURCE "/tests/sim/programs/" + GetParam() + ".c -lm -lpthread");
        ASSERT_EQ(built.status, 0) << built.output;
        const std::string arguments = " " + (scratch / "p") + " one 'two three'";
        const auto expected = test::run("cd " + (scratch / "") + " && " ISTHMUS_TEST_QEMU +
                                        arguments + " < /dev/null");
        const auto got =
            test::run("cd " + (scratch / "") + " && " ISTHMUS_TEST_BINARY "/bin/isthmus-sim" +
                      arguments + " < /dev/null");
        EXPECT_EQ(got.output, expected.output) << level;
        EXPECT_EQ(got.status, expected.status) << level;
    }
}

INSTANTIATE_TEST_SUITE_P(Programs, CompiledProgram,
                         testing::Values("formatted", "heap", "threads", "files", "numbers",
                                         "control", "signals", "signal_threads", "poll",
                                         "shared_files", "pipes", "named_pipes", "attributes",
                                         "events", "timers", "clocks", "locks", "maps", "file_ends",
                                         "copies", "file_locks", "signal_files", "descriptors",
                                         "system", "sockets", "deadlines", "processor_time",
                                         "processor_timers", "hot"));

}  // namespace
}  // namespace isthmus::sim
