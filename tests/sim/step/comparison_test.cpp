// What differs is found and told, what does not differ is not, as records and as RVFI's ports.
#include <gtest/gtest.h>

#include <functional>

#include "tests/sim/step/random_program.hpp"
#include "tests/sim/step/words.hpp"

namespace isthmus::sim {
namespace {

using step::Outcome;
using step::Record;
using step::Rvfi;
using test::hart_with;
using test::kStart;
namespace word = test::word;

constexpr unsigned kEverything = 0x1fff;

/// The port of a core that does what the hart did; memory as `aligned` words or where it is.
Rvfi port_of(const Record& record, bool aligned) {
    Rvfi port{};
    port.order = record.order;
    port.insn = record.instruction;
    port.trap = record.trapped;
    port.mode = record.privilege;
    port.pc_rdata = record.pc;
    port.pc_wdata = record.next_pc;
    if (record.trapped) return port;
    for (unsigned i = 0; i < record.source_count; ++i) {
        if (record.sources[i].file != ISTHMUS_STEP_X) continue;
        (port.rs1_addr == 0 ? port.rs1_addr : port.rs2_addr) = record.sources[i].number;
        (port.rs2_addr == 0 ? port.rs1_rdata : port.rs2_rdata) = record.sources[i].value;
    }
    if (record.write_count == 1 && record.writes[0].file == ISTHMUS_STEP_X) {
        port.rd_addr = record.writes[0].number;
        port.rd_wdata = record.writes[0].value;
    }
    const isthmus_step_access& access = record.memory;
    if (access.size != 0) {
        const unsigned shift =
            aligned ? access.address & (8 / access.size * access.size - 1) & 7 : 0;
        const unsigned first = shift + access.size <= 8 ? shift : 0;
        const auto mask = static_cast<std::uint8_t>(((1u << access.size) - 1) << first);
        port.mem_addr = access.address - first;
        if (access.reads) {
            port.mem_rmask = mask;
            port.mem_rdata = access.read << 8 * first;
        }
        if (access.writes) {
            port.mem_wmask = mask;
            port.mem_wdata = access.written << 8 * first;
        }
    }
    return port;
}

/// A core that is right: the same program on two harts, one of them as the core.
TEST(Rvfi, RandomProgramsAreEqual) {
    if (!*ISTHMUS_TEST_AS) GTEST_SKIP() << "riscv64-linux-gnu-as is not installed";
    test::Scratch scratch;
    const std::string program = scratch / "random";
    for (const Xlen xlen : {Xlen::k64, Xlen::k32}) {
        const test::Result built = test::RandomProgram(xlen, 9).build(scratch, program, 1);
        ASSERT_EQ(built.status, 0) << built.output;
        const std::string isa = xlen == Xlen::k32 ? "isa=rv32gc" : "isa=rv64gc";
        step::Hart core(isa), hart(isa);
        core.load_elf(program);
        hart.load_elf(program);
        unsigned equal = 0;
        for (; equal < 1500; ++equal) {
            core.step();
            ASSERT_EQ(hart.check_rvfi(port_of(core.last(), equal % 2 == 0)), 0u) << hart.report();
            ASSERT_EQ(hart.report(), "");
        }
    }
}

// Each field of the port that is wrong is found, in every kind of instruction that has it.
TEST(Rvfi, EachWrongSignalIsFound) {
    const std::uint32_t loop[] = {word::addi(5, 6, 1), word::i_type(0x03, 2, 7, 10, 4),
                                  word::s_type(1, 5, 10, 8), 0x00628863 /* beq t0, t1, 16 */};
    struct Wrong {
        const char* what;
        std::function<void(Rvfi&)> change;
        unsigned at, bits;
    };
    const Wrong wrong[] = {
        {"pc", [](Rvfi& p) { p.pc_rdata += 4; }, 0, ISTHMUS_STEP_SAYS_PC},
        {"next pc", [](Rvfi& p) { p.pc_wdata += 4; }, 3, ISTHMUS_STEP_SAYS_NEXT_PC},
        {"instruction", [](Rvfi& p) { p.insn ^= 1 << 20; }, 0, ISTHMUS_STEP_SAYS_INSTRUCTION},
        {"mode", [](Rvfi& p) { p.mode = 0; }, 0, ISTHMUS_STEP_SAYS_PRIVILEGE},
        {"trap", [](Rvfi& p) { p.trap = 1; }, 0, ISTHMUS_STEP_SAYS_TRAP},
        {"rs1", [](Rvfi& p) { p.rs1_rdata ^= 1; }, 0, ISTHMUS_STEP_SAYS_SOURCES},
        {"rs2", [](Rvfi& p) { p.rs2_rdata ^= 1ull << 31; }, 2, ISTHMUS_STEP_SAYS_SOURCES},
        {"rs2 number", [](Rvfi& p) { p.rs2_addr = 9; }, 3, ISTHMUS_STEP_SAYS_SOURCES},
        {"rd", [](Rvfi& p) { p.rd_addr = 8; }, 0, ISTHMUS_STEP_SAYS_WRITES},
        {"rd value", [](Rvfi& p) { p.rd_wdata ^= 1ull << 31; }, 1, ISTHMUS_STEP_SAYS_WRITES},
        {"no rd", [](Rvfi& p) { p.rd_addr = 0; }, 0, ISTHMUS_STEP_SAYS_WRITES},
        {"rd of a store", [](Rvfi& p) { p.rd_addr = 3; }, 2, ISTHMUS_STEP_SAYS_WRITES},
        {"address", [](Rvfi& p) { p.mem_addr += 4; }, 1, ISTHMUS_STEP_SAYS_MEMORY},
        {"read", [](Rvfi& p) { p.mem_rdata = ~p.mem_rdata; }, 1, ISTHMUS_STEP_SAYS_MEMORY},
        {"read mask", [](Rvfi& p) { p.mem_rmask = 3; }, 1, ISTHMUS_STEP_SAYS_MEMORY},
        {"written", [](Rvfi& p) { p.mem_wdata ^= 0x100; }, 2, ISTHMUS_STEP_SAYS_MEMORY},
        {"write mask", [](Rvfi& p) { p.mem_wmask = 1; }, 2, ISTHMUS_STEP_SAYS_MEMORY},
        {"no write", [](Rvfi& p) { p.mem_wmask = 0; }, 2, ISTHMUS_STEP_SAYS_MEMORY},
        {"access of none", [](Rvfi& p) { p.mem_rmask = 15; }, 0, ISTHMUS_STEP_SAYS_MEMORY}};
    for (const Wrong& each : wrong) {
        step::Hart core = hart_with("isa=rv32i", {}), hart = hart_with("isa=rv32i", {});
        for (step::Hart* one : {&core, &hart}) {
            one->write_memory(kStart, loop, sizeof loop);
            one->set_x(10, kStart + 0x1000);
            one->set_x(6, 41);
        }
        for (unsigned i = 0; i < 4; ++i) {
            core.step();
            Rvfi port = port_of(core.last(), true);
            if (i == each.at) each.change(port);
            const unsigned found = hart.check_rvfi(port);
            ASSERT_EQ(found, i == each.at ? each.bits : 0u) << each.what << "\n" << hart.report();
        }
    }
}

// Told where the core has gone, the hart goes there if it may.
TEST(Rvfi, InterruptsAreTakenAsTheCoreTookThem) {
    const auto prepare = [](const char* parameters) {
        step::Hart hart = hart_with(parameters, {word::kNop, word::kNop, word::kNop});
        hart.write_memory(kStart + 0x100, &word::kNop, 4);
        hart.set_csr(0x304, 0x80);
        hart.set_csr(0x300, 8);
        return hart;
    };
    step::Hart hart = prepare("isa=rv32i_zicsr interrupts=told mtvec=0x80000100");
    Rvfi port{};
    port.insn = word::kNop;
    port.mode = 3;
    port.pc_rdata = kStart;
    port.pc_wdata = kStart + 4;
    hart.set_interrupts(0x80);
    EXPECT_EQ(hart.check_rvfi(port), 0u) << "the core takes it later; " << hart.report();
    port.intr = 1;
    port.pc_rdata = kStart + 0x100;
    port.pc_wdata = kStart + 0x104;
    EXPECT_EQ(hart.check_rvfi(port), 0u) << hart.report();
    EXPECT_EQ(hart.last().interrupt, 7u);
    // One that is not pending is a finding.
    step::Hart other = prepare("isa=rv32i_zicsr interrupts=told mtvec=0x80000100");
    EXPECT_TRUE(other.check_rvfi(port) & ISTHMUS_STEP_SAYS_PC);
}

TEST(Rvfi, DevicesGiveWhatTheCoreHasRead) {
    step::Hart hart = hart_with("isa=rv32i", {word::i_type(0x03, 5, 5, 10, 2)});  // lhu t0, 2(a0)
    ASSERT_EQ(isthmus_step_map_core_device(hart.c(), 0x10000000, 0x1000), 0);
    hart.set_x(10, 0x10000000);
    Rvfi port{};
    port.insn = word::i_type(0x03, 5, 5, 10, 2);
    port.mode = 3;
    port.rs1_addr = 10;
    port.rs1_rdata = 0x10000000;
    port.rd_addr = 5;
    port.rd_wdata = 0xbeef;
    port.pc_rdata = kStart;
    port.pc_wdata = kStart + 4;
    port.mem_addr = 0x10000000;
    port.mem_rmask = 12;
    port.mem_rdata = 0xbeef0000;
    EXPECT_EQ(hart.check_rvfi(port), 0u) << hart.report();
    EXPECT_EQ(hart.x(5), 0xbeefu);
}

TEST(Rvfi, CountersMayBeTheCores) {
    for (const bool cores : {false, true}) {
        step::Hart hart =
            hart_with(std::string("isa=rv32i_zicsr counters=") + (cores ? "core" : "own"), {});
        const auto check = [&](unsigned number) {
            const std::uint32_t read = word::csrrs(5, number, 0);
            hart.write_memory(kStart, &read, 4);
            hart.set_pc(kStart);
            Rvfi port{};
            port.insn = read;
            port.mode = 3;
            port.rd_addr = 5;
            port.rd_wdata = 0x12345;
            port.pc_rdata = kStart;
            port.pc_wdata = kStart + 4;
            return hart.check_rvfi(port) == 0;
        };
        for (const unsigned number : {0xb00u, 0xb80u, 0xc00u, 0xc01u, 0xc81u, 0xb03u, 0xc1fu})
            EXPECT_EQ(check(number), cores) << std::hex << number;
        for (const unsigned number : {0xb02u, 0xc02u, 0x340u, 0x344u, 0xb02u})
            EXPECT_FALSE(check(number)) << std::hex << number;
    }
}

TEST(Rvfi, PortInScalarsIsTheSame) {
    step::Hart hart = hart_with("isa=rv64i", {word::addi(5, 6, 2), word::addi(5, 6, 2)});
    hart.set_x(6, 7);
    const auto check = [&](std::uint64_t pc, std::uint64_t value) {
        return isthmus_step_check_rvfi_port(hart.c(), 0, word::addi(5, 6, 2), 0, 0, 0, 3, 2, 6, 0,
                                            7, 0, 5, value, pc, pc + 4, 0, 0, 0, 0, 0);
    };
    EXPECT_EQ(check(kStart, 9), 0);
    EXPECT_EQ(check(kStart + 4, 8), ISTHMUS_STEP_SAYS_WRITES);
}

TEST(Rvfi, RemoteValueIsAskedFor) {
    step::Hart hart = hart_with("isa=rv64i_xbgas", {word::eld(5, 10, 0)});
    hart.set_e(10, 1);
    try {
        hart.check_rvfi({});
        FAIL();
    } catch (const step::Error& error) {
        EXPECT_STREQ(error.what(), "the hart waits for what its remote access finds");
    }
}

// Records
// ------------------------------------------------------------------------------------------

TEST(Compare, EqualRecordsOfEveryKindAreEqual) {
    const std::uint32_t program[] = {
        word::addi(5, 6, 1), word::csrrw(5, 0x340, 6),  0x02000053,  word::eaddie(10, 0, 2),
        word::eld(7, 10, 0), word::s_type(3, 5, 10, 0), word::kEcall};
    step::Hart hart = hart_with("isa=rv64gc_xbgas", {});
    hart.write_memory(kStart, program, sizeof program);
    hart.set_csr(0x300, 0x6000);
    hart.set_x(10, kStart + 0x800);
    hart.inject_remote(4);
    for (unsigned i = 0; i < 7; ++i) {
        hart.step();
        const Record same = hart.last();
        EXPECT_EQ(hart.compare(same, kEverything), 0u) << i << "\n" << hart.report();
    }
}

TEST(Compare, FindsEachDifference) {
    struct Wrong {
        std::uint32_t word;
        std::function<void(Record&)> change;
        unsigned bits;
    };
    constexpr unsigned kCsrs = ISTHMUS_STEP_SAYS_CSRS;
    const Wrong wrong[] = {
        {word::csrrw(5, 0x340, 6), [](Record& r) { r.csrs[0].value = 1; }, kCsrs},
        {word::csrrw(5, 0x340, 6), [](Record& r) { r.csr_count = 0; }, kCsrs},
        {word::addi(5, 6, 1),
         [](Record& r) {
             r.csrs[r.csr_count++] = {0x340, 0};
         },
         kCsrs},
        {word::addi(5, 6, 1),
         [](Record& r) {
             r.csrs[r.csr_count++] = {0x7ff, 0};
         },
         kCsrs},
        {word::kEcall, [](Record& r) { r.cause = 8; }, ISTHMUS_STEP_SAYS_CAUSE},
        {0xffffffff, [](Record& r) { r.tval = 0; }, ISTHMUS_STEP_SAYS_TVAL},
        {word::eaddie(10, 6, 2), [](Record& r) { r.writes[0].file = ISTHMUS_STEP_X; },
         ISTHMUS_STEP_SAYS_WRITES},
        {0x02000053, [](Record& r) { r.writes[0].value ^= 1ull << 63; }, ISTHMUS_STEP_SAYS_WRITES},
        {word::eld(7, 10, 0), [](Record& r) { r.has_remote = 0; }, ISTHMUS_STEP_SAYS_REMOTE},
        {word::eld(7, 10, 0), [](Record& r) { ++r.remote.name_space; }, ISTHMUS_STEP_SAYS_REMOTE},
        {word::eld(7, 10, 0), [](Record& r) { ++r.remote.address; }, ISTHMUS_STEP_SAYS_REMOTE},
        {word::eld(7, 10, 0), [](Record& r) { r.remote.size = 4; }, ISTHMUS_STEP_SAYS_REMOTE},
        {word::esd(6, 10, 0), [](Record& r) { ++r.remote.operand[0]; }, ISTHMUS_STEP_SAYS_REMOTE},
        {word::esd(6, 10, 0), [](Record& r) { r.remote.kind = ISTHMUS_STEP_LOAD; },
         ISTHMUS_STEP_SAYS_REMOTE}};
    for (const Wrong& each : wrong) {
        step::Hart hart = hart_with("isa=rv64gc_xbgas", {each.word});
        hart.set_csr(0x300, 0x6000);
        hart.set_x(10, kStart + 0x800);
        hart.set_x(6, 0x66);
        hart.set_e(10, 2);
        hart.inject_remote(4);
        hart.step();
        Record core = hart.last();
        each.change(core);
        EXPECT_EQ(hart.compare(core, kEverything) & ~0x80u, each.bits) << hart.report();
        EXPECT_EQ(hart.compare(core, kEverything & ~each.bits & ~0x80u), 0u)
            << "what the core does not say is not compared: " << hart.report();
    }
}

// By its ports, and then by a trace of the registers that those have not.
TEST(Compare, OneStepTwice) {
    step::Hart hart = hart_with("isa=rv64i_xbgas", {word::addi(5, 0, 1), word::eaddie(10, 5, 2)});
    for (unsigned i = 0; i < 2; ++i) {
        hart.step();
        Record core = hart.last();
        ASSERT_EQ(hart.compare(core, ISTHMUS_STEP_SAYS_PC), 0u);
        core.writes[0].value = 9;
        ASSERT_EQ(hart.compare(core, ISTHMUS_STEP_SAYS_WRITES), unsigned{ISTHMUS_STEP_SAYS_WRITES});
    }
    const std::string report = hart.report();
    const std::size_t before =
        report.find("before it:\n  0  0x0000000080000000  addi    t0, zero, 1\nstate");
    EXPECT_NE(before, std::string::npos) << report;
}

TEST(Compare, ReportHasInstructionBothStatesAndHistory) {
    step::Hart hart = hart_with("isa=rv64i_zicsr",
                                {word::addi(5, 0, 1), word::addi(6, 5, 1), word::addi(7, 6, 1)});
    for (unsigned i = 0; i < 3; ++i) {
        hart.step();
        Record core = hart.last();
        if (i == 1) core.writes[0].value = 0x99;
        EXPECT_EQ(hart.compare(core, kEverything),
                  i == 1 ? unsigned{ISTHMUS_STEP_SAYS_WRITES} : 0u);
        if (i != 1) continue;
        const std::string report = hart.report();
        for (const char* piece :
             {"mismatch at instruction 1, pc 0x0000000080000004: addi    t1, t0, 1\n",
              "  t1              core 0x0000000000000099  reference 0x0000000000000002\n",
              "before it:\n  0  0x0000000080000000  addi    t0, zero, 1\n",
              "*t1   0x0000000000000002 core 0x0000000000000099", "  t0   0x0000000000000001",
              "reference: core   0: 3 0x0000000080000004 (0x00128313) x6  0x0000000000000002\n",
              "pc 0x0000000080000008, privilege 3"})
            EXPECT_NE(report.find(piece), std::string::npos) << piece << "\nin\n" << report;
    }
    EXPECT_EQ(hart.report(), "") << "of the last comparison";
    const auto snapshot = hart.save();
    // What the core had wrong once, it has wrong until it writes it again.
    hart.set_pc(kStart + 8);
    hart.step();
    Record core = hart.last();
    core.pc = 0;
    hart.compare(core, ISTHMUS_STEP_SAYS_PC);
    EXPECT_NE(hart.report().find("*t1   0x0000000000000002 core 0x0000000000000099"),
              std::string::npos);
    // A restored hart is beside a restored core.
    hart.restore(snapshot);
    hart.set_pc(kStart + 8);
    hart.step();
    hart.compare(core, ISTHMUS_STEP_SAYS_PC);
    EXPECT_EQ(hart.report().find('*'), hart.report().find("* where")) << hart.report();
}

}  // namespace
}  // namespace isthmus::sim
