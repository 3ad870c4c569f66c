// Supervisor mode: where traps and interrupts go, what its registers show, what machine mode keeps
// for itself.
#include <gtest/gtest.h>

#include <string>

#include "tests/sim/step/paged.hpp"

namespace isthmus::sim {
namespace {

using namespace test;

/// Steps one instruction in a mode, by physical addresses.
Outcome step_in(Paged& m, int mode, std::uint32_t instruction) {
    m.hart.set_csr(kSatp, 0);
    m.write(kStart + 0x40, instruction, 4);
    isthmus_step_set_privilege(m.hart.c(), mode);
    m.hart.set_pc(kStart + 0x40);
    return m.hart.step();
}

TEST(Supervisor, TrapsGoWhereTheyAreDelegated) {
    for (const bool delegated : {false, true}) {
        for (const int mode : {0, 1, 3}) {
            for (const std::uint32_t instruction : {word::kEcall, word::kEbreak, 0xffffffffu}) {
                Paged m;
                m.hart.set_csr(kMedeleg, delegated ? ~0ull : 0);
                m.hart.set_csr(kMstatus, 1u << 1);
                ASSERT_EQ(step_in(m, mode, instruction), Outcome::trapped);
                const bool supervisor = delegated && mode != 3;
                const std::uint64_t cause = instruction == word::kEbreak ? 3
                                            : instruction == word::kEcall
                                                ? 8 + static_cast<std::uint64_t>(mode)
                                                : 2;
                EXPECT_EQ(m.hart.last().cause, cause);
                EXPECT_EQ(m.hart.last().privilege, mode);
                EXPECT_EQ(m.hart.pc(), kStart + (supervisor ? 0x200 : 0x100));
                EXPECT_EQ(isthmus_step_get_privilege(m.hart.c()), supervisor ? 1 : 3);
                EXPECT_EQ(written_csr(m.hart, supervisor ? kScause : kMcause), cause);
                EXPECT_EQ(written_csr(m.hart, supervisor ? kSepc : kMepc), kStart + 0x40);
                EXPECT_EQ(written_csr(m.hart, supervisor ? kStval : kMtval), m.hart.last().tval);
                EXPECT_EQ(m.hart.csr(supervisor ? kMcause : kScause), 0u);
                const std::uint64_t status = m.hart.csr(kMstatus);
                if (supervisor) {
                    EXPECT_EQ(status & 0x122, 0x20u | (mode == 1 ? 0x100u : 0)) << "SPIE, SPP";
                } else {
                    EXPECT_EQ(status >> 11 & 3, static_cast<std::uint64_t>(mode));
                }
                // And back, with interrupts as they were.
                ASSERT_EQ(m.hart.step(), Outcome::retired);
                EXPECT_EQ(isthmus_step_get_privilege(m.hart.c()), mode);
                EXPECT_EQ(m.hart.pc(), kStart + 0x40);
                EXPECT_EQ(m.hart.csr(kMstatus) & 2, 2u);
                EXPECT_EQ(written_csr(m.hart, kMstatus) & 0x1900, 0u);
            }
        }
    }
}

TEST(Supervisor, TrapsOfMachineModeAreNotDelegatedAndMprvEndsWithIt) {
    Paged m;
    m.hart.set_csr(kMedeleg, ~0ull);
    EXPECT_EQ(m.hart.csr(kMedeleg), 0xb3ffu) << "not those of machine mode";
    m.hart.set_csr(kMstatus, kMprv | 1u << 11);
    m.hart.set_csr(kMepc, kStart + 0x60);
    isthmus_step_set_privilege(m.hart.c(), 3);
    m.hart.set_pc(kStart + 0x100);
    ASSERT_EQ(m.hart.step(), Outcome::retired);
    EXPECT_EQ(isthmus_step_get_privilege(m.hart.c()), 1);
    EXPECT_EQ(m.hart.csr(kMstatus) & kMprv, 0u);
    m.hart.set_csr(kMstatus, 2u << 11);
    EXPECT_EQ(m.hart.csr(kMstatus) >> 11 & 3, 0u) << "there is no such mode";
}

TEST(Supervisor, MachineModeMayKeepThingsForItself) {
    constexpr std::uint64_t kTvm = 1u << 20, kTw = 1u << 21, kTsr = 1u << 22;
    struct Case {
        std::uint32_t instruction;
        std::uint64_t bit;
    };
    for (const auto& [instruction, bit] :
         {Case{word::sfence_vma(0, 0), kTvm}, Case{word::csrrs(5, kSatp, 0), kTvm},
          Case{word::csrrw(0, kSatp, 0), kTvm}, Case{word::kWfi, kTw}, Case{word::kSret, kTsr}}) {
        for (const int mode : {0, 1, 3}) {
            for (const bool set : {false, true}) {
                Paged m;
                m.hart.set_csr(kMstatus, set ? bit : 0);
                const bool legal = mode == 3 || (mode == 1 && !set);
                EXPECT_EQ(step_in(m, mode, instruction),
                          legal ? Outcome::retired : Outcome::trapped)
                    << std::hex << instruction << " in " << mode << ", bit " << set;
                if (!legal) {
                    EXPECT_EQ(m.hart.last().cause, 2u);
                }
            }
        }
    }
}

TEST(Supervisor, RegistersAreViewsOfTheMachines) {
    Paged m;
    m.hart.set_csr(kMstatus, ~0ull);
    EXPECT_EQ(m.hart.csr(kMstatus) & 0x7fffff, 0x7e19aau) << "no floating point here";
    EXPECT_EQ(m.hart.csr(kMstatus) >> 32, 10u) << "UXL and SXL";
    EXPECT_EQ(m.hart.csr(0x100), 0x2000c0122u);
    m.hart.set_csr(0x100, 0);
    EXPECT_EQ(m.hart.csr(kMstatus) & 0x7fffff, 0x721888u);
    m.hart.set_csr(0x304, 0xaaa);
    EXPECT_EQ(m.hart.csr(0x304), 0xaaau);
    EXPECT_EQ(m.hart.csr(0x104), 0u) << "nothing is delegated";
    m.hart.set_csr(0x303, ~0ull);
    EXPECT_EQ(m.hart.csr(0x303), 0x222u);
    EXPECT_EQ(m.hart.csr(0x104), 0x222u);
    m.hart.set_csr(0x104, 2);
    EXPECT_EQ(m.hart.csr(0x304), 0x88au);
    m.hart.set_csr(0x344, ~0ull);
    EXPECT_EQ(m.hart.csr(0x344), 0x222u) << "machine mode raises those of supervisor mode";
    m.hart.set_csr(0x144, 0);
    EXPECT_EQ(m.hart.csr(0x144), 0x220u) << "supervisor mode its software interrupt";
    m.hart.set_interrupts(0x800);
    EXPECT_EQ(m.hart.csr(0x344), 0xa20u);
    // A set of other bits leaves a line a line.
    m.hart.set_csr(0x344, 0);
    m.hart.set_interrupts(0x200);
    m.hart.set_x(5, 2);
    ASSERT_EQ(step_in(m, 3, word::csrrs(6, 0x344, 5)), Outcome::retired);
    EXPECT_EQ(m.hart.x(6), 0x200u);
    m.hart.set_interrupts(0);
    EXPECT_EQ(m.hart.csr(0x344), 2u);
    m.hart.set_csr(kStvec, ~0ull);
    EXPECT_EQ(m.hart.csr(kStvec), ~2ull);
    m.hart.set_csr(kSepc, ~0ull);
    EXPECT_EQ(m.hart.csr(kSepc), ~1ull);
    // satp: a mode that is not there leaves it as it was.
    m.hart.set_csr(kSatp, m.satp | 5ull << 44);
    m.hart.set_csr(kSatp, 9ull << 60 | 1);
    EXPECT_EQ(m.hart.csr(kSatp), m.satp | 5ull << 44);
    m.hart.set_csr(kSatp, 1);
    EXPECT_EQ(m.hart.csr(kSatp), 0u);
    EXPECT_NE(m.hart.csr(0x301) & 1 << ('S' - 'A'), 0u);
    step::Hart without("isa=rv64i_zicsr");
    EXPECT_THROW(without.csr(kSatp), step::Error);
    EXPECT_THROW(without.csr(kMedeleg), step::Error);
    EXPECT_EQ(without.csr(0x301) & 1 << ('S' - 'A'), 0u);
    EXPECT_THROW(step::Hart("isa=rv64i modes=msu"), step::Error);
    EXPECT_THROW(step::Hart("isa=rv64i_zicsr interrupt_bits=0xaaa"), step::Error);
}

TEST(Supervisor, CountersAreOpenedLevelByLevel) {
    for (unsigned open = 0; open < 4; ++open) {
        for (const int mode : {0, 1, 3}) {
            Paged m;
            m.hart.set_csr(0x306, (open & 1) * 4);
            m.hart.set_csr(0x106, (open >> 1) * 4);
            const bool legal = mode == 3 || ((open & 1) != 0 && (mode == 1 || (open & 2) != 0));
            EXPECT_EQ(step_in(m, mode, word::csrrs(5, 0xc02, 0)),
                      legal ? Outcome::retired : Outcome::trapped)
                << open << " in " << mode;
        }
    }
}

TEST(Supervisor, InterruptsGoWhereTheyAreDelegated) {
    struct Case {
        int mode;
        std::uint64_t mstatus, delegated, pending;
        unsigned taken;  // 0: none
        bool supervisor;
    };
    constexpr std::uint64_t kSie = 2, kMie = 8;
    for (const Case& c : {
             Case{1, kSie, 0x222, 0x222, 9, true},
             Case{1, kSie, 0x222, 0x022, 1, true},
             Case{1, kSie, 0x222, 0x020, 5, true},
             Case{1, 0, 0x222, 0x222, 0, true},
             Case{0, 0, 0x222, 0x222, 9, true},
             Case{3, kSie | kMie, 0x222, 0x222, 0, true},
             Case{3, kMie, 0, 0x222, 9, false},
             Case{1, kSie, 0x222, 0xaaa, 11, false},
             Case{1, 0, 0, 0x2, 1, false},
             Case{1, kSie, 0x220, 0x22, 1, false},
         }) {
        Paged m;
        m.hart.set_csr(kStvec, kStart + 0x201);
        m.hart.set_csr(0x303, c.delegated);
        m.hart.set_csr(0x304, 0xaaa);
        m.hart.set_csr(0x344, c.pending);
        m.hart.set_interrupts(c.pending & 0x888);
        m.hart.set_csr(kMstatus, c.mstatus);
        for (unsigned number = 0; number < 12; ++number)
            m.write(kStart + 0x200 + std::uint64_t{4} * number, word::kNop, 4);
        step_in(m, c.mode, word::kNop);
        const std::string what = "mode " + std::to_string(c.mode) + ", pending " +
                                 std::to_string(c.pending) + ", delegated " +
                                 std::to_string(c.delegated);
        EXPECT_EQ(m.hart.last().interrupted, c.taken != 0) << what;
        if (c.taken == 0) continue;
        EXPECT_EQ(m.hart.last().interrupt, c.taken) << what;
        EXPECT_EQ(m.hart.last().pc, c.supervisor ? kStart + 0x200 + 4 * c.taken : kStart + 0x100)
            << what;
        EXPECT_EQ(written_csr(m.hart, c.supervisor ? kScause : kMcause), 1ull << 63 | c.taken);
        EXPECT_EQ(written_csr(m.hart, c.supervisor ? kSepc : kMepc), kStart + 0x40) << what;
    }
}

}  // namespace
}  // namespace isthmus::sim
