// Names of subsets, and decoders that have no more than theirs.
#include <gtest/gtest.h>

#include <random>
#include <stdexcept>

#include "sim/isa/decode.hpp"

namespace isthmus::sim {
namespace {

TEST(Subset, NamesBringWhatTheyAreBuiltOn) {
    for (const auto& [name, whole] : std::initializer_list<std::pair<const char*, const char*>>{
             {"rv32i", "rv32i"},
             {"rv32imc_zicsr", "rv32imc_zicsr"},
             {"RV64GC", "rv64imafdc_zicsr_zifencei"},
             {"rv64id", "rv64ifd_zicsr"},
             {"rv32if", "rv32if_zicsr"},
             {"rv64ic_zifencei_xbgasbulk", "rv64ic_zifencei_xbgas_xbgasbulk"}})
        EXPECT_EQ(isa_name(parse_isa(name)), whole);
    EXPECT_EQ(parse_isa("rv64gc_xbgasamo_xbgasbulk").extensions,
              Extensions::all().set(Extension::Supervisor, false))
        << "supervisor mode is no letter of it";
    EXPECT_EQ(parse_isa("rv32i").xlen, Xlen::k32);
}

TEST(Subset, WhatIsNotUnderstoodIsRefused) {
    for (const char* name : {"", "rv", "rv16i", "rv32", "rv32m", "rv64iq", "rv64gc_zba", "rv64gc_",
                             "rv64gc__xbgas", "x86_64"})
        EXPECT_THROW(parse_isa(name), std::invalid_argument) << name;
}

/// The row of a word in the decoder of everything.
const Encoding* row_of(const Decoder& everything, std::uint32_t word) {
    Decoded d;
    return everything.decode(word, d) ? &encodings()[d.encoding] : nullptr;
}

// A compressed load of a double is there with c and d alone.
TEST(Subset, DecodersHaveWhatTheirNameSays) {
    std::mt19937 random(7);
    for (const char* name : {"rv32i", "rv32ic", "rv32imc_zicsr", "rv32ifc", "rv32gc", "rv64i",
                             "rv64ic", "rv64iac", "rv64ifc", "rv64gc", "rv64i_xbgas",
                             "rv64imc_xbgasamo", "rv64ic_xbgasbulk", "rv64gc_xbgasamo_xbgasbulk"}) {
        const Isa isa = parse_isa(name);
        const Decoder all(isa.xlen, Profile::b), some(isa.xlen, Profile::b, isa.extensions);
        unsigned taken = 0, refused = 0;
        for (int i = 0; i < 40000; ++i) {
            const Encoding& near = encodings()[random() % encodings().size()];
            const std::uint32_t word =
                near.match | (static_cast<std::uint32_t>(random()) & ~near.mask);
            const Encoding* const row = row_of(all, word);
            const bool legal = row != nullptr && (row->needs & ~isa.extensions.bits) == 0;
            Decoded d;
            ASSERT_EQ(some.decode(word, d), legal) << name << ": " << (row ? row->name : "none");
            if (!legal) {
                ++refused;
                continue;
            }
            ++taken;
            ASSERT_EQ(&encodings()[d.encoding], row);
        }
        EXPECT_GT(taken, 1000u) << name;
        EXPECT_GT(refused, 300u) << name;
    }
}

TEST(Subset, CompressedFloatsNeedBoth) {
    for (const Encoding& row : encodings()) {
        if (row.size != 2) continue;
        EXPECT_TRUE(row.needs & Extensions::bit(Extension::C)) << row.name;
        const bool is_float = is_floating_point(info(row.op).klass);
        const bool is_double = row.op == Op::fld || row.op == Op::fsd;
        EXPECT_EQ((row.needs & Extensions::bit(Extension::D)) != 0, is_double) << row.name;
        EXPECT_EQ((row.needs & Extensions::bit(Extension::F)) != 0, is_float && !is_double)
            << row.name;
    }
}

}  // namespace
}  // namespace isthmus::sim
