// Address translation: what walks of page tables give, to whom, and when a change is seen. A hart
// in machine mode makes its data accesses through MPRV, so that each test has one instruction.
#include <gtest/gtest.h>

#include <optional>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "tests/sim/step/words.hpp"

namespace isthmus::sim {
namespace {

using step::Outcome;
using test::kStart;
using test::written_csr;
namespace word = test::word;

constexpr std::uint64_t kBytes = 0x400000;  // of memory, from kStart
constexpr unsigned kMstatus = 0x300, kMedeleg = 0x302, kMepc = 0x341, kMcause = 0x342,
                   kMtval = 0x343, kSepc = 0x141, kScause = 0x142, kStval = 0x143, kStvec = 0x105,
                   kSatp = 0x180, kMenvcfg = 0x30a;
constexpr std::uint64_t kV = 1, kR = 2, kW = 4, kX = 8, kU = 16, kA = 64, kD = 128;
constexpr std::uint64_t kMprv = 1u << 17, kSum = 1u << 18, kMxr = 1u << 19;
constexpr unsigned kFetch = 0, kLoad = 1, kStore = 2;

struct Format {
    unsigned levels, index_bits, entry_bytes;
};

/// A hart with an empty page table; the second page from the start is its root.
struct Paged {
    explicit Paged(const std::string& isa = "rv64imac_zicsr_zifencei_xbgasbulk",
                   const std::string& more = "")
        : narrow(isa[2] == '3'),
          format(narrow ? Format{2, 10, 4} : Format{3, 9, 8}),
          hart("isa=" + isa + " modes=msu memory=0x80000000:0x400000 mtvec=0x80000100 " + more) {
        hart.set_csr(kSatp, satp);
        hart.set_csr(kStvec, kStart + 0x200);
        write(kStart + 0x100, word::kMret, 4);
        write(kStart + 0x200, word::kSret, 4);
        hart.set_csr(kMstatus, 0);
    }
    void write(std::uint64_t at, std::uint64_t value, unsigned size) {
        hart.write_memory(at, &value, size);
    }
    std::uint64_t read(std::uint64_t at, unsigned size) const {
        std::uint64_t value = 0;
        hart.read_memory(at, &value, size);
        return value;
    }
    std::uint64_t entry(std::uint64_t at) const { return read(at, format.entry_bytes); }
    void set_entry(std::uint64_t at, std::uint64_t frame, std::uint64_t bits) {
        write(at, frame >> 12 << 10 | bits, format.entry_bytes);
    }
    unsigned index(std::uint64_t address, unsigned level) const {
        return static_cast<unsigned>(address >> (12 + level * format.index_bits)) &
               ((1u << format.index_bits) - 1);
    }
    /// Maps a page of a level, with tables where there are none; where its entry is.
    std::uint64_t map(std::uint64_t address, std::uint64_t frame, std::uint64_t bits,
                      unsigned level = 0) {
        std::uint64_t table = root;
        for (unsigned l = format.levels - 1; l != level; --l) {
            const std::uint64_t at = table + std::uint64_t{index(address, l)} * format.entry_bytes;
            if (entry(at) == 0) set_entry(at, next_table += 0x1000, kV);
            table = entry(at) >> 10 << 12;
        }
        const std::uint64_t at = table + std::uint64_t{index(address, level)} * format.entry_bytes;
        set_entry(at, frame, bits);
        return at;
    }
    /// One access; its cause, or nothing. Data are accessed from machine mode.
    std::optional<std::uint64_t> access(unsigned type, std::uint64_t address, unsigned mode,
                                        std::uint64_t bits = 0, unsigned size = 4) {
        hart.set_csr(kMstatus, type == kFetch ? bits : bits | kMprv | std::uint64_t{mode} << 11);
        hart.set_x(10, address);
        hart.set_x(11, 0x5a5a5a5a5a5a5a5a);
        const unsigned width = size == 8 ? 3 : 2;
        write(kStart + 0x80,
              type == kLoad ? word::i_type(3, width, 12, 10, 0) : word::s_type(width, 11, 10, 0),
              4);
        isthmus_step_set_privilege(hart.c(), type == kFetch ? static_cast<int>(mode) : 3);
        hart.set_pc(type == kFetch ? address : kStart + 0x80);
        const Outcome outcome = hart.step();
        if (outcome == Outcome::retired) return {};
        return hart.last().cause;
    }

    bool narrow;
    Format format;
    std::uint64_t root = kStart + 0x1000, next_table = root;
    std::uint64_t satp = (narrow ? 1ull << 31 : 8ull << 60) | root >> 12;
    step::Hart hart;
};

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

// Supervisor mode ---------------------------------------------------------------------------------

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
