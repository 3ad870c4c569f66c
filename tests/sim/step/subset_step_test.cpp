// Harts of each subset: what is outside of it traps as a core without it would, whatever runs
// inside.
#include <gtest/gtest.h>

#include <random>

#include "sim/isa/decode.hpp"
#include "tests/sim/step/words.hpp"

namespace isthmus::sim {
namespace {

using step::Outcome;
using test::hart_with;
using test::kStart;
using test::written_csr;
namespace word = test::word;

struct Variant {
    const char* isa;
    char profile;
};

class Subsets : public testing::TestWithParam<Variant> {};

/// What the table says of a word, told apart from the decoder under test by its extension's name.
bool belongs(const Encoding& row, const std::string& isa) {
    const auto has = [&](std::string_view extension) {
        const std::string letters = isa.substr(4, isa.find('_') - 4);
        const bool g = letters.find('g') != std::string::npos;
        const auto letter = [&](char c) {
            return letters.find(c) != std::string::npos ||
                   (g && std::string("imafd").find(c) != std::string::npos);
        };
        const auto named = [&](const std::string& text) {
            return (isa + "_").find("_" + text + "_") != std::string::npos;
        };
        const bool floats = letter('f') || letter('d');
        if (extension == "Zicsr" || extension == "Privileged") return g || floats || named("zicsr");
        if (extension == "Zifencei") return g || named("zifencei");
        if (extension == "Xbgas") return named("xbgas") || named("xbgasamo") || named("xbgasbulk");
        if (extension == "Xbgasamo") return named("xbgasamo");
        if (extension == "Xbgasbulk") return named("xbgasbulk");
        if (extension == "F") return floats;
        return letter(static_cast<char>(std::tolower(extension[0])));
    };
    if (!has(row.extension)) return false;
    if (row.extension != "C") return true;
    const std::string_view base = info(row.op).name;
    if (base == "fld" || base == "fsd") return has("D");
    if (base == "flw" || base == "fsw") return has("F");
    return true;
}

TEST_P(Subsets, RefuseTheOthersInstructions) {
    const auto [name, profile] = GetParam();
    const std::string isa = name;
    const Xlen xlen = isa[2] == '3' ? Xlen::k32 : Xlen::k64;
    const Decoder everything(xlen, profile == 'a' ? Profile::a : Profile::b);
    step::Hart hart("isa=" + isa + " profile=" + profile +
                    " memory=0x80000000:0x10000 mtvec=0x80008000");
    const bool floats = hart.csr(0x301) & 1 << ('F' - 'A');
    std::mt19937 random(11);
    unsigned inside = 0, outside = 0;
    for (const Encoding& row : encodings()) {
        if (!(row.xlens & (xlen == Xlen::k32 ? 1 : 2)) ||
            !(row.profiles & static_cast<unsigned>(everything.profile())))
            continue;
        for (unsigned found = 0, trial = 0; found < 6 && trial < 4000; ++trial) {
            std::uint32_t bits = row.match | (static_cast<std::uint32_t>(random()) & ~row.mask);
            if (row.size == 2) bits &= 0xffff;
            Decoded d;
            if (!everything.decode(bits, d) || &encodings()[d.encoding] != &row) continue;
            // A reserved rounding mode is illegal everywhere, a CSR may not be there.
            if (row.syntax.find("rm") != std::string_view::npos && (d.imm == 5 || d.imm == 6))
                continue;
            if (row.extension == "Zicsr") bits = (bits & 0xfffff) | 0x340u << 20;
            ++found;
            hart.reset();
            for (unsigned i = 1; i < 32; ++i)
                hart.set_x(i, kStart + 0x4000);
            if (floats) hart.set_csr(0x300, 0x6000);
            const std::uint64_t kBehind = 0;
            hart.write_memory(kStart, &bits, 4);
            hart.write_memory(kStart + 4, &kBehind, 8);
            const Outcome outcome = hart.step();
            const step::Record& record = hart.last();
            const bool illegal = record.trapped && record.cause == 2;
            ASSERT_EQ(illegal, !belongs(row, isa))
                << row.name << " of " << row.extension << " on " << isa << ": " << hart.line();
            if (!illegal) {
                ++inside;
                continue;
            }
            ++outside;
            EXPECT_EQ(outcome, Outcome::trapped);
            EXPECT_EQ(record.tval, bits);
            EXPECT_EQ(record.pc, kStart);
            EXPECT_EQ(record.next_pc, 0x80008000u);
            EXPECT_EQ(record.write_count, 0);
            EXPECT_EQ(hart.csr(0x341), kStart);
        }
    }
    EXPECT_GT(inside, 100u);
    if (isa.find("bulk") == std::string::npos || isa.find("g") != 4) {
        EXPECT_GT(outside, 50u);
    }
}

INSTANTIATE_TEST_SUITE_P(
    Cores, Subsets,
    testing::Values(Variant{"rv32i", 'b'}, Variant{"rv32ic", 'b'}, Variant{"rv32im_zicsr", 'b'},
                    Variant{"rv32imc_zicsr_zifencei", 'b'}, Variant{"rv32imac_zicsr", 'b'},
                    Variant{"rv32ifc", 'b'}, Variant{"rv32gc", 'b'}, Variant{"rv32imc_xbgas", 'b'},
                    Variant{"rv64i", 'b'}, Variant{"rv64imac_zicsr", 'b'}, Variant{"rv64ifc", 'b'},
                    Variant{"rv64gc", 'b'}, Variant{"rv64imc_zicsr_xbgas", 'b'},
                    Variant{"rv64i_xbgasamo", 'b'}, Variant{"rv64ic_xbgasbulk", 'a'},
                    Variant{"rv64gc_xbgasamo_xbgasbulk", 'b'},
                    Variant{"rv64gc_xbgasamo_xbgasbulk", 'a'}),
    [](const auto& each) { return std::string(each.param.isa) + "_" + each.param.profile; });

TEST(Misa, SaysWhatIsThereUnlessTold) {
    const auto letters = [](std::uint64_t misa) {
        std::string text;
        for (int i = 0; i < 26; ++i) {
            if (misa >> i & 1) text += static_cast<char>('A' + i);
        }
        return text;
    };
    EXPECT_EQ(letters(step::Hart("isa=rv32imc_zicsr modes=m").csr(0x301)), "CIM");
    EXPECT_EQ(letters(step::Hart("isa=rv64gc_xbgas").csr(0x301)), "ACDFIMUX");
    EXPECT_EQ(step::Hart("isa=rv32i_zicsr").csr(0x301) >> 30, 1u);
    EXPECT_EQ(step::Hart("isa=rv64i_zicsr").csr(0x301) >> 62, 2u);
    step::Hart told("isa=rv32i_zicsr misa=0 mvendorid=1 marchid=2 mimpid=3 mhartid=4");
    for (const auto& [number, value] :
         {std::pair{0x301u, 0u}, {0xf11u, 1u}, {0xf12u, 2u}, {0xf13u, 3u}, {0xf14u, 4u}})
        EXPECT_EQ(told.csr(number), value) << number;
}

// Accesses ----------------------------------------------------------------------------------------

TEST(Misaligned, IsDoneOrTraps) {
    struct Access {
        std::uint32_t word;
        unsigned size, cause;
    };
    const Access accesses[] = {
        {word::i_type(0x03, 0, 5, 10, 0), 1, 4}, {word::i_type(0x03, 1, 5, 10, 0), 2, 4},
        {word::i_type(0x03, 2, 5, 10, 0), 4, 4}, {word::i_type(0x03, 3, 5, 10, 0), 8, 4},
        {word::i_type(0x03, 5, 5, 10, 0), 2, 4}, {word::i_type(0x03, 6, 5, 10, 0), 4, 4},
        {word::s_type(0, 5, 10, 0), 1, 6},       {word::s_type(1, 5, 10, 0), 2, 6},
        {word::s_type(2, 5, 10, 0), 4, 6},       {word::s_type(3, 5, 10, 0), 8, 6},
        {word::i_type(0x07, 2, 5, 10, 0), 4, 4}, {word::i_type(0x07, 3, 5, 10, 0), 8, 4},
        {word::s_type(2, 5, 10, 0) | 4, 4, 6},   {word::s_type(3, 5, 10, 0) | 4, 8, 6}};
    for (const bool traps : {false, true}) {
        step::Hart hart =
            hart_with(std::string("isa=rv64gc misaligned=") + (traps ? "trap" : "done"), {});
        for (const Access& access : accesses) {
            hart.write_memory(kStart, &access.word, 4);
            // Inside a page and over the end of one.
            for (const std::uint64_t base : {kStart + 0x1100, kStart + 0x1ff8}) {
                for (unsigned offset = 0; offset < 8; ++offset) {
                    hart.reset();
                    hart.set_csr(0x300, 0x6000);
                    hart.set_x(10, base + offset);
                    const Outcome outcome = hart.step();
                    const step::Record& record = hart.last();
                    if (!traps || offset % access.size == 0) {
                        ASSERT_EQ(outcome, Outcome::retired) << hart.line();
                        EXPECT_EQ(record.memory.size, access.size);
                        EXPECT_EQ(record.memory.address, base + offset);
                    } else {
                        ASSERT_EQ(outcome, Outcome::trapped) << hart.line();
                        EXPECT_EQ(record.cause, access.cause);
                        EXPECT_EQ(record.tval, base + offset);
                        EXPECT_EQ(record.memory.size, 0);
                    }
                }
            }
        }
    }
}

// Jumps
// --------------------------------------------------------------------------------------------

TEST(Jumps, ToHalfWordsTrapWithoutCompressed) {
    const std::uint32_t jal = 0x006000ef;   // jal ra, 6
    const std::uint32_t jalr = 0x002500e7;  // jalr ra, 2(a0)
    const std::uint32_t beq = 0x00000363;   // beq zero, zero, 6
    const std::uint32_t bne = 0x00001363;   // bne zero, zero, 6
    for (const char* isa : {"rv32i_zicsr", "rv64i_zicsr"}) {
        for (const std::uint32_t each : {jal, jalr, beq}) {
            step::Hart hart = hart_with(std::string("isa=") + isa, {each});
            hart.set_x(1, 77);
            hart.set_x(10, kStart + 8);
            ASSERT_EQ(hart.step(), Outcome::trapped) << hart.line();
            const std::uint64_t target = each == jalr ? kStart + 10 : kStart + 6;
            EXPECT_EQ(hart.last().cause, 0u);
            EXPECT_EQ(hart.last().tval, target);
            EXPECT_EQ(hart.csr(0x343), target);
            EXPECT_EQ(hart.csr(0x341), kStart);
            EXPECT_EQ(hart.x(1), 77u) << "the link was written";
        }
        step::Hart hart = hart_with(std::string("isa=") + isa, {bne});
        EXPECT_EQ(hart.step(), Outcome::retired) << "not taken";
        hart.set_csr(0x341, kStart + 6);
        EXPECT_EQ(hart.csr(0x341), kStart + 4) << "mepc has no bit 1";
    }
    step::Hart hart = hart_with("isa=rv32ic_zicsr", {jal});
    EXPECT_EQ(hart.step(), Outcome::retired);
    EXPECT_EQ(hart.last().next_pc, kStart + 6);
    hart.set_csr(0x341, kStart + 7);
    EXPECT_EQ(hart.csr(0x341), kStart + 6);
}

// Modes and reset ---------------------------------------------------------------------------------

TEST(Modes, UserIsThereOrNot) {
    step::Hart both = hart_with("isa=rv32i_zicsr", {word::kMret, word::kEcall});
    both.set_csr(0x341, kStart + 4);
    ASSERT_EQ(both.step(), Outcome::retired);
    EXPECT_EQ(both.last().privilege, 3);
    ASSERT_EQ(both.step(), Outcome::trapped);
    EXPECT_EQ(both.last().privilege, 0);
    EXPECT_EQ(both.last().cause, 8u);
    EXPECT_EQ(both.csr(0x300) & 0x1800, 0u) << "MPP says user";
    both.set_csr(0x306, 7);
    EXPECT_EQ(both.csr(0x306), 7u);

    step::Hart machine = hart_with("isa=rv32i_zicsr modes=m", {word::kMret, word::kEcall});
    EXPECT_EQ(machine.csr(0x300) & 0x1800, 0x1800u);
    machine.set_csr(0x300, 0x20000);
    EXPECT_EQ(machine.csr(0x300), 0x1800u) << "neither MPP nor MPRV can be changed";
    machine.set_csr(0x341, kStart + 4);
    ASSERT_EQ(machine.step(), Outcome::retired);
    EXPECT_EQ(written_csr(machine, 0x300) & 0x1800, 0x1800u);
    ASSERT_EQ(machine.step(), Outcome::trapped);
    EXPECT_EQ(machine.last().privilege, 3);
    EXPECT_EQ(machine.last().cause, 11u);
    EXPECT_THROW(machine.csr(0x306), step::Error);
    EXPECT_EQ(isthmus_step_set_privilege(machine.c(), 0), -1);
    EXPECT_EQ(isthmus_step_set_privilege(both.c(), 0), 0);
    EXPECT_EQ(isthmus_step_set_privilege(both.c(), 1), -1);
}

TEST(Modes, TvalOfIllegalAndBreakpoint) {
    for (const bool zero : {false, true}) {
        step::Hart hart = hart_with(std::string("isa=rv32i_zicsr") +
                                        (zero ? " illegal_tval=zero breakpoint_tval=zero" : ""),
                                    {0xffffffff, word::kEbreak});
        ASSERT_EQ(hart.step(), Outcome::trapped);
        EXPECT_EQ(hart.last().tval, zero ? 0 : 0xffffffff);
        EXPECT_EQ(hart.csr(0x343), hart.last().tval);
        hart.set_pc(kStart + 4);
        ASSERT_EQ(hart.step(), Outcome::trapped);
        EXPECT_EQ(hart.last().cause, 3u);
        EXPECT_EQ(hart.last().tval, zero ? 0 : kStart + 4);
        EXPECT_EQ(hart.csr(0x343), hart.last().tval);
    }
}

TEST(Counters, UpperHalvesAreNotThereOnRv64) {
    // A plain write does not read, and changes nothing where there is no register.
    for (const unsigned number : {0xb80u, 0xb82u}) {
        step::Hart hart = hart_with("isa=rv64i_zicsr", {word::csrrw(0, number, 5)});
        hart.set_x(5, 1);
        EXPECT_EQ(hart.step(), Outcome::trapped);
        EXPECT_EQ(hart.csr(number - 0x80) >> 32, 0u);
    }
}

TEST(Reset, GivesRegistersBackAndKeepsMemory) {
    step::Hart hart = hart_with("isa=rv64gc reset_pc=0x80000004 mtvec=0x80000101",
                                {0, word::addi(5, 0, 9), word::csrrw(0, 0x300, 6)});
    EXPECT_EQ(hart.pc(), kStart + 4);
    EXPECT_EQ(hart.csr(0x305), 0x80000101u);
    hart.set_x(6, 0x6088);
    hart.set_e(3, 5);
    hart.set_f(3, 5);
    hart.step();
    hart.step();
    EXPECT_EQ(hart.last().order, 1u);
    EXPECT_EQ(hart.csr(0x300) & 0x6088, 0x6088u);
    hart.reset();
    EXPECT_EQ(hart.pc(), kStart + 4);
    EXPECT_EQ(hart.x(5) | hart.x(6) | hart.e(3) | hart.f(3), 0u);
    EXPECT_EQ(hart.csr(0x300) & 0x6088, 0u);
    EXPECT_EQ(hart.csr(0xb02), 0u);
    ASSERT_EQ(hart.step(), Outcome::retired);
    EXPECT_EQ(hart.x(5), 9u);
    EXPECT_EQ(hart.last().order, 0u);
}

// A handler that cannot be fetched traps again and again, as on a core.
TEST(Traps, HandlerThatIsNotThere) {
    step::Hart hart = hart_with("isa=rv32i_zicsr mtvec=0x100", {word::kEcall});
    ASSERT_EQ(hart.step(), Outcome::trapped);
    for (int i = 0; i < 3; ++i) {
        ASSERT_EQ(hart.step(), Outcome::trapped);
        EXPECT_EQ(hart.last().pc, 0x100u);
        EXPECT_EQ(hart.last().next_pc, 0x100u);
        EXPECT_EQ(hart.last().cause, 1u);
        EXPECT_EQ(hart.last().length, 0);
        EXPECT_EQ(hart.csr(0x341), 0x100u);
    }
}

TEST(Parameters, MistakesAreRefused) {
    for (const char* text :
         {"isa", "isa=rv32", "memory=0:100", "memory=0:0x1000 memory=0:0x1000", "misaligned=maybe",
          "isa=rv32i isa=rv32i", "reset_pc=0x80000002 isa=rv32i", "reset_pc=1", "colour=red",
          "isa=rv32i memory=0x100000000:0x1000", "mhartid=12x", "mtvec=2", "interrupt_bits=0x222",
          "mtvec_mask=3"})
        EXPECT_THROW(step::Hart{text}, step::Error) << text;
    try {
        step::Hart hart("misaligned=maybe");
    } catch (const step::Error& error) {
        EXPECT_STREQ(error.what(), "parameter misaligned=maybe: legal are trap and done");
    }
    EXPECT_NO_THROW(step::Hart("  memory=0:4096\tmemory=0x2000:0x1000\n isa=rv64ic reset_pc=2 "));
}

}  // namespace
}  // namespace isthmus::sim
