#include <gtest/gtest.h>

#include <map>
#include <set>

#include "sim/isa/decode.hpp"
#include "sim/isa/disassemble.hpp"

namespace isthmus::sim {
namespace {

struct Golden {
    const char* text;
    std::uint32_t a, b;  // 0: no instruction in that profile
};

// Profile A: words of the published toolchain. Profile B: computed from the 2.0.0 tables by
// independent encoders.
constexpr Golden kGolden[] = {
    {"eld     a0, 0(ra)", 0x0000b577, 0x0000b577},
    {"eld     ra, 0(sp)", 0x000130f7, 0x000130f7},
    {"elb     a5, 40(t6)", 0x028f87f7, 0x028f87f7},
    {"elh     a5, 40(t6)", 0x028f97f7, 0x028f97f7},
    {"elw     a5, 40(t6)", 0x028fa7f7, 0x028fa7f7},
    {"eld     a5, 40(t6)", 0x028fb7f7, 0x028fb7f7},
    {"elbu    a5, 40(t6)", 0x028fc7f7, 0x028fc7f7},
    {"elhu    a5, 40(t6)", 0x028fd7f7, 0x028fd7f7},
    {"elq     a5, 40(t6)", 0x028fe7f7, 0},
    {"ele     e10, 40(t6)", 0x028ff577, 0x028ff577},
    {"esb     a5, 40(t6)", 0x02ff847b, 0x02ff847b},
    {"esh     a5, 40(t6)", 0x02ff947b, 0x02ff947b},
    {"esw     a5, 40(t6)", 0x02ffa47b, 0x02ffa47b},
    {"esd     a5, 40(t6)", 0x02ffb47b, 0x02ffb47b},
    {"esq     a5, 40(t6)", 0x02ffc47b, 0},
    {"ese     e10, 40(t6)", 0x02afd47b, 0x02aff47b},
    {"erlb    a5, a6, e10", 0xaaa807b3, 0xaaa807b3},
    {"erlh    a5, a6, e10", 0xaaa817b3, 0xaaa817b3},
    {"erlw    a5, a6, e10", 0xaaa827b3, 0xaaa827b3},
    {"erld    a5, a6, e10", 0xaaa837b3, 0xaaa837b3},
    {"erlbu   a5, a6, e10", 0xaaa847b3, 0xaaa847b3},
    {"erlhu   a5, a6, e10", 0xaaa857b3, 0xaaa857b3},
    {"erld    t5, a1, e12", 0xaac5bf33, 0xaac5bf33},
    {"erle    e3, a5, e10", 0x42a7c1b3, 0xaaa7f1b3},
    {"ersb    a5, a4, e10", 0x44a707b3, 0x44e78533},
    {"ersh    a5, a4, e10", 0x44a717b3, 0x44e79533},
    {"ersw    a5, a4, e10", 0x44a727b3, 0x44e7a533},
    {"ersd    a5, a4, e10", 0x44a737b3, 0x44e7b533},
    {"ersd    t0, t1, e7", 0x447332b3, 0x4462b3b3},
    {"erse    e8, a4, e10", 0x46a73433, 0x44e47533},
    {"eaddi   a5, e10, -32", 0xfe0567fb, 0xfe0567fb},
    {"eaddie  e10, a5, -32", 0xfe07f57b, 0xfe07d57b},
    {"eaddie  e10, t0, 1", 0x0012f57b, 0x0012d57b},
    {"eaddix  e21, e10, -32", 0xfe057a83, 0xfe057a83},
    {"eaddix  e0, e1, 0", 0x0000f003, 0x0000f003},
    {"eamoadd.w a5, a4, (a0)", 0x00e527eb, 0x00e527eb},
    {"eamoadd.d a5, a4, (a0)", 0x00e537eb, 0x00e537eb},
    {"eamoadd.w.aqrl a5, a4, (a0)", 0x06e527eb, 0x06e527eb},
    {"eamoadd.d.aqrl a5, a4, (a0)", 0x06e537eb, 0x06e537eb},
    {"eamoswap.w a5, a4, (a0)", 0x08e527eb, 0x08e527eb},
    {"eamoswap.d a5, a4, (a0)", 0x08e537eb, 0x08e537eb},
    {"eamoswap.w.aqrl a5, a4, (a0)", 0x0ee527eb, 0x0ee527eb},
    {"eamoswap.d.aqrl a5, a4, (a0)", 0x0ee537eb, 0x0ee537eb},
    {"elr.w   a5, (a0)", 0x100527eb, 0x100527eb},
    {"elr.d   a5, (a0)", 0x100537eb, 0x100537eb},
    {"elr.w.aqrl a5, (a0)", 0x160527eb, 0x160527eb},
    {"elr.d.aqrl a5, (a0)", 0x160537eb, 0x160537eb},
    {"esc.w   a5, a4, (a0)", 0x18e527eb, 0x18e527eb},
    {"esc.d   a5, a4, (a0)", 0x18e537eb, 0x18e537eb},
    {"esc.w.aqrl a5, a4, (a0)", 0x1ee527eb, 0x1ee527eb},
    {"esc.d.aqrl a5, a4, (a0)", 0x1ee537eb, 0x1ee537eb},
    {"eamocas.w a5, a4, (a0)", 0x28e527eb, 0x28e527eb},
    {"eamocas.d a5, a4, (a0)", 0x28e537eb, 0x28e537eb},
    {"eamocas.w.aqrl a5, a4, (a0)", 0x2ee527eb, 0x2ee527eb},
    {"eamocas.d.aqrl a5, a4, (a0)", 0x2ee537eb, 0x2ee537eb},
    {"eamoxor.w a5, a4, (a0)", 0x20e527eb, 0x20e527eb},
    {"eamoxor.d.aqrl a5, a4, (a0)", 0x26e537eb, 0x26e537eb},
    {"eamoor.w a5, a4, (a0)", 0x40e527eb, 0x40e527eb},
    {"eamoor.d.aqrl a5, a4, (a0)", 0x46e537eb, 0x46e537eb},
    {"eamoand.w a5, a4, (a0)", 0x60e527eb, 0x60e527eb},
    {"eamoand.d.aqrl a5, a4, (a0)", 0x66e537eb, 0x66e537eb},
    {"eamomin.w a5, a4, (a0)", 0x80e527eb, 0x80e527eb},
    {"eamomin.d.aqrl a5, a4, (a0)", 0x86e537eb, 0x86e537eb},
    {"eamomax.w a5, a4, (a0)", 0xa0e527eb, 0xa0e527eb},
    {"eamomax.d.aqrl a5, a4, (a0)", 0xa6e537eb, 0xa6e537eb},
    {"eamominu.w a5, a4, (a0)", 0xc0e527eb, 0xc0e527eb},
    {"eamominu.d.aqrl a5, a4, (a0)", 0xc6e537eb, 0xc6e537eb},
    {"eamomaxu.w a5, a4, (a0)", 0xe0e527eb, 0xe0e527eb},
    {"eamomaxu.d.aqrl a5, a4, (a0)", 0xe6e537eb, 0xe6e537eb},
    {"eblb    a5, a0, a1, a2", 0x66b507db, 0x66b507db},
    {"eblh    a5, a0, a1, a2", 0x66b517db, 0x66b517db},
    {"eblw    a5, a0, a1, a2", 0x66b527db, 0x66b527db},
    {"ebld    a5, a0, a1, a2", 0x66b537db, 0x66b537db},
    {"ebsb    a5, a0, a1, a2", 0x64b507db, 0x64b507db},
    {"ebsh    a5, a0, a1, a2", 0x64b517db, 0x64b517db},
    {"ebsw    a5, a0, a1, a2", 0x64b527db, 0x64b527db},
    {"ebsd    a5, a0, a1, a2", 0x64b537db, 0x64b537db},
};

TEST(Isa, GoldenWordsInBothProfiles) {
    const Decoder a(Xlen::k64, Profile::a), b(Xlen::k64, Profile::b);
    for (const Golden& golden : kGolden) {
        EXPECT_EQ(disassemble(a, golden.a, 0), golden.text);
        if (golden.b) {
            EXPECT_EQ(disassemble(b, golden.b, 0), golden.text);
        } else {
            Decoded d;
            EXPECT_FALSE(b.decode(golden.a, d)) << golden.text << " must be illegal in profile B";
        }
    }
}

TEST(Isa, GoldenWordsCoverEveryXbgasInstruction) {
    std::set<std::string> covered;
    for (const Golden& golden : kGolden) {
        std::string text = golden.text;
        covered.insert(text.substr(0, text.find(' ')));
    }
    for (const Encoding& encoding : encodings()) {
        if (encoding.extension.starts_with("Xbgas")) {
            // Each remote atomic is there as .w and as .d with some ordering.
            const std::string name(encoding.name);
            EXPECT_TRUE(covered.count(name) || covered.count(name + ".aqrl")) << name;
        }
    }
}

TEST(Isa, ProfilesSwapWhatTheyShould) {
    const Decoder a(Xlen::k64, Profile::a), b(Xlen::k64, Profile::b);
    Decoded d;
    ASSERT_TRUE(a.decode(0xfe07d57b, d));  // B's eaddie is A's ese
    EXPECT_EQ(d.op, Op::ese);
    ASSERT_TRUE(b.decode(0xfe07d57b, d));
    EXPECT_EQ(d.op, Op::eaddie);
}

TEST(Isa, Rv32LeavesOutWideTransfers) {
    const Decoder narrow(Xlen::k32, Profile::b);
    Decoded d;
    for (std::uint32_t word : {0x0000b577u, 0x028ff577u, 0x02ffb47bu, 0x02aff47bu, 0xaaa837b3u,
                               0xaaa7f1b3u, 0x44e7b533u, 0x00e537ebu})
        EXPECT_FALSE(narrow.decode(word, d)) << std::hex << word;
    EXPECT_TRUE(narrow.decode(0x028fa7f7, d));
    EXPECT_TRUE(narrow.decode(0x00e527eb, d));
    EXPECT_FALSE(narrow.decode(0x02051513, d)) << "a shift by 32 is illegal on RV32";
}

TEST(Isa, CompressedExpandToTheirBase) {
    const Decoder decoder(Xlen::k64, Profile::b);
    Decoded d;
    ASSERT_TRUE(decoder.decode(0x1141, d));  // c.addi sp, -16
    EXPECT_EQ(d.op, Op::addi);
    EXPECT_EQ(d.rd, 2);
    EXPECT_EQ(d.rs1, 2);
    EXPECT_EQ(d.imm, -16);
    ASSERT_TRUE(decoder.decode(0x8082, d));  // c.jr ra
    EXPECT_EQ(d.op, Op::jalr);
    EXPECT_EQ(d.rd, 0);
    EXPECT_EQ(d.rs1, 1);
    EXPECT_EQ(d.size, 2);
    EXPECT_FALSE(decoder.decode(0x0000, d));  // the all-zero word is illegal by definition
    EXPECT_FALSE(decoder.decode(0x6101 & 0xef83, d)) << "c.addi16sp with 0 is reserved";
}

TEST(Isa, IllegalWords) {
    const Decoder decoder(Xlen::k64, Profile::b);
    Decoded d;
    for (std::uint32_t word : {0xffffffffu, 0x00000073u | 1u << 7, 0x0000707bu & 0xfu, 0x62000073u})
        EXPECT_FALSE(decoder.decode(word, d)) << std::hex << word;
    const Decoder without(Xlen::k64, Profile::b,
                          Extensions::all().set(Extension::Supervisor, false));
    for (std::uint32_t word : {0x10200073u, 0x12000073u}) {  // sret, sfence.vma
        EXPECT_TRUE(decoder.decode(word, d)) << std::hex << word;
        EXPECT_FALSE(without.decode(word, d)) << std::hex << word;
    }
}

// Every word decodes to itself: an encoding's fixed bits and fields cover all its bits exactly
// once.
TEST(Isa, EncodingsAreDisjointOrNested) {
    for (const Xlen xlen : {Xlen::k32, Xlen::k64}) {
        for (const Profile profile : {Profile::a, Profile::b}) {
            const Decoder decoder(xlen, profile);
            std::map<std::string_view, int> found;
            for (const Encoding& encoding : encodings()) {
                if (!(encoding.profiles & static_cast<int>(profile))) continue;
                if (!(encoding.xlens & (xlen == Xlen::k32 ? 1 : 2))) continue;
                Decoded d;
                // All operand bits set, but for those a stricter encoding claims.
                for (std::uint32_t fill :
                     {0xffffffffu, 0x55555555u, 0xaaaaaaaau, 0x9ff00f80u, 0x00000104u}) {
                    const std::uint32_t word = encoding.match | (fill & ~encoding.mask);
                    if (decoder.decode(word, d) && encodings()[d.encoding].name == encoding.name)
                        ++found[encoding.name];
                }
                if (encoding.mask == (encoding.size == 4 ? 0xffffffff : 0xffff)) {
                    EXPECT_TRUE(decoder.decode(encoding.match, d)) << encoding.name;
                    ++found[encoding.name];
                }
                EXPECT_GT(found[encoding.name], 0) << encoding.name << " cannot be reached";
            }
        }
    }
}

}  // namespace
}  // namespace isthmus::sim
