// What the disassembler prints, the GNU assembler (with the generated include) must turn back into
// the same word.
#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "sim/isa/decode.hpp"
#include "sim/isa/disassemble.hpp"
#include "tests/sim/tools.hpp"

namespace isthmus::sim {
namespace {

class RoundTrip : public testing::TestWithParam<std::pair<Xlen, Profile>> {};

TEST_P(RoundTrip, EveryEncodingThroughTheAssembler) {
    if (!*ISTHMUS_TEST_AS) GTEST_SKIP() << "riscv64-linux-gnu-as is not installed";
    const auto [xlen, profile] = GetParam();
    const Decoder decoder(xlen, profile);
    std::mt19937 random(20240229);
    std::vector<std::uint32_t> words;
    std::string text;
    for (const Encoding& encoding : encodings()) {
        if (!(encoding.profiles & static_cast<int>(profile)) ||
            !(encoding.xlens & (xlen == Xlen::k32 ? 1 : 2)))
            continue;
        int kept = 0;
        for (int trial = 0; trial < 200 && kept < 24; ++trial) {
            const std::uint32_t mask = encoding.size == 4 ? 0xffffffff : 0xffff;
            std::uint32_t word = encoding.match | (random() & ~encoding.mask & mask);
            // Their reserved fields cannot be written in assembly.
            if (encoding.name == "fence") word &= 0x0ff0007f;
            if (encoding.name == "fence.i") word = encoding.match;
            Decoded d;
            if (!decoder.decode(word, d)) continue;
            std::string line = disassemble(decoder, word, 0, true);
            if (line[0] == '.') continue;
            // The assembler does not offer hints, nor a rounding mode for widenings that are exact.
            const std::string_view name = encoding.name;
            if (name.starts_with("c.") && d.rd == 0 && info(d.op).rd == RegisterFile::x &&
                d.op != Op::jal && d.op != Op::jalr && name != "c.nop")
                continue;
            if ((name == "c.slli" || name == "c.srli" || name == "c.srai" || name == "c.addi") &&
                d.imm == 0)
                continue;
            if ((name == "fcvt.d.s" || name == "fcvt.d.w" || name == "fcvt.d.wu") && d.imm != 0)
                continue;
            words.push_back(word);
            text += line + "\n";
            ++kept;
        }
        EXPECT_GT(kept, 0) << encoding.name;
    }
    test::Scratch scratch;
    const std::string source = scratch / "words.s", object = scratch / "words.o",
                      binary = scratch / "words.bin";
    std::string with_c;
    {
        std::istringstream lines(text);
        std::string line;
        while (std::getline(lines, line)) {
            const bool compressed = line.starts_with("c.");
            with_c += compressed ? ".option rvc\n" + line + "\n.option norvc\n" : line + "\n";
        }
    }
    test::write_file(source, ".option norelax\n.option norvc\n" + with_c);
    const std::string march = xlen == Xlen::k64 ? "rv64gc_zihintpause" : "rv32gc_zihintpause";
    const std::string abi = xlen == Xlen::k64 ? "lp64d" : "ilp32d";
    const auto assembled =
        test::run(std::string(ISTHMUS_TEST_AS) + " -march=" + march + " -mabi=" + abi +
                  " --defsym XBGAS_PROFILE_A=" + (profile == Profile::a ? "1 " : "0 ") +
                  ISTHMUS_TEST_INCLUDE "/xbgas.inc " + source + " -o " + object);
    ASSERT_EQ(assembled.status, 0) << assembled.output.substr(0, 4000);
    ASSERT_EQ(test::run(std::string(ISTHMUS_TEST_OBJCOPY) + " -O binary -j .text " + object + " " +
                        binary)
                  .status,
              0);
    const std::string bytes = test::read_file(binary);
    std::size_t at = 0;
    for (std::uint32_t word : words) {
        const unsigned size = instruction_length(word);
        ASSERT_LE(at + size, bytes.size());
        std::uint32_t got = 0;
        std::memcpy(&got, bytes.data() + at, size);
        ASSERT_EQ(got, word) << disassemble(decoder, word, 0, true) << " came back as "
                             << disassemble(decoder, got, 0, true);
        at += size;
    }
    EXPECT_LT(bytes.size() - at, 4u) << "more than the padding of the section is left";
    std::printf("%zu words of %s profile %s\n", words.size(), march.c_str(),
                profile == Profile::a ? "A" : "B");
}

INSTANTIATE_TEST_SUITE_P(Machines, RoundTrip,
                         testing::Values(std::pair{Xlen::k64, Profile::b},
                                         std::pair{Xlen::k64, Profile::a},
                                         std::pair{Xlen::k32, Profile::b}),
                         [](const auto& machine) {
                             return std::string(machine.param.first == Xlen::k64 ? "Rv64"
                                                                                 : "Rv32") +
                                    (machine.param.second == Profile::a ? "A" : "B");
                         });

// What only RV64 has is refused by name on RV32, line by line.
TEST(Assembler, RefusesOnRv32WhatItDoesNotHave) {
    if (!*ISTHMUS_TEST_AS) GTEST_SKIP() << "riscv64-linux-gnu-as is not installed";
    const Decoder decoder(Xlen::k64, Profile::b);
    test::Scratch scratch;
    std::string lines;
    std::vector<std::string> names;
    for (const Encoding& encoding : encodings()) {
        const std::string name(encoding.name);
        if (encoding.xlens != 2 || !(encoding.profiles & static_cast<int>(Profile::b)) ||
            name[0] != 'e')
            continue;
        Decoded d;
        const std::uint32_t word = encoding.match | (0x15a58500 & ~encoding.mask);
        ASSERT_TRUE(decoder.decode(word, d)) << name;
        lines += disassemble(decoder, word, 0, true) + "\n";
        names.push_back(name);
    }
    EXPECT_GE(names.size(), 20u);
    test::write_file(scratch / "words.s", lines);
    const auto assemble = [&](const std::string& machine) {
        return test::run(std::string(ISTHMUS_TEST_AS) + " " + machine + " " +
                         ISTHMUS_TEST_INCLUDE "/xbgas.inc " + (scratch / "words.s") + " -o " +
                         (scratch / "words.o"));
    };
    EXPECT_EQ(assemble("-march=rv64gc").status, 0);
    const auto refused = assemble("-march=rv32gc -mabi=ilp32d");
    EXPECT_NE(refused.status, 0);
    for (const std::string& name : names)
        EXPECT_NE(refused.output.find("Error: " + name + " does not exist on RV32"),
                  std::string::npos)
            << name << "\n"
            << refused.output;
}

TEST(Intrinsics, HeaderCompilesInBothProfiles) {
    if (!*ISTHMUS_TEST_GCC) GTEST_SKIP() << "riscv64-linux-gnu-gcc is not installed";
    test::Scratch scratch;
    test::write_file(scratch / "use.c", R"(
#include <xbgas.h>
int64_t use(uint64_t ns, int64_t* p) {
    xbgas_esd(ns, p, 3);
    xbgas_ersd(ns, p, 4);
    XBGAS_WRITE_E(20, ns);
    xbgas_fence();
    return xbgas_eld(ns, p) + xbgas_erld(ns, p) + xbgas_eamoadd_d_aqrl(ns, p, 7) + xbgas_elr_d(ns, p) +
           (int64_t)XBGAS_READ_E(20) + (int64_t)xbgas_ebld(p, ns, p, 3) + xbgas_erlbu(ns, p) + xbgas_esc_w(ns, p, 1);
}
)");
    for (const char* flags : {"-O0", "-O2", "-O2 -DXBGAS_PROFILE_A"}) {
        const auto result = test::run(std::string(ISTHMUS_TEST_GCC) + " -Wall -Wextra -Werror " +
                                      flags + " -I" ISTHMUS_TEST_INCLUDE " -c " +
                                      (scratch / "use.c") + " -o " + (scratch / "use.o"));
        EXPECT_EQ(result.status, 0) << flags << "\n" << result.output;
    }
}

}  // namespace
}  // namespace isthmus::sim
