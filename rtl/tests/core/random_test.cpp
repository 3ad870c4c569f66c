// Random programs on the core in gates, each instruction compared.
//
//     core_random KIND SCENARIO INSTRUCTIONS [START [FAULT]]
//
// Programs come from the simulator's generator: every instruction of the table, xBGAS with it. What
// the core lacks traps, and a handler goes on behind it, in machine or in user mode by turns;
// interrupts return. Exit status 1: a difference, which is told.
#include <array>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "cosim/machine.hpp"
#include "tests/sim/step/random_program.hpp"

namespace {

using namespace isthmus::rtl;
using isthmus::sim::Xlen;

struct Scenario {
    std::string_view name;
    Disturbance disturbance;
};
constexpr Scenario kScenarios[] = {
    {"smooth", {}},
    {"stalls", {.stall = 300, .late = 300}},
    {"interrupts", {.stall = 100, .late = 100, .irq = 4}},
    {"storm", {.stall = 200, .late = 400, .irq = 60}},
    {"errors", {.stall = 100, .late = 100, .irq = 4, .data_error = 6, .code_error = 2}},
};

void replace(std::string& text, const std::string& what, const std::string& by) {
    const auto at = text.find(what);
    if (at == std::string::npos) throw std::logic_error("the generator has no '" + what + "'");
    text.replace(at, what.size(), by);
}

/// The generator's programs know floating-point registers of control and status only; here they
/// take the core's.
void spread_csrs(std::string& text, std::mt19937_64& random) {
    static constexpr std::array kNames = {
        "mscratch", "mepc",   "mcause", "mtval",    "mstatus", "mie",     "mip",   "mcounteren",
        "minstret", "mcycle", "misa",   "mhartid",  "cycle",   "instret", "time",  "marchid",
        "0xb03",    "0x3b0",  "0x7a0",  "0xca0",    "0x320",   "0x30a",   "0xf15", "0xb82",
        "0xc82",    "0x3a1",  "0x310",  "mscratch", "mstatus", "mepc",    "0x123", "0x180"};
    for (const std::string name : {" fflags,", " fcsr,", " frm,"}) {
        for (auto at = text.find(name); at != std::string::npos; at = text.find(name, at))
            text.replace(at, name.size(),
                         " " + std::string(kNames[random() % kNames.size()]) + ",");
    }
}

/// Between them, more of what needs its own operands: machine-level registers, division by zero.
void add_instructions(std::string& text, std::mt19937_64& random) {
    static constexpr std::array kCsrs = {"mscratch", "mepc", "mcause",     "mtval",
                                         "mstatus",  "mie",  "mcounteren", "minstret",
                                         "mhartid",  "mip",  "cycle"};
    static constexpr std::array kAccess = {"csrrw", "csrrs", "csrrc", "csrrwi", "csrrsi", "csrrci"};
    static constexpr std::array kArithmetic = {"div",  "divu",   "rem",   "remu", "mul",
                                               "mulh", "mulhsu", "mulhu", "slt",  "sra"};
    const auto pick = [&](const auto& names) {
        return std::string(names[random() % names.size()]);
    };
    const auto x = [&] { return "x" + std::to_string(10 + random() % 20); };
    const std::string mark = "\ncheckpoint\n";
    for (auto at = text.find(mark); at != std::string::npos; at = text.find(mark, at)) {
        std::string more = "\n";
        for (int i = 0; i < 4; ++i) {
            const std::string access = pick(kAccess);
            more += access + " " + x() + ", " + pick(kCsrs) + ", " +
                    (access.back() == 'i' ? std::to_string(random() % 32) : x()) + "\n";
            more += pick(kArithmetic) + " " + x() + ", " + x() + ", " +
                    (random() % 2 ? std::string("x0") : x()) + "\n";
        }
        text.insert(at, more);
        at += more.size() + mark.size() - 1;
    }
}

std::string program_text(isthmus::sim::test::RandomProgram& generator, u64 start, int repeats) {
    std::string text = generator.text(6, repeats);
    std::mt19937_64 random(start);
    spread_csrs(text, random);
    add_instructions(text, random);
    replace(text, "csrw mtvec, x5\n",
            std::string(start % 2 ? "ori x5, x5, 1\n    " : "") +
                "csrw mtvec, x5\n    li x5, 0x888\n    csrw mie, x5\n    csrsi mstatus, 8\n");
    replace(
        text, "handler:\n    csrw mscratch, x5\n    csrr x5, mepc\n",
        // Vectored interrupts, in every other program, come to the jumps.
        "handler:\n.rept 12\n    j 1f\n.endr\n1:  csrw mscratch, x5\n    csrr x5, mcause\n"
        "    bgez x5, 1f\n"
        "    csrr x5, mscratch\n    mret\n"
        // An error within the handler has lost where it came from: from the start, then.
        "1:  sw x6, -8(x30)\n    la x6, handler\n    csrr x5, mepc\n    bltu x5, x6, 1f\n"
        "    la x5, again\n    csrw mepc, x5\n    lw x6, -8(x30)\n    csrr x5, mscratch\n    mret\n"
        "1:  lw x6, -8(x30)\n");
    // Goes on in user mode or in machine mode.
    replace(text, "    csrr x5, mscratch\n    mret\n.data",
            "    li x5, 0x1800\n    csrs mstatus, x5\n    csrr x5, minstret\n    andi x5, x5, 4\n"
            "    beqz x5, 2f\n    li x5, 0x1800\n    csrc mstatus, x5\n"
            "2:  csrr x5, mscratch\n    mret\n.data");
    return text;
}

bool run(const CoreKind& kind, const Scenario& scenario, u64 instructions, u64 start) {
    u64 done = 0, traps = 0, interrupts = 0, remotes = 0, cycles = 0, programs = 0;
    for (; done < instructions; ++start, ++programs) {
        isthmus::sim::test::Scratch scratch;
        isthmus::sim::test::RandomProgram generator(kind.xlen == 64 ? Xlen::k64 : Xlen::k32,
                                                    static_cast<unsigned>(start));
        // A program that lost its way by an error goes on somewhere; the next one begins anew.
        const u64 share =
            std::min<u64>(instructions - done, scenario.disturbance.data_error ? 40'000 : 100'000);
        const std::string source = scratch / "random.s", object = scratch / "random.o",
                          program = scratch / "random";
        isthmus::sim::test::write_file(source, program_text(generator, start, 1000));
        const bool narrow = kind.xlen == 32;
        const auto built = isthmus::sim::test::run(
            std::string(ISTHMUS_TEST_AS) +
            (narrow ? " -march=rv32gc -mabi=ilp32d " : " -march=rv64gc ") + source + " -o " +
            object + " && riscv64-linux-gnu-ld -N " + (narrow ? "-m elf32lriscv " : "") +
            "-Ttext=0x80000000 -o " + program + " " + object);
        if (built.status != 0) {
            std::fputs(built.output.c_str(), stderr);
            return false;
        }
        Disturbance disturbance = scenario.disturbance;
        disturbance.start = start;
        CoreMachine machine(kind, 1, 1 << 20, disturbance);
        machine.load_elf(program);
        const bool equal = machine.run_instructions(share, share * 100) && machine.memory_equal();
        CheckedCore& core = machine.core(0);
        done += core.retired();
        traps += core.traps();
        interrupts += core.interrupts();
        remotes += core.remotes();
        cycles += core.cycles();
        if (!equal) {
            std::printf("start %" PRIu64 ", scenario %s: %s\n", start, scenario.name.data(),
                        machine.report().c_str());
            return false;
        }
        if (core.retired() < share && !machine.finished()) {
            std::printf("start %" PRIu64 ": too few instructions in the time\n", start);
            return false;
        }
    }
    std::printf("%s %s: %" PRIu64 " instructions of %" PRIu64 " programs equal: %" PRIu64
                " traps, %" PRIu64 " interrupts, %" PRIu64 " remote accesses, %" PRIu64 " cycles\n",
                kind.name, scenario.name.data(), done, programs, traps, interrupts, remotes,
                cycles);
    return true;
}

}  // namespace

int main(int argc, char** argv) {
    const CoreKind* const kind = argc > 1 ? core_kind(argv[1]) : nullptr;
    const Scenario* scenario = nullptr;
    for (const Scenario& each : kScenarios) {
        if (argc > 2 && each.name == argv[2]) scenario = &each;
    }
    if (!kind || !scenario || argc < 4) {
        std::fprintf(stderr, "usage: core_random KIND SCENARIO INSTRUCTIONS [START]\n");
        return 2;
    }
    const u64 start = argc > 4 ? std::strtoull(argv[4], nullptr, 10) : 1;
    return run(*kind, *scenario, std::strtoull(argv[3], nullptr, 10), start) ? 0 : 1;
}
