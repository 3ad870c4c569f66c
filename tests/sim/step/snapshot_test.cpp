// Back to what was: any number of steps, a snapshot, more steps, and after going back the same
// steps.
#include <gtest/gtest.h>

#include <random>

#include "tests/sim/step/random_program.hpp"
#include "tests/sim/step/words.hpp"

namespace isthmus::sim {
namespace {

using step::Outcome;
using test::hart_with;
using test::kStart;
namespace word = test::word;

/// A step, and what a network would do for it, in words.
std::string advance(step::Hart& hart) {
    std::string line;
    Outcome outcome = hart.step();
    if (outcome == Outcome::waiting) {
        if (hart.last().remote.name_space == 1)
            isthmus_step_serve_remote(hart.c(), hart.c());
        else
            hart.inject_remote_fault(hart.last().remote.address);
        outcome = hart.step();
    }
    return hart.line() + " then " + std::to_string(hart.last().next_pc) + " after " +
           std::to_string(hart.last().order);
}

/// Everything that can be asked for.
std::string state_of(const step::Hart& hart, std::uint64_t size) {
    std::string text = std::to_string(hart.pc());
    for (unsigned i = 0; i < 32; ++i)
        text += "," + std::to_string(hart.x(i)) + "," + std::to_string(hart.f(i)) + "," +
                std::to_string(hart.e(i));
    for (const unsigned number :
         {0x003u, 0x300u, 0x305u, 0x340u, 0x341u, 0x342u, 0x343u, 0xb00u, 0xb02u})
        text += "," + std::to_string(hart.csr(number));
    std::string memory(size, '\0');
    hart.read_memory(kStart, memory.data(), size);
    return text + memory;
}

class Random : public testing::TestWithParam<std::pair<Xlen, unsigned>> {};

TEST_P(Random, StepsAfterGoingBackAreTheSame) {
    if (!*ISTHMUS_TEST_AS) GTEST_SKIP() << "riscv64-linux-gnu-as is not installed";
    const auto [xlen, start] = GetParam();
    test::Scratch scratch;
    const std::string program = scratch / "random";
    const test::Result built = test::RandomProgram(xlen, start).build(scratch, program, 2, 5);
    ASSERT_EQ(built.status, 0) << built.output;
    constexpr std::uint64_t kSize = 1 << 18;
    step::Hart hart(std::string("isa=") + (xlen == Xlen::k32 ? "rv32gc" : "rv64gc") +
                    "_xbgasamo_xbgasbulk memory=0x80000000:0x40000");
    hart.load_elf(program);
    std::mt19937 random(start);
    struct Kept {
        step::Hart::Snapshot snapshot;
        std::string state;
        std::vector<std::string> next;
    };
    std::vector<Kept> kept;
    for (int round = 0; round < 12; ++round) {
        for (unsigned i = random() % 200; i > 0; --i)
            advance(hart);
        kept.push_back({hart.save(), state_of(hart, kSize), {}});
        for (unsigned i = random() % 200 + 1; i > 0; --i)
            kept.back().next.push_back(advance(hart));
    }
    // To each of them, in any order and more than once.
    for (int turn = 0; turn < 40; ++turn) {
        const Kept& one = kept[random() % kept.size()];
        hart.restore(one.snapshot);
        ASSERT_TRUE(state_of(hart, kSize) == one.state) << "turn " << turn;
        for (const std::string& line : one.next)
            ASSERT_EQ(advance(hart), line) << "turn " << turn;
    }
}

INSTANTIATE_TEST_SUITE_P(Programs, Random,
                         testing::Values(std::pair{Xlen::k64, 5u}, std::pair{Xlen::k32, 6u}),
                         [](const auto& each) {
                             return each.param.first == Xlen::k32 ? "Rv32" : "Rv64";
                         });

TEST(Snapshot, KeepsWhatIsInjectedAndWaited) {
    step::Hart hart = hart_with("isa=rv64gc_xbgas", {word::eld(5, 10, 0), word::csrrs(6, 0xc01, 0),
                                                     word::csrrs(7, 0xb03, 0)});
    hart.set_e(10, 3);
    hart.set_time(100);
    ASSERT_EQ(hart.step(), Outcome::waiting);
    const auto waiting = hart.save();
    hart.inject_remote(55);
    const auto answered = hart.save();
    for (int i = 0; i < 2; ++i) {
        hart.set_time(999);
        hart.inject_csr(0xb03, 7);
        hart.restore(answered);
        ASSERT_EQ(hart.step(), Outcome::retired);
        EXPECT_EQ(hart.x(5), 55u);
        ASSERT_EQ(hart.step(), Outcome::retired);
        EXPECT_EQ(hart.x(6), 100u);
        ASSERT_EQ(hart.step(), Outcome::retired);
        EXPECT_EQ(hart.x(7), 0u) << "what was injected later is gone";
        hart.restore(waiting);
        EXPECT_EQ(hart.step(), Outcome::waiting) << "the value that came later is gone";
    }
}

TEST(Snapshot, CodeThatWasWrittenIsFetched) {
    // sw t1, 8(a0) over the instruction after the next one.
    step::Hart hart = hart_with("isa=rv32i", {word::s_type(2, 6, 10, 8), word::kNop,
                                              word::addi(5, 0, 1), word::addi(5, 5, 1)});
    hart.set_x(6, word::addi(5, 0, 40));
    hart.set_x(10, kStart);
    const auto before = hart.save();
    for (int i = 0; i < 3; ++i) {
        // The old word has been executed, and so decoded, before.
        hart.set_pc(kStart + 8);
        hart.step();
        ASSERT_EQ(hart.x(5), 1u);
        hart.set_pc(kStart);
        for (int step = 0; step < 4; ++step)
            ASSERT_EQ(hart.step(), Outcome::retired);
        EXPECT_EQ(hart.x(5), 41u);
        hart.restore(before);
        EXPECT_EQ(hart.x(5), 0u);
    }
}

TEST(Snapshot, WritesOverTheEndOfAPage) {
    step::Hart hart = hart_with("isa=rv64i", {word::s_type(3, 5, 10, 0)});  // sd t0, 0(a0)
    hart.set_x(5, ~0ull);
    hart.set_x(10, kStart + 0x1ffc);
    const auto before = hart.save();
    std::uint64_t found = 0;
    ASSERT_EQ(hart.step(), Outcome::retired);
    hart.read_memory(kStart + 0x1ffc, &found, 8);
    EXPECT_EQ(found, ~0ull);
    hart.restore(before);
    hart.read_memory(kStart + 0x1ffc, &found, 8);
    EXPECT_EQ(found, 0u);
    // And from outside, over whole pages.
    std::vector<char> bytes(3 * 4096, 'x'), back(bytes.size());
    hart.write_memory(kStart + 0x3800, bytes.data(), bytes.size());
    const auto written = hart.save();
    hart.restore(before);
    hart.read_memory(kStart + 0x3800, back.data(), back.size());
    EXPECT_EQ(back, std::vector<char>(bytes.size()));
    hart.restore(written);
    hart.read_memory(kStart + 0x3800, back.data(), back.size());
    EXPECT_EQ(back, bytes);
}

TEST(Snapshot, FloatingPointIsOnAsItWas) {
    const std::uint32_t fadd = 0x02000053;  // fadd.d ft0, ft0, ft0
    step::Hart hart = hart_with("isa=rv64gc", {fadd, fadd});
    const auto off = hart.save();
    hart.set_csr(0x300, 0x6000);
    const auto on = hart.save();
    for (int i = 0; i < 3; ++i) {
        hart.restore(on);
        EXPECT_EQ(hart.step(), Outcome::retired);
        hart.restore(off);
        EXPECT_EQ(hart.step(), Outcome::trapped);
    }
}

TEST(Snapshot, OfAnotherHartChangesNothing) {
    step::Hart one = hart_with("isa=rv32i", {word::addi(5, 0, 1)});
    step::Hart other = hart_with("isa=rv32i", {word::addi(5, 0, 2)});
    const auto snapshot = one.save();
    other.step();
    other.restore(snapshot);
    EXPECT_EQ(other.x(5), 2u);
}

}  // namespace
}  // namespace isthmus::sim
