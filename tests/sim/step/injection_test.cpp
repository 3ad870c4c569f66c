// What comes from outside of a hart: interrupts, counters, devices, remote values.
#include <gtest/gtest.h>

#include "tests/sim/step/words.hpp"

namespace isthmus::sim {
namespace {

using step::Outcome;
using test::hart_with;
using test::kStart;
using test::written_csr;
namespace word = test::word;

constexpr std::uint64_t kSoftware = 8, kTimer = 0x80, kExternal = 0x800;

/// Interrupts on, a handler of one `addi a0, a0, 1` and mret at +0x100.
step::Hart interrupted_hart(const std::string& parameters) {
    step::Hart hart = hart_with(parameters + " mtvec=0x80000100 nmi_vector=0x80000200",
                                {word::kNop, word::kNop, word::kNop, word::kNop});
    for (const std::uint64_t at : {kStart + 0x100, kStart + 0x200}) {
        const std::uint32_t handler[] = {word::addi(10, 10, 1), word::kMret};
        hart.write_memory(at, handler, sizeof handler);
    }
    hart.set_csr(0x304, kSoftware | kTimer | kExternal);
    hart.set_csr(0x300, 8);
    return hart;
}

TEST(Interrupts, AreTakenInOrderOfTheirRank) {
    for (const char* isa : {"isa=rv32i_zicsr", "isa=rv64i_zicsr"}) {
        step::Hart hart = interrupted_hart(isa);
        const std::uint64_t top = isa[6] == '3' ? 1ull << 31 : 1ull << 63;
        hart.step();
        hart.set_interrupts(kSoftware | kTimer | kExternal);
        EXPECT_EQ(hart.csr(0x344), kSoftware | kTimer | kExternal);
        std::uint64_t lines = kSoftware | kTimer | kExternal;
        for (const auto& [number, line] :
             {std::pair{11u, kExternal}, std::pair{3u, kSoftware}, std::pair{7u, kTimer}}) {
            ASSERT_EQ(hart.step(), Outcome::retired);
            const step::Record& record = hart.last();
            EXPECT_EQ(record.interrupted, 1);
            EXPECT_EQ(record.interrupt, number);
            EXPECT_EQ(record.pc, kStart + 0x100) << "the handler's first instruction";
            EXPECT_EQ(written_csr(hart, 0x342), top | number);
            EXPECT_EQ(written_csr(hart, 0x341), kStart + 4);
            EXPECT_EQ(written_csr(hart, 0x343), 0u);
            EXPECT_EQ(written_csr(hart, 0x300) & 0x88, 0x80u) << "MIE went to MPIE";
            hart.set_interrupts(lines &= ~line);
            ASSERT_EQ(hart.step(), Outcome::retired);
            EXPECT_EQ(hart.last().interrupted, 0);
        }
        ASSERT_EQ(hart.step(), Outcome::retired);
        EXPECT_EQ(hart.last().pc, kStart + 4);
        EXPECT_EQ(hart.x(10), 3u);
    }
}

TEST(Interrupts, ComeWhenTheCoreIsToldToTakeThem) {
    step::Hart hart = interrupted_hart("isa=rv32i_zicsr interrupts=told");
    EXPECT_THROW(hart.take_interrupt(7), step::Error) << "none is pending";
    hart.set_interrupts(kTimer | kSoftware);
    hart.step();
    EXPECT_EQ(hart.last().interrupted, 0);
    EXPECT_THROW(hart.take_interrupt(7), step::Error) << "the software interrupt goes first";
    hart.take_interrupt(3);
    hart.set_interrupts(kTimer);
    hart.step();
    EXPECT_EQ(hart.last().interrupted, 0) << "its line went away first";
    hart.take_interrupt(7);
    hart.step();
    EXPECT_EQ(hart.last().interrupt, 7u);
    EXPECT_EQ(hart.csr(0x341), kStart + 8);
    EXPECT_THROW(hart.take_interrupt(7), step::Error) << "the handler has interrupts off";
}

TEST(Interrupts, VectoredAndOfUserMode) {
    step::Hart hart = interrupted_hart("isa=rv32i_zicsr");
    hart.set_csr(0x305, 0x80000101);
    hart.write_memory(kStart + 0x100 + 44, &word::kNop, 4);
    hart.set_csr(0x300, 0);
    hart.set_interrupts(kExternal);
    hart.step();
    EXPECT_EQ(hart.last().interrupted, 0) << "machine mode has them off";
    isthmus_step_set_privilege(hart.c(), 0);
    hart.step();
    EXPECT_EQ(hart.last().interrupt, 11u) << "user mode has not";
    EXPECT_EQ(hart.last().pc, kStart + 0x100 + 44);
    EXPECT_EQ(written_csr(hart, 0x300) & 0x1800, 0u);
}

// A core with interrupts of its own platform, always vectored at multiples of 256.
TEST(Interrupts, OfAPlatform) {
    step::Hart hart = hart_with(
        "isa=rv32i_zicsr modes=m interrupt_bits=0x7fff0888 mtvec=0x80000001 mtvec_mask=0xffffff00",
        {word::kNop, word::kNop});
    hart.set_csr(0x305, 0x800001fe);
    EXPECT_EQ(hart.csr(0x305), 0x80000101u);
    hart.set_csr(0x304, 0xffffffff);
    EXPECT_EQ(hart.csr(0x304), 0x7fff0888u);
    hart.set_csr(0x300, 8);
    hart.set_interrupts(0x40000 | 0x20000 | 0x800);
    for (const std::uint64_t number : {17, 18, 11})
        hart.write_memory(kStart + 0x100 + 4 * number, &word::kMret, 4);
    hart.step();
    EXPECT_EQ(hart.last().interrupt, 17u);
    EXPECT_EQ(hart.last().pc, kStart + 0x100 + 68);
    hart.set_interrupts(0x40000 | 0x800);
    hart.step();
    EXPECT_EQ(hart.last().interrupt, 18u);
    hart.set_interrupts(0x800);
    hart.step();
    EXPECT_EQ(hart.last().interrupt, 11u);
    EXPECT_EQ(written_csr(hart, 0x342), 0x8000000bu);
    step::Hart plain = hart_with("isa=rv32i_zicsr", {});
    plain.set_interrupts(~0ull);
    EXPECT_EQ(plain.csr(0x344), 0x888u);
}

TEST(Interrupts, NonMaskable) {
    step::Hart hart = interrupted_hart("isa=rv32i_zicsr interrupts=told");
    hart.set_csr(0x300, 0);
    hart.step();
    hart.take_nmi(0x80000000 | 31);
    ASSERT_EQ(hart.step(), Outcome::retired);
    EXPECT_EQ(hart.last().pc, kStart + 0x200);
    EXPECT_EQ(hart.last().interrupted, 2);
    step::Record core = hart.last();
    core.interrupted = 1;  // a core need not tell the two apart
    EXPECT_EQ(hart.compare(core, ISTHMUS_STEP_SAYS_TRAP | ISTHMUS_STEP_SAYS_CAUSE), 0u);
    core.interrupted = 0;
    EXPECT_EQ(hart.compare(core, ISTHMUS_STEP_SAYS_TRAP), unsigned{ISTHMUS_STEP_SAYS_TRAP});
    EXPECT_EQ(hart.last().interrupt, 0x8000001f);
    EXPECT_EQ(hart.csr(0x342), 0x8000001f);
    EXPECT_EQ(hart.csr(0x341), kStart + 4);
    ASSERT_EQ(hart.step(), Outcome::retired);
    EXPECT_EQ(hart.pc(), kStart + 4);
}

TEST(Counters, CountOnFromWhatIsWritten) {
    for (const char* isa : {"isa=rv32i_zicsr", "isa=rv64i_zicsr"}) {
        step::Hart hart = hart_with(
            isa, {word::csrrs(5, 0xb00, 0), word::csrrs(6, 0xb00, 0), word::csrrs(7, 0xb02, 0),
                  word::csrrs(8, 0xc01, 0), word::csrrs(9, 0xc01, 0), word::csrrs(12, 0xb00, 0),
                  word::csrrs(13, 0xb00, 0)});
        hart.set_csr(0xb00, 1000);
        EXPECT_EQ(hart.csr(0xb00), 1000u);
        hart.step();
        EXPECT_EQ(hart.x(5), 1000u);
        hart.step();
        EXPECT_EQ(hart.x(6), 1001u);
        hart.set_csr(0xb02, 70);
        hart.step();
        EXPECT_EQ(hart.x(7), 70u);
        hart.set_time(0x1234);
        hart.step();
        EXPECT_EQ(hart.x(8), 0x1234u);
        hart.set_time(0x1300);
        hart.step();
        EXPECT_EQ(hart.x(9), 0x1300u);
        hart.inject_csr(0xb00, 0xabc);
        EXPECT_EQ(hart.csr(0xb00), 1005u) << "an injected value is for the instruction";
        hart.step();
        EXPECT_EQ(hart.x(12), 0xabcu);
        hart.step();
        EXPECT_EQ(hart.x(13), 1006u) << "and once";
    }
}

TEST(Faults, OfTheCoresBus) {
    const std::uint32_t load = word::i_type(0x03, 2, 5, 10, 4), store = word::s_type(2, 5, 10, 8);
    step::Hart hart =
        hart_with("isa=rv32i_zicsr mtvec=0x80000100", {load, load, store, word::kNop});
    hart.set_x(10, kStart + 0x800);
    ASSERT_EQ(hart.step(), Outcome::retired);  // what is cached of the page does not help
    const auto expect_trap = [&](std::uint64_t cause, std::uint64_t tval, std::uint64_t pc) {
        ASSERT_EQ(hart.step(), Outcome::trapped) << hart.line();
        EXPECT_EQ(hart.last().cause, cause);
        EXPECT_EQ(hart.last().tval, tval);
        EXPECT_EQ(hart.csr(0x341), pc);
        EXPECT_EQ(hart.last().next_pc, kStart + 0x100);
        EXPECT_EQ(hart.last().memory.size, 0);
        hart.set_pc(pc);
    };
    hart.inject_access_fault();
    expect_trap(5, kStart + 0x804, kStart + 4);
    ASSERT_EQ(hart.step(), Outcome::retired) << "once";
    hart.inject_access_fault();
    expect_trap(7, kStart + 0x808, kStart + 8);
    hart.inject_fetch_fault();
    expect_trap(1, kStart + 8, kStart + 8);
    EXPECT_EQ(hart.last().length, 0);
    ASSERT_EQ(hart.step(), Outcome::retired);
    hart.inject_access_fault();
    ASSERT_EQ(hart.step(), Outcome::retired) << "nop has no access";
    hart.set_pc(kStart);
    ASSERT_EQ(hart.step(), Outcome::retired) << "and the next one is not meant";
}

TEST(Faults, OfAStoreConditionalsRead) {
    const std::uint32_t reserve = 0x100520af;      // lr.w ra, (a0)
    const std::uint32_t conditional = 0x185521af;  // sc.w gp, t0, (a0)
    step::Hart hart = hart_with("isa=rv32ia_zicsr mtvec=0x80000100",
                                {reserve, conditional, conditional, word::kNop});
    hart.set_x(10, kStart + 0x800);
    hart.set_x(3, 42);
    ASSERT_EQ(hart.step(), Outcome::retired);
    hart.inject_access_fault();
    ASSERT_EQ(hart.step(), Outcome::trapped) << hart.line();
    EXPECT_EQ(hart.last().cause, 7u);
    EXPECT_EQ(hart.last().tval, kStart + 0x800);
    EXPECT_EQ(hart.x(3), 42u);
    // Without a reservation it reads nothing.
    hart.set_pc(kStart + 8);
    hart.inject_access_fault();
    ASSERT_EQ(hart.step(), Outcome::retired) << hart.line();
    EXPECT_EQ(hart.x(3), 1u);
}

TEST(Record, HasTheCsrsThatAreWritten) {
    const std::uint32_t divide = 0x1a107053;  // fdiv.d ft0, ft0, ft1
    step::Hart hart = hart_with(
        "isa=rv64gc", {word::csrrw(5, 0x340, 6), word::csrrs(5, 0x340, 0), word::csrrs(5, 0x340, 6),
                       divide, divide, word::csrrw(0, 0xb02, 6), word::csrrs(7, 0xb02, 0)});
    hart.set_csr(0x300, 0x6000);
    hart.set_x(6, 0x55);
    hart.set_f(0, 0x3ff0000000000000);
    hart.set_f(1, 0);
    hart.step();
    EXPECT_EQ(written_csr(hart, 0x340), 0x55u);
    hart.step();
    EXPECT_EQ(hart.last().csr_count, 0) << "a plain read";
    hart.step();
    EXPECT_EQ(written_csr(hart, 0x340), 0x55u);
    hart.step();
    EXPECT_EQ(written_csr(hart, 1), 8u) << "division by zero";
    EXPECT_EQ(hart.last().writes[0].file, ISTHMUS_STEP_F);
    EXPECT_EQ(hart.last().writes[0].value, 0x7ff0000000000000u);
    EXPECT_EQ(hart.last().source_count, 2);
    hart.step();
    EXPECT_EQ(hart.last().csr_count, 0) << "infinity by zero raises nothing new";
    hart.step();
    EXPECT_EQ(written_csr(hart, 0xb02), 0x55u);
    hart.step();
    EXPECT_EQ(hart.x(7), 0x55u);
}

TEST(Record, ReservedFieldsOfFencesNameNoRegister) {
    step::Hart hart = hart_with("isa=rv32i_zifencei", {0x0ff5028f, 0x0005128f});
    for (int i = 0; i < 2; ++i) {
        ASSERT_EQ(hart.step(), Outcome::retired) << hart.line();
        EXPECT_EQ(hart.last().write_count, 0);
        EXPECT_EQ(hart.last().source_count, 0);
    }
}

TEST(Record, AtomicsReadAndWrite) {
    for (const unsigned rd : {0u, 5u}) {
        const std::uint32_t amoadd = 0x0065302f | rd << 7;  // amoadd.d rd, t1, (a0)
        step::Hart hart = hart_with("isa=rv64ga", {amoadd});
        const std::uint64_t old = 0x1122334455667788;
        hart.write_memory(kStart + 0x800, &old, 8);
        hart.set_x(10, kStart + 0x800);
        hart.set_x(6, 1);
        ASSERT_EQ(hart.step(), Outcome::retired);
        const isthmus_step_access& access = hart.last().memory;
        EXPECT_TRUE(access.reads && access.writes);
        EXPECT_EQ(access.read, old);
        EXPECT_EQ(access.written, old + 1);
        EXPECT_EQ(hart.last().write_count, rd != 0);
    }
}

// Devices -----------------------------------------------------------------------------------------

TEST(Devices, FunctionsServeThem) {
    struct Seen {
        std::uint64_t offset = 0, value = 0;
        unsigned size = 0;
    } seen;
    step::Hart hart =
        hart_with("isa=rv32i", {word::i_type(0x03, 2, 5, 10, 8), word::s_type(1, 5, 10, 6)});
    ASSERT_EQ(isthmus_step_map_device(
                  hart.c(), 0x10000000, 0x1000,
                  [](void* context, std::uint64_t offset, unsigned size) -> std::uint64_t {
                      *static_cast<Seen*>(context) = {offset, 0, size};
                      return 0x12345678;
                  },
                  [](void* context, std::uint64_t offset, unsigned size, std::uint64_t value) {
                      *static_cast<Seen*>(context) = {offset, value, size};
                  },
                  &seen),
              0);
    EXPECT_EQ(isthmus_step_map_device(hart.c(), 0x10, 0x1000, nullptr, nullptr, nullptr), -1);
    hart.set_x(10, 0x10000000);
    ASSERT_EQ(hart.step(), Outcome::retired);
    EXPECT_EQ(hart.x(5), 0x12345678u);
    EXPECT_EQ(seen.offset, 8u);
    EXPECT_EQ(seen.size, 4u);
    ASSERT_EQ(hart.step(), Outcome::retired);
    EXPECT_EQ(seen.offset, 6u);
    EXPECT_EQ(seen.size, 2u);
    EXPECT_EQ(seen.value, 0x5678u);
    EXPECT_EQ(hart.last().memory.address, 0x10000006u);
}

// Remote accesses ---------------------------------------------------------------------------------

TEST(Remote, WaitsForItsValue) {
    step::Hart hart = hart_with(
        "isa=rv64i_zicsr_xbgas mtvec=0x80000100",
        {word::eaddie(10, 0, 4), word::eld(5, 10, 16), word::esd(5, 10, 0), word::eld(6, 10, 0)});
    hart.set_x(10, 0x9000);
    hart.step();
    EXPECT_EQ(hart.last().writes[0].file, ISTHMUS_STEP_E);
    EXPECT_EQ(hart.e(10), 4u);
    for (int i = 0; i < 3; ++i) {
        ASSERT_EQ(hart.step(), Outcome::waiting);
        EXPECT_EQ(hart.last().remote.kind, ISTHMUS_STEP_LOAD);
        EXPECT_EQ(hart.last().remote.name_space, 4u);
        EXPECT_EQ(hart.last().remote.address, 0x9010u);
        EXPECT_EQ(hart.last().remote.size, 8);
    }
    hart.inject_remote(0xfedcba9876543210);
    hart.inject_remote(0);  // for the store, ahead of its time
    ASSERT_EQ(hart.step(), Outcome::retired);
    EXPECT_EQ(hart.last().order, 1u);
    EXPECT_EQ(hart.last().writes[0].value, 0xfedcba9876543210);
    EXPECT_EQ(hart.last().remote.found[0], 0xfedcba9876543210);
    ASSERT_EQ(hart.step(), Outcome::retired);
    EXPECT_EQ(hart.last().remote.kind, ISTHMUS_STEP_STORE);
    EXPECT_EQ(hart.last().remote.operand[0], 0xfedcba9876543210);
    EXPECT_EQ(hart.last().write_count, 0);
    hart.inject_remote_fault(0x9004);
    ASSERT_EQ(hart.step(), Outcome::trapped);
    EXPECT_EQ(hart.last().cause, 5u);
    EXPECT_EQ(hart.last().tval, 0x9004u);
    EXPECT_EQ(hart.last().next_pc, 0x80000100u);
    EXPECT_EQ(hart.csr(0x341), kStart + 12);
    EXPECT_EQ(hart.csr(0xb02), 3u) << "what trapped is not counted";
}

// The bits above what was asked for are nobody's.
TEST(Remote, ValuesAreCutToTheAccess) {
    struct Load {
        unsigned function;
        std::uint64_t value;
    };
    for (const auto& [function, value] : {Load{0, 0xffffffffffffff88},
                                          {1, 0xffffffffffff9988},
                                          {2, 0xffffffffbbaa9988},
                                          {3, 0xffeeddccbbaa9988},
                                          {4, 0x88},
                                          {5, 0x9988}}) {
        step::Hart hart = hart_with("isa=rv64i_xbgas", {word::i_type(0x77, function, 5, 10, 0)});
        hart.set_e(10, 1);
        hart.inject_remote(0xffeeddccbbaa9988);
        ASSERT_EQ(hart.step(), Outcome::retired);
        EXPECT_EQ(hart.x(5), value) << function;
        EXPECT_EQ(hart.last().remote.found[0],
                  0xffeeddccbbaa9988 & (~0ull >> (64 - 8 * hart.last().remote.size)));
    }
}

TEST(Remote, BulkBytesFitOrAreRefused) {
    const std::uint32_t eblw = 0x5b | 5 << 7 | 2 << 12 | 10 << 15 | 11 << 20 | 3u << 25 | 12u << 27;
    step::Hart hart = hart_with("isa=rv64i_xbgasbulk", {eblw});
    hart.set_x(10, kStart + 0x2000);
    hart.set_x(11, 0x9000);
    hart.set_x(12, 3);
    hart.set_e(11, 2);
    ASSERT_EQ(hart.step(), Outcome::waiting);
    EXPECT_EQ(hart.last().remote.kind, ISTHMUS_STEP_BULK_LOAD);
    EXPECT_EQ(hart.last().remote.count, 3u);
    EXPECT_EQ(hart.last().remote.local, kStart + 0x2000);
    const char bytes[] = "twelve bytes";
    hart.inject_remote_bytes(bytes, 11);
    EXPECT_THROW(hart.step(), step::Error);
    hart.inject_remote_bytes(bytes, 12);
    ASSERT_EQ(hart.step(), Outcome::retired);
    EXPECT_EQ(hart.x(5), 3u);
    char there[12];
    hart.read_memory(kStart + 0x2000, there, 12);
    EXPECT_EQ(std::string(there, 12), bytes);
}

TEST(Remote, OneHartServesAnother) {
    const std::uint32_t eamoadd = 0x0005306b | 5 << 7 | 6 << 20;  // eamoadd.d t0, t1, (a0)
    step::Hart one = hart_with("isa=rv64i_xbgasamo", {eamoadd, word::eld(7, 10, 0)});
    step::Hart other = hart_with("isa=rv64i", {});
    EXPECT_EQ(isthmus_step_serve_remote(one.c(), other.c()), -1);
    const std::uint64_t old = 40;
    other.write_memory(kStart + 0x100, &old, 8);
    one.set_x(10, kStart + 0x100);
    one.set_x(6, 2);
    one.set_e(10, 2);
    for (int i = 0; i < 2; ++i) {
        ASSERT_EQ(one.step(), Outcome::waiting);
        ASSERT_EQ(isthmus_step_serve_remote(one.c(), other.c()), 0);
        ASSERT_EQ(one.step(), Outcome::retired);
    }
    EXPECT_EQ(one.x(5), 40u);
    EXPECT_EQ(one.x(7), 42u);
    std::uint64_t own = 1;
    one.read_memory(kStart + 0x100, &own, 8);
    EXPECT_EQ(own, 0u);
    // Its own memory as namespace 0 needs nobody.
    one.set_pc(kStart);
    one.set_e(10, 0);
    ASSERT_EQ(one.step(), Outcome::retired);
    one.read_memory(kStart + 0x100, &own, 8);
    EXPECT_EQ(own, 2u);
}

}  // namespace
}  // namespace isthmus::sim
