// Random programs through the step interface and through the machine: the same instructions, in the
// same order, with the same registers and accesses.
#include <gtest/gtest.h>

#include <cstring>
#include <sstream>

#include "isthmus/step.h"
#include "sim/hart/bare_metal.hpp"
#include "sim/hart/commit_log.hpp"
#include "sim/hart/machine_rounds.hpp"
#include "tests/sim/step/random_program.hpp"

namespace isthmus::sim {
namespace {

constexpr std::uint64_t kMemory = 16 << 20;

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);)
        lines.push_back(line);
    return lines;
}

/// The machine's own log.
std::vector<std::string> log_of_machine(const test::Scratch& scratch, const std::string& program) {
    MachineOptions options;
    options.memory_bytes = kMemory;
    options.shared_bytes = 1 << 20;
    options.max_instructions = 5'000'000;
    Machine machine(Program::load(program), options, boot_bare_metal);
    {
        CommitLog log(scratch / "log");
        EXPECT_TRUE(machine.run(std::span(&log, 1)));
        log.finish();
    }
    EXPECT_EQ(machine.exit_code(), 0);
    return lines_of(test::read_file(scratch / "log"));
}

/// Without the registers of control and status, which the machine's log has not.
std::string without_csrs(const char* text) {
    const std::string line(text);
    std::string cleaned;
    for (std::size_t at = 0; at < line.size();) {
        if (line[at] == ' ' && at + 2 < line.size() && line[at + 1] == 'c' &&
            std::isdigit(static_cast<unsigned char>(line[at + 2])) && at > 8) {
            at = line.find(' ', line.find(' ', at + 1) + 1);
            if (at == std::string::npos) break;
            continue;
        }
        cleaned += line[at++];
    }
    return cleaned;
}

class Stepped : public testing::TestWithParam<std::pair<Xlen, unsigned>> {};

TEST_P(Stepped, EqualsTheMachinesLog) {
    if (!*ISTHMUS_TEST_AS) GTEST_SKIP() << "riscv64-linux-gnu-as is not installed";
    const auto [xlen, start] = GetParam();
    test::Scratch scratch;
    const std::string program = scratch / "random";
    test::RandomProgram random(xlen, start);
    const test::Result built = random.build(scratch, program, 4, 3);
    ASSERT_EQ(built.status, 0) << built.output;
    const std::vector<std::string> expected = log_of_machine(scratch, program);
    ASSERT_GT(expected.size(), 5000u);

    const std::string isa = xlen == Xlen::k32 ? "rv32gc" : "rv64gc";
    isthmus_step* const hart = isthmus_step_create(
        ("isa=" + isa + "_xbgas_xbgasamo_xbgasbulk memory=0x80000000:0x1000000").c_str());
    ASSERT_NE(hart, nullptr) << isthmus_step_error();
    ASSERT_EQ(isthmus_step_load_elf(hart, program.c_str()), 0) << isthmus_step_error();
    // The registers at reset that the machine has by convention.
    isthmus_step_set_register(hart, ISTHMUS_STEP_E, 11, 1);
    isthmus_step_set_register(hart, ISTHMUS_STEP_E, 12, 1 << 20);
    isthmus_step_set_register(hart, ISTHMUS_STEP_E, 13, 0x80000000 + kMemory - 4096 - (1 << 20));
    isthmus_step_set_register(hart, ISTHMUS_STEP_E, 14, 0x80000000 + kMemory - 4096);
    std::size_t line = 0, traps = 0, remotes = 0;
    while (line < expected.size()) {
        int outcome = isthmus_step_step(hart);
        const isthmus_step_record& record = *isthmus_step_last(hart);
        if (outcome == ISTHMUS_STEP_WAITING) {
            ++remotes;
            if (record.remote.name_space == 1)
                ASSERT_EQ(isthmus_step_serve_remote(hart, hart), 0);
            else
                isthmus_step_inject_remote_fault(hart, record.remote.address);
            outcome = isthmus_step_step(hart);
        }
        if (outcome == ISTHMUS_STEP_TRAPPED) {
            ++traps;
            continue;
        }
        ASSERT_EQ(outcome, ISTHMUS_STEP_RETIRED) << isthmus_step_error();
        ASSERT_EQ(without_csrs(isthmus_step_line(hart)), expected[line])
            << "line " << line << ": "
            << isthmus_step_disassemble(hart, record.instruction, record.pc);
        ++line;
    }
    EXPECT_GT(traps, 50u);
    EXPECT_GT(remotes, 200u);
    std::printf("%zu instructions equal, %zu traps, %zu remote accesses\n", line, traps, remotes);
    isthmus_step_destroy(hart);
}

INSTANTIATE_TEST_SUITE_P(Programs, Stepped,
                         testing::Values(std::pair{Xlen::k64, 1u}, std::pair{Xlen::k64, 2u},
                                         std::pair{Xlen::k32, 3u}, std::pair{Xlen::k32, 4u}),
                         [](const auto& each) {
                             return std::string(each.param.first == Xlen::k32 ? "Rv32" : "Rv64") +
                                    "From" + std::to_string(each.param.second);
                         });

}  // namespace
}  // namespace isthmus::sim
