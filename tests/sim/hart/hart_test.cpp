// Parts of the hart that need no compiler: soft-float against the host, memory, the ELF reader, the
// commit log.
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cfenv>
#include <cmath>
#include <cstring>
#include <random>

#include "sim/hart/bare_metal.hpp"
#include "sim/hart/commit_log.hpp"
#include "sim/hart/machine_rounds.hpp"
#include "sim/hart/soft_float.hpp"
#include "tests/sim/tools.hpp"

namespace isthmus::sim {
namespace {

using soft_float::Double;
using soft_float::Single;

/// Numbers of all kinds, not just uniformly random bits.
template <class F>
typename F::Bits interesting(std::mt19937_64& random) {
    using L = soft_float::Layout<F>;
    typename F::Bits bits = static_cast<typename F::Bits>(random());
    switch (random() % 8) {
        case 0: return bits & (L::kSign | L::kFractionMask);   // subnormal or zero
        case 1: return (bits & (L::kSign | 3)) | L::kLargest;  // near overflow
        case 2: return (bits & ~L::kInfinity) | (L::kInfinity >> 1 & L::kInfinity);  // near one
        case 3: return bits & (L::kSign | L::kInfinity);  // powers of two
        case 4:
            return (bits & L::kSign) | (L::kInfinity & (typename F::Bits{3} << F::kFraction)) |
                   (bits & 7);
        default: return bits;
    }
}

unsigned host_flags() {
    unsigned flags = 0;
    if (fetestexcept(FE_INEXACT)) flags |= soft_float::kInexact;
    if (fetestexcept(FE_UNDERFLOW)) flags |= soft_float::kUnderflow;
    if (fetestexcept(FE_OVERFLOW)) flags |= soft_float::kOverflow;
    if (fetestexcept(FE_DIVBYZERO)) flags |= soft_float::kDivideByZero;
    if (fetestexcept(FE_INVALID)) flags |= soft_float::kInvalid;
    return flags;
}

/// The host's result of an operation in a rounding mode; NaNs become the canonical one.
template <class F, class Operation>
typename F::Bits on_host(Operation operation, int mode, unsigned& flags) {
    static constexpr int kModes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
    fesetround(kModes[mode]);
    feclearexcept(FE_ALL_EXCEPT);
    const volatile typename F::Host result = operation();
    flags = host_flags();
    fesetround(FE_TONEAREST);
    const auto bits = std::bit_cast<typename F::Bits>(static_cast<typename F::Host>(result));
    return soft_float::is_nan<F>(bits) ? soft_float::Layout<F>::kNan : bits;
}

template <class F>
void compare_with_host(int rounds) {
    std::mt19937_64 random(1);
    using H = typename F::Host;
    for (int n = 0; n < rounds; ++n) {
        const auto a = interesting<F>(random), b = interesting<F>(random);
        const volatile H x = std::bit_cast<H>(a), y = std::bit_cast<H>(b);
        const int mode = static_cast<int>(random() % 4);
        const auto check = [&](const char* name, auto soft, auto host) {
            unsigned soft_flags = 0, flags = 0;
            const auto got = soft(static_cast<unsigned>(mode), soft_flags);
            const auto expected = on_host<F>(host, mode, flags);
            ASSERT_EQ(got, expected)
                << std::hex << name << " of 0x" << a << ", 0x" << b << ", mode " << mode;
            ASSERT_EQ(soft_flags, flags) << std::hex << "flags of " << name << " of 0x" << a
                                         << ", 0x" << b << ", mode " << mode;
        };
        using soft_float::add, soft_float::sub, soft_float::mul, soft_float::div;
        check(
            "add", [&](unsigned m, unsigned& f) { return add<F>(a, b, m, f); },
            [&] { return static_cast<H>(x + y); });
        check(
            "sub", [&](unsigned m, unsigned& f) { return sub<F>(a, b, m, f); },
            [&] { return static_cast<H>(x - y); });
        check(
            "mul", [&](unsigned m, unsigned& f) { return mul<F>(a, b, m, f); },
            [&] { return static_cast<H>(x * y); });
        check(
            "div", [&](unsigned m, unsigned& f) { return div<F>(a, b, m, f); },
            [&] { return static_cast<H>(x / y); });
        check(
            "sqrt", [&](unsigned m, unsigned& f) { return soft_float::sqrt<F>(a, m, f); },
            [&] { return static_cast<H>(std::sqrt(static_cast<H>(x))); });
        if (testing::Test::HasFatalFailure()) return;
    }
}

#if defined(__x86_64__)
TEST(SoftFloat, DoubleMatchesTheHost) {
    compare_with_host<Double>(60000);
}
TEST(SoftFloat, SingleMatchesTheHost) {
    compare_with_host<Single>(60000);
}
#endif

TEST(SoftFloat, NearestMaxMagnitudeRoundsTiesAway) {
    unsigned flags = 0;
    const auto one_and_half_ulp = soft_float::from_integer<Double>(
        false, (1ull << 53) + 1, soft_float::kNearestMaxMagnitude, flags);
    EXPECT_EQ(std::bit_cast<double>(one_and_half_ulp), 9007199254740994.0);
    EXPECT_EQ(flags, soft_float::kInexact);
    flags = 0;
    EXPECT_EQ(soft_float::to_integer<Double>(std::bit_cast<std::uint64_t>(2.5), 32, true,
                                             soft_float::kNearestMaxMagnitude, flags),
              3);
    EXPECT_EQ(soft_float::to_integer<Double>(std::bit_cast<std::uint64_t>(-2.5), 32, true,
                                             soft_float::kNearestMaxMagnitude, flags),
              -3);
    EXPECT_EQ(soft_float::to_integer<Double>(std::bit_cast<std::uint64_t>(2.5), 32, true,
                                             soft_float::kNearestEven, flags),
              2);
}

TEST(AddressSpace, MapsSplitsAndProtects) {
    AddressSpace space;
    space.map(0x10000, 0x8000, kRead | kWrite, "a");
    const std::uint64_t value = 0x1122334455667788;
    EXPECT_TRUE(space.write(0x10ffc, &value, 8));
    EXPECT_TRUE(space.protect(0x11000, 0x1000, kRead));
    EXPECT_FALSE(space.write(0x10ffc, &value, 8));
    std::uint64_t back = 0;
    EXPECT_TRUE(space.read(0x10ffc, &back, 8));
    space.unmap(0x12000, 0x1000);
    EXPECT_FALSE(space.read(0x12000, &back, 1));
    EXPECT_TRUE(space.read(0x13000, &back, 8));
    EXPECT_EQ(space.find_free(0x10000, 0x1000, 0x100000), 0x12000u);
    EXPECT_EQ(space.find_free(0x10000, 0x2000, 0x100000), 0x18000u);
    EXPECT_EQ(space.find_free(0x10000, 0x2000, 0x18000), 0u);
    EXPECT_FALSE(space.protect(0x11000, 0x3000, kRead)) << "there is a hole";
    std::string text;
    EXPECT_FALSE(space.read_string(0x30000, text));
}

// Against a row of pages, each taken or not.
TEST(AddressSpace, FindsTheLowestFreeRange) {
    constexpr std::uint64_t kBase = 0x100000, kPages = 40;
    std::mt19937 random(11);
    AddressSpace space;
    std::array<bool, kPages> taken{};
    const auto pick = [&](std::uint64_t below) { return random() % below; };
    for (int step = 0; step < 20000; ++step) {
        const std::uint64_t pages = 1 + pick(4);
        if (pick(5) < 2) {
            const std::uint64_t at = pick(kPages - pages + 1);
            const bool maps = pick(4) == 0;
            for (std::uint64_t i = at; i < at + pages; ++i)
                taken[i] = maps;
            if (maps)
                space.map(kBase + at * kPageSize, pages * kPageSize, kRead, "fixed");
            else
                space.unmap(kBase + at * kPageSize, pages * kPageSize);
            continue;
        }
        const std::uint64_t from = pick(8) == 0 ? pick(kPages) : 0;
        std::uint64_t expected = from, run = 0;
        while (expected + run < kPages && run < pages) {
            if (taken[expected + run])
                expected += run + 1, run = 0;
            else
                ++run;
        }
        const std::uint64_t found = space.find_free(kBase + from * kPageSize, pages * kPageSize,
                                                    kBase + kPages * kPageSize);
        ASSERT_EQ(found, run == pages ? kBase + expected * kPageSize : 0) << step;
        if (found == 0) continue;
        for (std::uint64_t i = expected; i < expected + pages; ++i)
            taken[i] = true;
        space.map(found, pages * kPageSize, kRead, "found");
    }
}

/// A small bare-metal program as an ELF file, built by hand: `words` at 0x80000000.
std::string tiny_elf(const std::vector<std::uint32_t>& words) {
    std::string file(64 + 56, '\0');
    const auto put = [&](std::size_t at, std::uint64_t value, unsigned size) {
        std::memcpy(file.data() + at, &value, size);
    };
    std::memcpy(file.data(), "\177ELF\2\1\1", 7);
    put(16, 2, 2);
    put(18, 243, 2);
    put(20, 1, 4);
    put(24, 0x80000000, 8);
    put(32, 64, 8);
    put(52, 64, 2);
    put(54, 56, 2);
    put(56, 1, 2);
    put(64, 1, 4);
    put(68, 7, 4);
    put(72, 120, 8);
    put(80, 0x80000000, 8);
    put(88, 0x80000000, 8);
    put(96, 4 * words.size(), 8);
    put(104, 4 * words.size(), 8);
    file.append(reinterpret_cast<const char*>(words.data()), 4 * words.size());
    return file;
}

TEST(CommitLog, HasTheFormOfSpike) {
    test::Scratch scratch;
    // lui a0,0x80001; addi a1,zero,-5; sw a1,8(a0); lw a2,8(a0); c.nop; c.nop; csrr t0,mhartid;
    // then nothing mapped
    const std::string elf = tiny_elf(
        {0x80001537, 0xffb00593, 0x00b52423, 0x00852603, 0x00010001, 0xf14022f3, 0x00000067});
    MachineOptions options;
    options.memory_bytes = 1 << 20;
    options.shared_bytes = 4096;
    Machine machine(Program::parse(elf, "tiny"), options, boot_bare_metal);
    machine.complain = [](const std::string&) {};
    {
        std::vector<CommitLog> logs;
        logs.emplace_back(scratch / "log");
        machine.run(std::span(logs));
    }
    EXPECT_EQ(test::read_file(scratch / "log"),
              "core   0: 3 0x0000000080000000 (0x80001537) x10 0xffffffff80001000\n"
              "core   0: 3 0x0000000080000004 (0xffb00593) x11 0xfffffffffffffffb\n");
    EXPECT_EQ(machine.exit_code(), 134) << "the sign-extended address is nowhere";
}

// What traps at another node traps in the log, too.
TEST(CommitLog, TellsOfRemoteTraps) {
    test::Scratch scratch;
    // addi t0,zero,3; eaddie e11,t0,0; eld a2,0(a1): two nodes have namespaces 1 and 2
    const std::string elf = tiny_elf({0x00300293, 0x0002d5fb, 0x0005b677});
    MachineOptions options;
    options.nodes = 2;
    options.memory_bytes = 1 << 20;
    options.shared_bytes = 4096;
    Machine machine(Program::parse(elf, "tiny"), options, boot_bare_metal);
    std::string complaints;
    machine.complain = [&](const std::string& text) { complaints += text; };
    {
        std::vector<CommitLog> logs;
        logs.emplace_back(scratch / "log", true);
        logs.emplace_back(scratch / "other", true);
        machine.run(std::span(logs));
    }
    const std::string log = test::read_file(scratch / "log");
    EXPECT_NE(log.find("exception load access fault, epc 0x0000000080000008"), std::string::npos)
        << log;
    EXPECT_NE(complaints.find("load access fault (cause 5, value 0x0 in namespace 3, which is no "
                              "node's)"),
              std::string::npos)
        << complaints;
}

TEST(Program, RefusesWhatItCannotRun) {
    const std::string good = tiny_elf({0x13});
    EXPECT_NO_THROW(Program::parse(good, "good"));
    EXPECT_THROW(Program::parse("", "empty"), std::runtime_error);
    EXPECT_THROW(Program::parse("#!/bin/sh\n", "script"), std::runtime_error);
    EXPECT_THROW(Program::parse(good.substr(0, 100), "cut"), std::runtime_error);
    std::string other = good;
    other[18] = 62;
    EXPECT_THROW(Program::parse(other, "x86"), std::runtime_error);
}

TEST(Program, SurvivesBrokenFiles) {
    const std::string good = tiny_elf({0x13, 0x13, 0x13});
    std::mt19937 random(3);
    int accepted = 0;
    for (int i = 0; i < 30000; ++i) {
        std::string bad = good;
        for (unsigned k = 0; k <= random() % 4; ++k)
            bad[random() % bad.size()] = static_cast<char>(random());
        if (random() % 4 == 0) bad.resize(random() % bad.size());
        try {
            const Program program = Program::parse(bad, "broken");
            for (const Segment& segment : program.segments)
                ASSERT_LE(segment.data.size(), bad.size());
            ++accepted;
        } catch (const std::runtime_error&) {
        }
    }
    EXPECT_GT(accepted, 0);
}

}  // namespace
}  // namespace isthmus::sim
