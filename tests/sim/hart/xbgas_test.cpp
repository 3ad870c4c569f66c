// Nodes, namespaces and the xBGAS instructions end to end.
#include <elf.h>
#include <gtest/gtest.h>

#include <cstring>

#include "sim/hart/bare_metal.hpp"
#include "sim/linux/process.hpp"
#include "tests/sim/hart/coverage.hpp"
#include "tests/sim/tools.hpp"

namespace isthmus::sim {
namespace {

std::string compile(const test::Scratch& scratch, const std::string& source,
                    const std::string& flags) {
    const std::string out = scratch / "program";
    const auto built =
        test::run(std::string(ISTHMUS_TEST_GCC) + " -O2 -static -I" ISTHMUS_TEST_INCLUDE " " +
                  flags + " -o " + out + " " + source);
    EXPECT_EQ(built.status, 0) << built.output;
    return out;
}

/// Assembles a bare-metal program at 0x80000000; `body` is its text, xBGAS mnemonics included.
std::string assemble(const test::Scratch& scratch, const std::string& body,
                     bool profile_a = false) {
    test::write_file(scratch / "bare.s", R"(
.option norelax
.text
.globl _start
_start:
)" + body + R"(
exit:                       # a0 = code
    slli a0, a0, 1
    ori a0, a0, 1
    la t6, tohost
    sd a0, 0(t6)
1:  j 1b
.data
.balign 4096
.globl tohost
tohost: .8byte 0
.balign 4096
data: .zero 64
)");
    const std::string out = scratch / "bare";
    const auto built = test::run(
        std::string(ISTHMUS_TEST_AS) +
        " -march=rv64gc --defsym XBGAS_PROFILE_A=" + (profile_a ? "1 " : "0 ") +
        ISTHMUS_TEST_INCLUDE "/xbgas.inc " + (scratch / "bare.s") + " -o " + (scratch / "bare.o") +
        " && riscv64-linux-gnu-ld -n -Ttext=0x80000000 -o " + out + " " + (scratch / "bare.o"));
    EXPECT_EQ(built.status, 0) << built.output;
    return out;
}

#define NEEDS_COMPILER() \
    if (!*ISTHMUS_TEST_GCC) GTEST_SKIP() << "riscv64-linux-gnu-gcc is not installed"

struct Shape {
    unsigned nodes;
    Profile profile;
};

class EveryInstruction : public testing::TestWithParam<Shape> {};

TEST_P(EveryInstruction, BetweenNodes) {
    NEEDS_COMPILER();
    const auto [nodes, profile] = GetParam();
    test::Scratch scratch;
    const std::string program =
        compile(scratch, ISTHMUS_TEST_SOURCE "/tests/sim/programs/xbgas_all.c",
                profile == Profile::a ? "-DXBGAS_PROFILE_A" : "");
    MachineOptions options;
    options.nodes = nodes;
    options.profile = profile;
    options.arguments = {"xbgas_all"};
    Machine machine(Program::load(program), options, boot_linux);
    std::vector<test::Coverage> coverage(nodes);
    ASSERT_TRUE(machine.run(std::span(coverage)));
    EXPECT_EQ(machine.exit_code(), 0);
    test::Coverage all;
    for (const test::Coverage& one : coverage)
        all.add(one);
    EXPECT_GT(all.remotes, 0u);
    const Decoder decoder(Xlen::k64, profile);
    const int missing =
        all.print(profile == Profile::a ? "xBGAS profile A" : "xBGAS profile B", [&](Op op) {
            if (profile == Profile::b && (op == Op::elq || op == Op::esq)) return false;
            return is_remote(info(op).klass) || info(op).klass == InstructionClass::address ||
                   op == Op::ele || op == Op::ese;
        });
    EXPECT_EQ(missing, 0);
}

INSTANTIATE_TEST_SUITE_P(Shapes, EveryInstruction,
                         testing::Values(Shape{1, Profile::b}, Shape{2, Profile::b},
                                         Shape{5, Profile::b}, Shape{64, Profile::b},
                                         Shape{1, Profile::a}, Shape{4, Profile::a}),
                         [](const auto& shape) {
                             return std::string(shape.param.profile == Profile::a ? "A" : "B") +
                                    std::to_string(shape.param.nodes);
                         });

TEST(Programs, SayWhichProfileTheyAreFor) {
    NEEDS_COMPILER();
    test::Scratch scratch;
    test::write_file(scratch / "plain.c", "int main(void) { return 0; }\n");
    test::write_file(scratch / "remote.c", "#include <xbgas.h>\nint main(void) { return 0; }\n");
    test::write_file(scratch / "other.c", "#include <xbgas.h>\n");
    const Program plain = Program::load(compile(scratch, scratch / "plain.c", ""));
    EXPECT_EQ(plain.profile("auto"), Profile::b);
    EXPECT_EQ(plain.profile("a"), Profile::a);
    const Program b = Program::load(compile(scratch, scratch / "remote.c", ""));
    EXPECT_EQ(b.profile("auto"), Profile::b);
    EXPECT_THROW(b.profile("a"), std::runtime_error);
    const std::string file = compile(scratch, scratch / "remote.c", "-s -DXBGAS_PROFILE_A");
    const Program a = Program::load(file);
    EXPECT_EQ(a.profile("auto"), Profile::a);
    EXPECT_EQ(a.profile("a"), Profile::a);
    EXPECT_THROW(a.profile("b"), std::runtime_error);
    const auto built =
        test::run(std::string(ISTHMUS_TEST_GCC) + " -c -I" ISTHMUS_TEST_INCLUDE " -o " +
                  (scratch / "other.o") + " " + (scratch / "other.c"));
    ASSERT_EQ(built.status, 0) << built.output;
    const Program both = Program::load(
        compile(scratch, scratch / "remote.c", "-DXBGAS_PROFILE_A " + (scratch / "other.o")));
    for (const char* asked : {"auto", "a", "b"})
        EXPECT_THROW(both.profile(asked), std::runtime_error);
    // Without the names of its sections it says nothing, and runs.
    std::string bytes = test::read_file(file);
    Elf64_Ehdr header;
    std::memcpy(&header, bytes.data(), sizeof header);
    const std::uint64_t far = bytes.size() + 1;
    std::memcpy(bytes.data() + header.e_shoff + header.e_shstrndx * sizeof(Elf64_Shdr) +
                    offsetof(Elf64_Shdr, sh_offset),
                &far, sizeof far);
    EXPECT_EQ(Program::parse(bytes, "nameless").profile("auto"), Profile::b);
    for (const bool old : {false, true})
        EXPECT_EQ(Program::load(assemble(scratch, "    li a0, 0\n", old)).profile("auto"),
                  old ? Profile::a : Profile::b);
}

/// Everything that may differ between two runs.
std::string fingerprint(const std::string& program, MachineOptions options) {
    options.arguments = {"program"};
    Machine machine(Program::load(program), options, boot_linux);
    EXPECT_TRUE(machine.run());
    EXPECT_EQ(machine.exit_code(), 0);
    std::string text;
    for (const auto& node : machine.nodes()) {
        text += std::to_string(node->retired()) + " " +
                std::to_string(node->counters.remote_loads) + " " +
                std::to_string(node->counters.remote_atomics) + " " +
                std::to_string(node->counters.yields) + ";";
        for (const std::uint64_t value : node->harts[0]->x)
            text += " " + std::to_string(value);
    }
    return text;
}

TEST(Machine, OutcomeDoesNotDependOnHostThreads) {
    NEEDS_COMPILER();
    test::Scratch scratch;
    const std::string program =
        compile(scratch, ISTHMUS_TEST_SOURCE "/tests/sim/programs/xbgas_all.c", "");
    MachineOptions options;
    options.nodes = 7;
    options.seed = 99;
    const std::string one = fingerprint(program, options);
    for (unsigned threads : {1u, 2u, 3u, 7u}) {
        options.threads = threads;
        EXPECT_EQ(fingerprint(program, options), one) << threads << " host threads";
    }
    options.seed = 100;
    options.threads = 1;
    EXPECT_NE(fingerprint(program, options), one) << "the seed should change the interleaving";
}

TEST(Machine, ThousandNodesOfLittleMemory) {
    NEEDS_COMPILER();
    test::Scratch scratch;
    test::write_file(scratch / "idle.c", "int main(void) { return 0; }");
    const std::string program = compile(scratch, scratch / "idle.c", "");
    MachineOptions options;
    options.nodes = 1024;
    options.arguments = {"idle"};
    Machine machine(Program::load(program), options, boot_linux);
    ASSERT_TRUE(machine.run());
    EXPECT_EQ(machine.exit_code(), 0);
    std::uint64_t most = 0;
    for (const auto& node : machine.nodes())
        most = std::max(most, node->memory.resident_bytes());
    std::printf("an idle node holds %lu KiB of guest memory\n",
                static_cast<unsigned long>(most >> 10));
    EXPECT_LT(most, 3u << 20);
    long pages = 0, resident = 0;
    std::ifstream("/proc/self/statm") >> pages >> resident;
    std::printf("1024 nodes: %ld MiB resident on the host\n", resident * 4 / 1024);
    EXPECT_LT(resident * 4096 / 1024, 4l << 20) << "bytes of the host per node";
}

class Bare : public testing::Test {
  protected:
    /// Runs and returns the exit code.
    int run(const std::string& body, MachineOptions options = {}, bool profile_a = false) {
        if (!*ISTHMUS_TEST_AS) return -1;
        test::Scratch scratch;
        options.memory_bytes = 16 << 20;
        options.shared_bytes = 1 << 20;
        options.max_instructions = 1'000'000;
        if (profile_a) options.profile = Profile::a;
        Machine machine(Program::load(assemble(scratch, body, profile_a)), options,
                        boot_bare_metal);
        machine.complain = [this](const std::string& text) { complaints_ += text; };
        std::vector<test::Coverage> coverage(options.nodes);
        EXPECT_TRUE(machine.run(std::span(coverage)));
        for (const test::Coverage& one : coverage)
            total.add(one);
        return machine.exit_code();
    }
    void SetUp() override {
        if (!*ISTHMUS_TEST_AS) GTEST_SKIP() << "riscv64-linux-gnu-as is not installed";
    }
    static void TearDownTestSuite() { total.print_traps(); }

    std::string complaints_;
    static inline test::Coverage total;
};

// Installs a handler that checks mcause, mtval and mepc against s0, s1, s2 and goes on at s3 with
// s4 counting.
constexpr const char* kHandler = R"(
    la t0, handler
    csrw mtvec, t0
    li s4, 0
    j main
.balign 4
handler:
    csrr t0, mcause
    li a0, 101
    bne t0, s0, exit
    csrr t0, mtval
    li a0, 102
    bne t0, s1, exit
    csrr t0, mepc
    li a0, 103
    bne t0, s2, exit
    addi s4, s4, 1
    csrw mepc, s3
    li t0, 0x1800
    csrs mstatus, t0
    mret
# One instruction that must trap; the value expected in mtval is in s1 already.
.macro traps cause, instruction:vararg
    li s0, \cause
    la s2, 1f
    la s3, 2f
1:  \instruction
    li a0, 104
    j exit
2:
.endm
main:
)";

TEST_F(Bare, EveryTrap) {
    EXPECT_EQ(run(std::string(kHandler) + R"(
    li a1, 0x7000             # nothing is there
    li s1, 0x7000
    traps 5, lb t0, 0(a1)
    traps 5, lh t0, 0(a1)
    traps 5, lw t0, 0(a1)
    traps 5, ld t0, 0(a1)
    traps 5, lr.d t0, (a1)
    traps 7, sb t0, 0(a1)
    traps 7, sh t0, 0(a1)
    traps 7, sw t0, 0(a1)
    traps 7, sd t0, 0(a1)
    traps 7, amoadd.w t0, t0, (a1)
    traps 5, ele e20, 0(a1)
    traps 7, ese e20, 0(a1)
    la a1, data+1
    mv s1, a1
    traps 4, lr.w t0, (a1)
    traps 6, sc.w t0, t0, (a1)
    traps 6, amoadd.d t0, t0, (a1)
    traps 4, elr.w t0, (a1)
    traps 6, esc.w t0, t0, (a1)
    traps 6, eamoadd.d t0, t0, (a1)
    li s1, 0
    traps 11, ecall
    la s1, 1f
    li s0, 3
    mv s2, s1
    la s3, 2f
    .option norvc
1:  ebreak
2:
    la s1, 1f
    mv s2, s1
    la s3, 2f
    .option rvc
1:  c.ebreak
2:  .option norvc
    li s1, 0xffffffff
    traps 2, .4byte 0xffffffff
    li s1, 0
    traps 2, .2byte 0
    li s1, 0x62000073         # hfence.gvma: there is no hypervisor
    traps 2, .4byte 0x62000073
    li s1, 0x7b202073 + 0x280 # a CSR that does not exist
    traps 2, .4byte 0x7b2022f3
    li s1, 0xf1429073         # mhartid cannot be written
    traps 2, csrw mhartid, t0
    li s1, 0x00007053         # floating point is off after reset
    traps 2, .4byte 0x00007053
    li t0, 0x2000
    csrs mstatus, t0
    fadd.s f0, f0, f0
    li s1, 0x00005053         # a reserved rounding mode
    traps 2, .4byte 0x00005053
    csrwi frm, 5
    li s1, 0x00007053         # the same, dynamic
    traps 2, .4byte 0x00007053
    # User mode: no access to machine registers, ecall has its own cause.
    li s0, 2
    li s1, 0x300022f3
    la s2, 1f
    la s3, 2f
    la t0, 1f
    csrw mepc, t0
    li t0, 0x1800
    csrc mstatus, t0
    mret
1:  csrr t0, mstatus
2:  li s0, 8
    li s1, 0
    la s2, 1f
    la s3, 2f
    la t0, 1f
    csrw mepc, t0
    li t0, 0x1800
    csrc mstatus, t0
    mret
1:  ecall
2:  # A jump to nowhere.
    li s0, 1
    li s1, 0x7000
    li s2, 0x7000
    la s3, 1f
    li t0, 0x7000
    jr t0
1:  li a0, 0
    li t0, 32                 # as many as there are traps above
    beq s4, t0, exit
    mv a0, s4
)"),
              0);
    for (unsigned cause : {1, 2, 3, 4, 5, 6, 7, 8, 11})
        EXPECT_GT(total.traps[cause], 0u) << "cause " << cause;
}

TEST_F(Bare, UnmappedNamespaceTraps) {
    MachineOptions options;
    options.nodes = 2;
    EXPECT_EQ(run(std::string(kHandler) + R"(
    la a1, data
    mv s1, a1
    li t0, 3                  # two nodes: namespaces 1 and 2
    eaddie e11, t0, 0
    eaddie e20, t0, 0
    traps 5, eld a2, 0(a1)
    traps 5, erlb a2, a1, e20
    traps 5, erle e21, a1, e20
    traps 7, esw a2, 0(a1)
    traps 7, ersd a2, a1, e20
    traps 7, eamoswap.d a2, a2, (a1)
    traps 5, elr.d a2, (a1)
    li a3, 1
    la a4, data
    traps 5, eblb a2, a4, a1, a3
    traps 7, ebsb a2, a4, a1, a3
    li t0, 2                  # there, but not that address
    eaddie e11, t0, 0
    li a1, 0x5000
    li s1, 0x5000
    traps 5, elbu a2, 0(a1)
    traps 7, esb a2, 0(a1)
    traps 7, eamoadd.w a2, a2, (a1)
    # No register changes, and the last namespace works.
    la a1, data
    li a2, 99
    esd a2, 0(a1)
    eld a3, 0(a1)
    li a0, 1
    bne a3, a2, exit
    li a0, 0
    li t0, 12
    beq s4, t0, exit
    mv a0, s4
)",
                  options),
              0);
}

// A block over the end of memory: what comes before the end has been moved, the trap names the
// first byte behind it, and nothing else of the other side has changed.
TEST_F(Bare, ATransferEndsAtTheFirstByteThatIsNotThere) {
    EXPECT_EQ(run(std::string(kHandler) + R"(
    eaddi s5, e14, 0          # memory ends a page behind that
    li t0, 4096
    add s5, s5, t0
    li t0, 1
    eaddie e26, t0, 0         # the own node, by its namespace
    addi s6, s5, -21
    la s7, data
    mv t0, s6                 # 1, 2, ... 21 there, 99 in data
    li t1, 1
1:  sb t1, 0(t0)
    addi t0, t0, 1
    addi t1, t1, 1
    bne t0, s5, 1b
    li t1, 99
    sb t1, 20(s7)
    sb t1, 21(s7)
    mv s1, s5
    mv x26, s6
    li a3, 40
    li a2, 77
    traps 5, eblb a2, s7, x26, a3
    li a0, 1
    lbu t0, 20(s7)
    li t1, 21
    bne t0, t1, exit
    li a0, 2
    lbu t0, 21(s7)
    li t1, 99
    bne t0, t1, exit
    li a0, 3
    lbu t0, 19(s7)
    li t1, 20
    bne t0, t1, exit
    li a0, 4                  # no count
    li t1, 77
    bne a2, t1, exit
    # There the local side ends: nothing behind it is written.
    sb t1, 21(s7)
    sb t1, 20(s7)
    mv x26, s7
    li a3, 5
    traps 5, ebsd a2, s6, x26, a3
    li a0, 5
    lbu t0, 20(s7)
    li t1, 21
    bne t0, t1, exit
    li a0, 6
    lbu t0, 21(s7)
    li t1, 77
    bne t0, t1, exit
    li t1, 55
    sb t1, 20(s7)
    traps 7, eblw a2, s6, x26, t1
    li a0, 7
    mv x26, s6
    traps 7, ebsw a2, s7, x26, t1
    lbu t0, -1(s5)
    li t1, 55
    bne t0, t1, exit
    li a0, 0
    li t0, 4
    beq s4, t0, exit
    mv a0, s4
)"),
              0);
}

TEST_F(Bare, LowerHalfDoesNotCarryIntoTheNamespace) {
    EXPECT_EQ(run(R"(
    li t0, 1
    eaddie e11, t0, 0
    li a1, -8                 # -8 + offset wraps inside the lower half
    la a2, data
    addi a3, a2, 8
    li t1, 1234
    sd t1, 0(a2)
    add a1, a1, a3
    eld a4, 0(a1)
    li a0, 1
    bne a4, t1, exit
    li a0, 0
)"),
              0);
}

TEST_F(Bare, StrictModeTrapsLowERegisters) {
    const std::string body = std::string(kHandler) + R"(
    la s5, data
    mv ra, s5
    li s1, 0x0000b577
    traps 2, eld a0, 0(ra)
    mv a0, s5
    li a0, 0
)";
    MachineOptions options;
    options.strict_e = true;
    EXPECT_EQ(run(body, options), 0);
    options.strict_e = false;
    EXPECT_EQ(run(body, options), 104) << "off by default";
}

TEST_F(Bare, QuadwordsExistInProfileAOnly) {
    EXPECT_EQ(run(std::string(kHandler) + R"(
    la s5, data
    li s1, 0x0005e577
    traps 2, .4byte 0x0005e577
    li a0, 0
)"),
              0);
    EXPECT_EQ(run(R"(
    la a1, data
    li a2, 7
    li t0, 9
    eaddie e12, t0, 0
    esq a2, 0(a1)
    elq a4, 0(a1)
    eaddi a5, e14, 0
    li a0, 1
    bne a4, a2, exit
    bne a5, t0, exit
    li a0, 0
)",
                  {}, true),
              0);
}

TEST_F(Bare, CrashReportsWhere) {
    EXPECT_EQ(run("li t0, 0x4000\n ld t1, 8(t0)\n"), 134);
    EXPECT_NE(complaints_.find("load access fault (cause 5, value 0x4008) and no handler"),
              std::string::npos)
        << complaints_;
    EXPECT_NE(complaints_.find("back trace"), std::string::npos) << complaints_;
    EXPECT_NE(complaints_.find("<_start+0x"), std::string::npos) << complaints_;
}

TEST_F(Bare, SelfModifyingCodeIsSeenAfterFenceI) {
    EXPECT_EQ(run(R"(
    li s0, 0
    la s1, patch
1:  la t0, patch
    jalr t0
    li t1, 0x00200513         # li a0, 2
    sw t1, 0(s1)
    fence.i
    jalr t0
    addi a0, a0, -2
    j exit
.balign 4
patch:
    .option norvc
    li a0, 1
    ret
)"),
              0);
}

// A program of one page: the word that ends it lies beside code that has run.
TEST_F(Bare, EndsThroughAWordBesideCode) {
    test::Scratch scratch;
    const auto built = test::assemble_bare(scratch, R"(
.globl _start, tohost
_start: la t0, tohost
    li t1, 21
    sd t1, 0(t0)
1:  j 1b
.balign 8
tohost: .8byte 0
)",
                                           scratch / "one");
    ASSERT_EQ(built.status, 0) << built.output;
    MachineOptions options;
    options.max_instructions = 1'000'000;
    Machine machine(Program::load(scratch / "one"), options, boot_bare_metal);
    EXPECT_TRUE(machine.run());
    EXPECT_EQ(machine.exit_code(), 10);
}

TEST_F(Bare, AFailureOfManyBitsIsNoSuccess) {
    EXPECT_EQ(run("li a0, 512\nj exit\n"), 512);
    EXPECT_EQ(exit_status(512), 255);
    EXPECT_EQ(exit_status(513), 1);
    EXPECT_EQ(exit_status(0), 0);
}

TEST_F(Bare, ALoopOfTrapsEndsAtTheLimit) {
    test::Scratch scratch;
    MachineOptions options;
    options.memory_bytes = 16 << 20;
    options.shared_bytes = 1 << 20;
    options.max_instructions = 100'000;
    const std::string program =
        assemble(scratch, "la t0, 1f\ncsrw mtvec, t0\n.balign 4\n1: .4byte 0\n");
    Machine machine(Program::load(program), options, boot_bare_metal);
    EXPECT_FALSE(machine.run());
    EXPECT_TRUE(machine.limit_reached());
}

TEST_F(Bare, NothingIsSaidToBeInhibited) {
    EXPECT_EQ(run("li a0, -1\ncsrw mcountinhibit, a0\ncsrr a0, mcountinhibit\nj exit\n"), 0);
}

TEST_F(Bare, AFlagWriteThatTrapsWritesNothing) {
    EXPECT_EQ(run(std::string(kHandler) + R"(
    li a1, 31
    li s1, 0x00159073         # floating point is off after reset
    traps 2, .4byte 0x00159073
    li s1, 0x00259073
    traps 2, .4byte 0x00259073
    li s1, 0x00359073
    traps 2, .4byte 0x00359073
    li t0, 0x2000
    csrs mstatus, t0
    frcsr a0
    j exit
)"),
              0);
}

TEST_F(Bare, TimerInterrupt) {
    EXPECT_EQ(run(R"(
    la t0, handler
    csrw mtvec, t0
    li t0, 0x02004000
    li t1, 2000
    sd t1, 0(t0)
    li t0, 0x80
    csrw mie, t0
    csrsi mstatus, 8
1:  wfi
    j 1b
.balign 4
handler:
    csrr t0, mcause
    li t1, -0x7ffffffffffffff9
    li a0, 0
    beq t0, t1, exit
    li a0, 1
    j exit
)"),
              0);
}

}  // namespace
}  // namespace isthmus::sim
