// Address translation: what walks of page tables give, to whom, and when a change is seen. A hart
// in machine mode makes its data accesses through MPRV, so that each test has one instruction.
#include <gtest/gtest.h>

#include <optional>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "tests/sim/step/paged.hpp"

namespace isthmus::sim {
namespace {

using namespace test;

/// What the privileged architecture says, in the plainest form: cause or physical address.
struct Expected {
    std::optional<std::uint64_t> cause;
    std::uint64_t physical = 0;
};

Expected model(const Paged& m, std::uint64_t address, unsigned type, bool user, bool sum,
               bool mxr) {
    const std::uint64_t page_faults[] = {12, 13, 15}, access_faults[] = {1, 5, 7};
    const Expected page_fault{page_faults[type]}, access_fault{access_faults[type]};
    const auto there = [](std::uint64_t at) { return at >= kStart && at - kStart < kBytes; };
    if (!m.narrow && (address >> 38) != 0 && (address >> 38) != (1u << 26) - 1) return page_fault;
    std::uint64_t table = m.root;
    for (int level = static_cast<int>(m.format.levels) - 1; level >= 0; --level) {
        const std::uint64_t at =
            table +
            std::uint64_t{m.index(address, static_cast<unsigned>(level))} * m.format.entry_bytes;
        if (!there(at)) return access_fault;
        const std::uint64_t pte = m.entry(at);
        const bool v = pte & kV, r = pte & kR, w = pte & kW, x = pte & kX, u = pte & kU,
                   a = pte & kA, d = pte & kD;
        const std::uint64_t frame = (m.narrow ? pte : pte & ((1ull << 54) - 1)) >> 10 << 12;
        if (!v || (w && !r) || (!m.narrow && pte >> 54 != 0)) return page_fault;
        if (!r && !x) {
            if (u || a || d || level == 0) return page_fault;
            table = frame;
            continue;
        }
        const std::uint64_t size = 4096ull << (static_cast<unsigned>(level) * m.format.index_bits);
        if (frame % size != 0) return page_fault;
        if (user && !u) return page_fault;
        if (!user && u && (type == kFetch || !sum)) return page_fault;
        if (type == kFetch && !x) return page_fault;
        if (type == kLoad && !r && !(mxr && x)) return page_fault;
        if (type == kStore && !w) return page_fault;
        if (!a || (type == kStore && !d)) return page_fault;
        const std::uint64_t physical = frame + address % size;
        return there(physical) ? Expected{{}, physical} : access_fault;
    }
    return page_fault;
}

/// Does an access and compares all of it with the model.
void check(Paged& m, std::uint64_t address, unsigned type, unsigned mode, bool sum, bool mxr) {
    const Expected expected = model(m, address, type, mode == 0, sum, mxr);
    const std::uint64_t before = expected.cause ? 0 : m.read(expected.physical, 4);
    const std::uint64_t bits = (sum ? kSum : 0) | (mxr ? kMxr : 0);
    const auto cause = m.access(type, address, mode, bits);
    const auto what = [&] {
        std::ostringstream text;
        text << std::hex << "address 0x" << address << ", type " << type << ", mode " << mode
             << (sum ? ", SUM" : "") << (mxr ? ", MXR" : "");
        return text.str();
    };
    if (type == kFetch && !expected.cause) {
        // What stands there may be illegal; it has been fetched.
        EXPECT_EQ(m.hart.last().instruction & 0xffff, before & 0xffff) << what();
        EXPECT_NE(m.hart.last().length, 0) << what();
        return;
    }
    ASSERT_EQ(cause, expected.cause) << what();
    if (cause) {
        EXPECT_EQ(m.hart.last().tval, address) << what();
        return;
    }
    if (type == kLoad)
        EXPECT_EQ(m.hart.x(12) & 0xffffffff, before) << what();
    else
        EXPECT_EQ(m.read(expected.physical, 4), 0x5a5a5a5a) << what();
}

class Widths : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Paging, Widths,
                         testing::Values("rv64imac_zicsr_zifencei", "rv32imac_zicsr_zifencei"),
                         [](const auto& each) { return std::string(each.param).substr(0, 4); });

// Tables at random: some entries lead nowhere, some to other tables, some are leaves of any kind.
TEST_P(Widths, RandomTablesAreWalkedAsTheArchitectureSays) {
    std::mt19937_64 random(39);
    const auto chance = [&](unsigned percent) { return random() % 100 < percent; };
    for (unsigned round = 0; round < 12; ++round) {
        Paged m(GetParam());
        const unsigned size = m.format.entry_bytes, entries = 4096 / size;
        std::vector<std::uint64_t> tables;
        for (unsigned t = 0; t < 6; ++t)
            tables.push_back(m.root + t * 0x1000);
        std::vector<unsigned> used = {0, 1, entries / 2 - 1, entries / 2, entries - 1};
        for (const std::uint64_t table : tables) {
            for (const unsigned i : used) {
                const bool leaf = chance(45);
                std::uint64_t bits = chance(92) ? kV : 0;
                if (leaf)
                    bits |= (random() % 7 + 1) << 1 | (chance(85) ? kA : 0) |
                            (chance(75) ? kD : 0) | (chance(50) ? kU : 0) | (chance(20) ? 32 : 0);
                else if (chance(6))
                    bits |= kA | kD | kU;
                if (size == 8 && chance(3)) bits |= 1ull << (54 + random() % 10);
                std::uint64_t frame = tables[random() % tables.size()];
                if (leaf) {
                    frame = chance(50) ? kStart : kStart + random() % (kBytes / 4096 + 4) * 4096;
                    if (chance(60)) frame = frame >> 21 << 21;
                    // Not onto the tables and the code.
                    if (frame < kStart + 0x10000 && frame != kStart) frame = kStart + 0x20000;
                }
                m.write(table + std::uint64_t{i} * size, frame >> 12 << 10 | bits, size);
            }
        }
        for (unsigned n = 0; n < 400; ++n) {
            std::uint64_t address = 0;
            for (unsigned level = 0; level < m.format.levels; ++level)
                address |= std::uint64_t{used[random() % used.size()]}
                           << (12 + level * m.format.index_bits);
            address |= random() % 1024 * 4;
            if (size == 8 && (address >> 38 & 1) != 0) address |= ~0ull << 39;
            if (size == 8 && chance(4)) address ^= 1ull << (39 + random() % 25);
            const unsigned type = static_cast<unsigned>(random() % 3);
            // A store that would change tables or code is another experiment.
            const Expected expected = model(m, address, type, false, true, true);
            if (type == kStore && !expected.cause && expected.physical < kStart + 0x10000) continue;
            check(m, address, type, chance(50) ? 0 : 1, chance(50), chance(50));
            if (HasFatalFailure()) return;
        }
    }
}

// Every combination of a leaf's bits, the mode, SUM, MXR and the kind of access.
TEST_P(Widths, PermissionsAreThoseOfTheTable) {
    Paged m(GetParam());
    const std::uint64_t page = 0x5000, frame = kStart + 0x20000;
    for (std::uint64_t bits = 0; bits < 256; ++bits) {
        if ((bits & 32) != 0) continue;  // the global bit allows nothing
        m.map(page, frame, bits);
        for (unsigned other = 0; other < 24; ++other)
            check(m, page + 8, other % 3, other / 3 % 2, other / 6 % 2 != 0, other / 12 != 0);
        if (HasFatalFailure()) return;
    }
    // Machine mode goes by physical addresses, whatever SUM and MXR are.
    m.hart.set_csr(kMstatus, kSum | kMxr);
    EXPECT_EQ(m.access(kLoad, frame, 3), std::nullopt);
    EXPECT_EQ(m.access(kFetch, kStart + 0x100, 3), std::nullopt);
    EXPECT_EQ(m.access(kLoad, page, 3), 5u);
}

TEST(Paging, SuperpagesAreAlignedOrFault) {
    Paged m;
    const std::uint64_t all = kV | kR | kW | kX | kA | kD;
    m.map(0x40200000, kStart + 0x200000, all, 1);
    m.write(kStart + 0x212340, 77, 8);
    EXPECT_EQ(m.access(kLoad, 0x40212340, 1), std::nullopt);
    EXPECT_EQ(m.hart.x(12), 77u);
    m.map(0x80000000, 0x80000000, all, 2);
    EXPECT_EQ(m.access(kLoad, 0x80212340, 1), std::nullopt);
    EXPECT_EQ(m.hart.x(12), 77u);
    m.map(0x40200000, kStart + 0x201000, all, 1);
    EXPECT_EQ(m.access(kLoad, 0x40212340, 1), 13u);
    m.map(0x80000000, 0x80200000, all, 2);
    EXPECT_EQ(m.access(kStore, 0x80212340, 1), 15u);
    EXPECT_EQ(m.access(kFetch, 0x80212340, 1), 12u);
    // A pointer at the last level, and bits that mean nothing here.
    m.map(0x3000, kStart + 0x20000, kV);
    EXPECT_EQ(m.access(kLoad, 0x3000, 1), 13u);
    m.map(0x3000, kStart + 0x20000, all | 1ull << 63);
    EXPECT_EQ(m.access(kLoad, 0x3000, 1), 13u);
    Paged narrow("rv32i_zicsr");
    narrow.map(0x40400000, kStart, all, 1);
    narrow.write(kStart + 0x212340, 78, 4);
    EXPECT_EQ(narrow.access(kLoad, 0x40612340, 1), std::nullopt);
    EXPECT_EQ(narrow.hart.x(12), 78u);
    narrow.map(0x40400000, kStart + 0x200000, all, 1);
    EXPECT_EQ(narrow.access(kLoad, 0x40412340, 1), 13u);
}

TEST(Paging, AnAccessAcrossPagesNamesThePartThatFaults) {
    Paged m;
    const std::uint64_t all = kV | kR | kW | kX | kA | kD;
    m.map(0x5000, kStart + 0x20000, all);
    m.map(0x6000, kStart + 0x30000, all);
    m.write(kStart + 0x20ffc, 0x1111111122222222, 4);
    m.write(kStart + 0x30000, 0x33333333, 4);
    ASSERT_EQ(m.access(kLoad, 0x5ffc, 1, 0, 8), std::nullopt);
    EXPECT_EQ(m.hart.x(12), 0x3333333322222222u) << "neighbours in one space, not in the other";
    ASSERT_EQ(m.access(kStore, 0x5ffc, 1, 0, 8), std::nullopt);
    EXPECT_EQ(m.read(kStart + 0x30000, 4), 0x5a5a5a5au);
    EXPECT_EQ(m.read(kStart + 0x21000, 4), 0u);
    m.map(0x6000, kStart + 0x30000, kV | kR | kA);
    m.write(kStart + 0x20ffc, 0, 4);
    EXPECT_EQ(m.access(kStore, 0x5ffc, 1, 0, 8), 15u);
    EXPECT_EQ(m.hart.last().tval, 0x6000u);
    EXPECT_EQ(m.read(kStart + 0x20ffc, 4), 0u) << "nothing is written";
    m.map(0x6000, 0, 0);
    EXPECT_EQ(m.access(kLoad, 0x5ffe, 1), 13u);
    EXPECT_EQ(m.hart.last().tval, 0x6000u);
    // An instruction of four bytes whose second half is on the page that is not there.
    m.write(kStart + 0x20ffe, 0x0013, 2);
    EXPECT_EQ(m.access(kFetch, 0x5ffe, 1), 12u);
    EXPECT_EQ(m.hart.last().tval, 0x6000u);
    EXPECT_EQ(m.hart.csr(kMepc), 0x5ffeu);
}

TEST(Paging, AtomicsFaultAsStores) {
    Paged m;
    m.map(0x5000, kStart + 0x20000, kV | kR | kA);
    m.hart.set_csr(kMstatus, kMprv | 1u << 11);
    const std::uint32_t amoadd = 0x2fu | 12u << 7 | 3u << 12 | 10u << 15 | 11u << 20;
    for (const std::uint64_t address : {0x5000u, 0x9000u}) {
        m.write(kStart, amoadd, 4);
        m.hart.set_pc(kStart);
        m.hart.set_x(10, address);
        m.hart.set_csr(kMstatus, kMprv | 1u << 11);
        isthmus_step_set_privilege(m.hart.c(), 3);
        ASSERT_EQ(m.hart.step(), Outcome::trapped);
        EXPECT_EQ(m.hart.last().cause, 15u);
        EXPECT_EQ(m.hart.last().tval, address);
    }
}

TEST(Paging, AccessedAndDirtyAreSetBySoftwareOrByHardware) {
    const std::uint64_t page = 0x5000, frame = kStart + 0x20000;
    {
        Paged m;
        const std::uint64_t at = m.map(page, frame, kV | kR | kW | kX);
        EXPECT_EQ(m.access(kLoad, page, 1), 13u);
        EXPECT_EQ(m.access(kFetch, page, 1), 12u);
        m.map(page, frame, kV | kR | kW | kA);
        EXPECT_EQ(m.access(kLoad, page, 1), std::nullopt);
        EXPECT_EQ(m.access(kStore, page, 1), 15u);
        EXPECT_EQ(m.entry(at) & (kA | kD), kA);
        m.hart.set_csr(kMenvcfg, 1ull << 61);
        EXPECT_EQ(m.hart.csr(kMenvcfg), 0u) << "svade has no ADUE";
    }
    for (const bool always : {false, true}) {
        Paged m("rv64i_zicsr", always ? "accessed=hardware" : "accessed=svadu");
        const std::uint64_t at = m.map(page, frame, kV | kR | kW | kX);
        if (!always) {
            EXPECT_EQ(m.access(kLoad, page, 1), 13u) << "ADUE is 0 after reset";
            m.hart.set_csr(kMenvcfg, 1ull << 61);
            EXPECT_EQ(m.hart.csr(kMenvcfg), 1ull << 61);
        }
        const auto before = m.hart.save();
        EXPECT_EQ(m.access(kLoad, page, 1), std::nullopt);
        EXPECT_EQ(m.entry(at) & (kA | kD), kA);
        EXPECT_EQ(m.access(kStore, page, 1), std::nullopt);
        EXPECT_EQ(m.entry(at) & (kA | kD), kA | kD);
        m.hart.restore(before);
        EXPECT_EQ(m.entry(at) & (kA | kD), 0u) << "a snapshot has the tables, too";
        EXPECT_EQ(m.read(frame, 4), 0u);
        EXPECT_EQ(m.access(kFetch, page, 1), 2u) << "zeroes are no instruction";
        EXPECT_EQ(m.entry(at) & (kA | kD), kA);
        m.map(page, frame, kV | kR);
        EXPECT_EQ(m.access(kStore, page, 1), 15u);
        EXPECT_EQ(m.entry(at) & (kA | kD), 0u) << "an access that faults sets nothing";
    }
}

// What an instruction has written to a table is seen behind sfence.vma: by data and by fetches.
TEST(Paging, AFenceShowsWhatHasChanged) {
    Paged m;
    const std::uint64_t all = kV | kR | kW | kX | kA | kD;
    const std::uint64_t page = 0x5000, first = kStart + 0x20000, second = kStart + 0x30000;
    const std::uint64_t at = m.map(page, first, all);
    m.write(first, 1, 8);
    m.write(second, 2, 8);
    const std::uint64_t code = 0x7000;
    const std::uint64_t code_at = m.map(code, first, all);
    m.write(first + 0x100, word::addi(5, 0, 1), 4);
    m.write(second + 0x100, word::addi(5, 0, 2), 4);
    const auto store = [&](std::uint64_t where, std::uint64_t value, bool fence) {
        // Of the kernel: by physical address, from machine mode.
        m.hart.set_csr(kMstatus, 0);
        isthmus_step_set_privilege(m.hart.c(), 3);
        m.hart.set_x(6, where);
        m.hart.set_x(7, value);
        m.hart.set_pc(kStart + 0x40);
        ASSERT_EQ(m.hart.step(), Outcome::retired);
        if (fence) {
            ASSERT_EQ(m.hart.step(), Outcome::retired);
        }
    };
    m.write(kStart + 0x40, word::s_type(3, 7, 6, 0), 4);
    m.write(kStart + 0x44, word::sfence_vma(0, 0), 4);
    const auto run_there = [&] {
        isthmus_step_set_privilege(m.hart.c(), 1);
        m.hart.set_pc(code + 0x100);
        return m.hart.step();
    };
    for (unsigned round = 0; round < 3; ++round) {
        const bool turn = round % 2 == 0;
        ASSERT_EQ(run_there(), Outcome::retired);
        EXPECT_EQ(m.hart.x(5), turn ? 1u : 2u);
        ASSERT_EQ(m.access(kLoad, page, 1), std::nullopt);
        EXPECT_EQ(m.hart.x(12), turn ? 1u : 2u);
        const std::uint64_t next = (turn ? second : first) >> 12 << 10 | all;
        store(at, next, false);
        store(code_at, next, true);
    }
    ASSERT_EQ(run_there(), Outcome::retired);
    store(code_at, first >> 12 << 10 | kV | kR | kA, true);
    EXPECT_EQ(run_there(), Outcome::trapped) << "it is no code any more";
    EXPECT_EQ(m.hart.last().cause, 12u);
    // Another table: satp alone.
    store(code_at, first >> 12 << 10 | all, true);
    ASSERT_EQ(run_there(), Outcome::retired);
    m.hart.set_csr(kSatp, (m.satp & ~0xfffull) | ((m.root + 0x300000) >> 12 & 0xfff));
    EXPECT_EQ(run_there(), Outcome::trapped);
    m.hart.set_csr(kSatp, m.satp);
    EXPECT_EQ(run_there(), Outcome::retired);
}

// Code that a program writes through one address and runs through another.
TEST(Paging, CodeIsWhatWasLastWrittenUnderAnyName) {
    Paged m;
    const std::uint64_t frame = kStart + 0x20000;
    m.map(0x5000, frame, kV | kR | kX | kA | kD);
    m.map(0x6000, frame, kV | kR | kW | kA | kD);
    for (const int value : {7, 8, 9}) {
        m.hart.set_csr(kMstatus, kMprv | 1u << 11);
        isthmus_step_set_privilege(m.hart.c(), 3);
        m.hart.set_x(6, 0x6000);
        m.hart.set_x(7, word::addi(5, 0, value));
        m.write(kStart + 0x40, word::s_type(2, 7, 6, 0), 4);
        m.hart.set_pc(kStart + 0x40);
        ASSERT_EQ(m.hart.step(), Outcome::retired);
        isthmus_step_set_privilege(m.hart.c(), 1);
        m.hart.set_pc(0x5000);
        ASSERT_EQ(m.hart.step(), Outcome::retired);
        EXPECT_EQ(m.hart.x(5), static_cast<std::uint64_t>(value));
    }
}

// Remote accesses ---------------------------------------------------------------------------------

// Another's access is one of user mode there, by the page table of the hart that has the memory.
TEST(Paging, OthersReachWhatAUsersProgramReaches) {
    Paged target;
    const std::uint64_t frame = kStart + 0x20000;
    target.map(0x5000, frame, kV | kR | kW | kU | kA | kD);
    target.map(0x6000, frame, kV | kR | kU | kA | kD);
    target.map(0x7000, frame, kV | kR | kW | kA | kD);
    target.write(frame + 8, 0x1234, 8);
    step::Hart from("isa=rv64i_xbgasbulk memory=0x80000000:0x10000 mtvec=0x80000100");
    const auto access = [&](std::uint32_t instruction, std::uint64_t address) {
        from.write_memory(kStart, &instruction, 4);
        from.set_pc(kStart);
        from.set_x(10, address);
        from.set_e(10, 1);
        from.set_x(11, 0x99);
        EXPECT_EQ(from.step(), Outcome::waiting);
        EXPECT_EQ(isthmus_step_serve_remote(from.c(), target.hart.c()), 0);
        return from.step();
    };
    EXPECT_EQ(access(word::eld(12, 10, 0), 0x5008), Outcome::retired);
    EXPECT_EQ(from.x(12), 0x1234u);
    EXPECT_EQ(access(word::esd(11, 10, 0), 0x5010), Outcome::retired);
    EXPECT_EQ(target.read(frame + 16, 8), 0x99u);
    for (const std::uint64_t address : {0x7008ull, 0x8008ull, 0x80020008ull, 0x6ffcull}) {
        EXPECT_EQ(access(word::eld(12, 10, 0), address), Outcome::trapped) << address;
        EXPECT_EQ(from.last().cause, 5u) << "there is no page fault for a page of others";
        EXPECT_EQ(from.last().tval, address);
    }
    EXPECT_EQ(access(word::esd(11, 10, 0), 0x6008), Outcome::trapped);
    EXPECT_EQ(from.last().cause, 7u);
    target.hart.set_csr(kSatp, 0);
    EXPECT_EQ(access(word::eld(12, 10, 0), frame + 8), Outcome::retired) << "bare: physical";
}

// The local side of a bulk transfer is the hart's own memory as its other accesses see it.
TEST(Paging, BulkTransfersGoPageByPage) {
    Paged m;
    const std::uint64_t all = kV | kR | kW | kA | kD;
    m.map(0x5000, kStart + 0x30000, all);
    m.map(0x6000, kStart + 0x20000, all);
    const std::uint32_t ebld = 0x66b537db;  // a5 = a2 elements at e11:a1 to a0
    std::vector<std::uint64_t> data(600);
    for (std::size_t i = 0; i < data.size(); ++i)
        data[i] = i + 1;
    const auto load = [&](std::uint64_t to) {
        m.hart.set_csr(kMstatus, kMprv | 1u << 11);
        isthmus_step_set_privilege(m.hart.c(), 3);
        m.write(kStart + 0x40, ebld, 4);
        m.hart.set_pc(kStart + 0x40);
        m.hart.set_x(10, to);
        m.hart.set_x(11, 0x1000);
        m.hart.set_e(11, 3);
        m.hart.set_x(12, data.size());
        m.hart.inject_remote_bytes(data.data(), data.size() * 8);
        return m.hart.step();
    };
    const auto before = m.hart.save();
    ASSERT_EQ(load(0x5008), Outcome::retired);
    EXPECT_EQ(m.read(kStart + 0x30ff8, 8), 511u);
    EXPECT_EQ(m.read(kStart + 0x20000, 8), 512u);
    m.hart.restore(before);
    EXPECT_EQ(m.read(kStart + 0x30ff8, 8), 0u);
    EXPECT_EQ(m.read(kStart + 0x20000, 8), 0u);
    ASSERT_EQ(load(0x6008), Outcome::trapped);
    EXPECT_EQ(m.hart.last().cause, 15u);
    EXPECT_EQ(m.hart.last().tval, 0x7000u);
}

// Snapshots ---------------------------------------------------------------------------------------

// A loop in supervisor mode, behind page tables, that stores, calls itself by ecall and changes
// its own table: going back gives the same again.
TEST(Paging, SnapshotsOfSupervisorModeAreWhole) {
    Paged m;
    const std::uint64_t all = kV | kR | kW | kX | kA | kD;
    m.map(0x5000, kStart + 0x20000, all);
    const std::uint64_t entry_page = m.map(0x6000, kStart + 0x30000, all) & ~0xfffull;
    m.map(0x7000, entry_page, all);
    m.hart.set_csr(kMedeleg, 0xb3ff);
    m.hart.set_csr(kStvec, 0x5100);
    const std::uint32_t loop[] = {
        word::addi(5, 5, 1),
        word::s_type(3, 5, 10, 0),  // sd t0, 0(a0)
        word::i_type(3, 3, 6, 10, 0),
        word::csrrw(7, 0x140, 6),  // sscratch
        word::kEcall,
        word::i_type(3, 3, 28, 11, 48),
        word::s_type(3, 28, 11, 56),
        word::sfence_vma(0, 0),  // the entry of 0x6000 to that of 0x7000
        0xfe1ff06f,              // j loop
    };
    const std::uint32_t handler[] = {word::csrrs(29, kSepc, 0), word::addi(29, 29, 4),
                                     word::csrrw(0, kSepc, 29), word::kSret};
    m.hart.write_memory(kStart + 0x20000, loop, sizeof loop);
    m.hart.write_memory(kStart + 0x20100, handler, sizeof handler);
    m.hart.set_x(10, 0x6000);
    m.hart.set_x(11, 0x7000);
    isthmus_step_set_privilege(m.hart.c(), 1);
    m.hart.set_pc(0x5000);
    for (unsigned i = 0; i < 3; ++i)
        m.hart.step();
    const auto before = m.hart.save();
    const auto log = [&] {
        std::vector<std::string> lines;
        for (unsigned i = 0; i < 40; ++i) {
            m.hart.step();
            lines.push_back(m.hart.line());
        }
        return lines;
    };
    const auto first = log();
    const auto later = m.hart.save();
    const auto further = log();
    m.hart.restore(before);
    EXPECT_EQ(m.hart.csr(kSatp), m.satp);
    EXPECT_EQ(log(), first);
    EXPECT_EQ(log(), further);
    m.hart.restore(later);
    EXPECT_EQ(log(), further);
}

}  // namespace
}  // namespace isthmus::sim
