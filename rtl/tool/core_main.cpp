// isthmus rtl core (isthmus-core): runs a bare-metal program on Verilated cores, each instruction
// compared with the simulator's. Exit status: the program's; 125 a difference, 124 cycles are over,
// 123 slower than asked for, 2 usage.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>

#include "cosim/alone.hpp"

using namespace isthmus::rtl;

namespace {

constexpr int kUsage = 2, kSlow = 123, kCyclesOver = 124, kDifference = 125;

struct Options {
    std::string program, kind = "rv64", trace, json;
    unsigned nodes = 1, trace_node = 0;
    u64 cycles = 100'000'000, memory_mb = 16;
    Disturbance disturbance;
    double least_ipc = 0;
    bool quiet = false, compare = false;
};

constexpr u64 kStretch = 20'000;  // cycles between looks at the clock

// A line on a terminal, about every half second.
bool run_with_progress(CoreMachine& machine, const Options& o) {
    using Clock = std::chrono::steady_clock;
    const bool shows = !o.quiet && isatty(STDERR_FILENO);
    const auto begin = Clock::now();
    auto told = begin;
    bool equal = true, line = false;
    for (u64 done = 0; equal && done < o.cycles && !machine.finished(); done += kStretch) {
        equal = machine.run(std::min(kStretch, o.cycles - done));
        const auto now = Clock::now();
        if (!shows || now - told < std::chrono::milliseconds(500)) continue;
        told = now;
        line = true;
        const double seconds = std::chrono::duration<double>(now - begin).count();
        std::fprintf(stderr, "\r%" PRIu64 " instructions equal, %.0f k/s ", machine.retired(),
                     static_cast<double>(machine.retired()) / seconds / 1000);
    }
    if (line) std::fputs("\r\x1b[K", stderr);
    return equal;
}

bool write_json(const Options& o, CoreMachine& machine, bool equal, int status,
                const AloneResult* alone) {
    nlohmann::ordered_json report;
    report["program"] = o.program;
    report["core"] = o.kind;
    report["equal"] = equal;
    report["exit_status"] = status;
    for (unsigned node = 0; node < o.nodes; ++node) {
        const CheckedCore& core = machine.core(node);
        report["nodes"].push_back({{"instructions", core.retired()},
                                   {"traps", core.traps()},
                                   {"interrupts", core.interrupts()},
                                   {"remote_accesses", core.remotes()},
                                   {"table_reads", core.walks()},
                                   {"cycles", core.cycles()}});
    }
    if (!equal) report["difference"] = machine.report();
    if (alone)
        report["memory"] = {{"words_compared", alone->compared}, {"words_differ", alone->differ}};
    std::ofstream file(o.json);
    file << report.dump(2) << "\n";
    file.close();
    if (file) return true;
    std::fprintf(stderr, "isthmus rtl core: cannot write %s\n", o.json.c_str());
    return false;
}

int run(const Options& o) {
    const CoreKind* const kind = core_kind(o.kind);
    if (!kind) {
        std::fprintf(stderr, "isthmus rtl core: no core is called '%s'; there are %s\n",
                     o.kind.c_str(), core_kinds().c_str());
        return kUsage;
    }
    CoreMachine machine(*kind, o.nodes, o.memory_mb << 20, o.disturbance);
    if (!o.trace.empty()) machine.core(o.trace_node).gates().trace(o.trace);
    machine.load_elf(o.program);
    bool equal = run_with_progress(machine, o);
    const bool finished = machine.finished();
    if (equal) equal = machine.memory_equal();
    std::optional<AloneResult> alone;
    if (equal && finished && o.compare)
        alone = compare_alone(machine, o.program, o.memory_mb << 20);
    int status = 0;
    bool slow = false;
    for (unsigned node = 0; node < o.nodes; ++node) {
        CheckedCore& core = machine.core(node);
        std::fputs(core.output().c_str(), stdout);
        const double ipc = static_cast<double>(core.retired()) / static_cast<double>(core.cycles());
        slow = slow || ipc < o.least_ipc;
        if (!o.quiet)
            std::printf("core %u: %" PRIu64 " instructions, %" PRIu64 " traps, %" PRIu64
                        " interrupts, %" PRIu64 " remote accesses, %" PRIu64 " cycles, IPC %.3f\n",
                        node, core.retired(), core.traps(), core.interrupts(), core.remotes(),
                        core.cycles(), ipc);
        if (status == 0 && core.exit_code()) status = static_cast<int>(*core.exit_code());
    }
    if (alone && !o.quiet)
        std::printf("%" PRIu64 " words of memory compared with the simulator's alone, %" PRIu64
                    " differ\n",
                    alone->compared, alone->differ);
    const bool other = alone && (alone->differ != 0 || alone->exit_code != status);
    const int judged = !equal || other ? kDifference : !finished ? kCyclesOver : status;
    if (!o.json.empty() && !write_json(o, machine, equal, judged, alone ? &*alone : nullptr))
        return kUsage;
    if (!equal) {
        std::fputs(machine.report().c_str(), stderr);
        return kDifference;
    }
    if (other) {
        for (const std::string& line : alone->where)
            std::fprintf(stderr, "%s\n", line.c_str());
        std::fprintf(stderr,
                     "isthmus rtl core: the simulator alone ends with %d, the gates with %d\n",
                     alone->exit_code, status);
        return kDifference;
    }
    if (!finished) {
        std::fprintf(stderr, "isthmus rtl core: %" PRIu64 " cycles are over\n", o.cycles);
        return kCyclesOver;
    }
    if (status == 0 && slow) {
        std::fprintf(stderr, "isthmus rtl core: fewer than %.2f instructions a cycle\n",
                     o.least_ipc);
        return kSlow;
    }
    return status;
}

}  // namespace

int main(int argc, char** argv) try {
    Options o;
    CLI::App app("Runs a bare-metal program on cores in gates, beside the simulator",
                 "isthmus rtl core");
    app.add_option("program", o.program, "ELF file with a symbol tohost")->required();
    app.add_option("-n", o.nodes, "nodes")->check(CLI::Range(1u, 64u));
    app.add_option("--core", o.kind, "configuration of the gates: " + core_kinds());
    app.add_option("--cycles", o.cycles, "at most");
    app.add_option("--memory", o.memory_mb, "of a node, MB")->check(CLI::Range(u64{1}, u64{1024}));
    app.add_option("--stall", o.disturbance.stall, "of 1024 requests that are not taken at once");
    app.add_option("--late", o.disturbance.late, "of 1024 answers that are a cycle later");
    app.add_option("--irq", o.disturbance.irq, "of 1024 cycles in which an interrupt line changes");
    app.add_option("--data-errors", o.disturbance.data_error, "of 16384 accesses that fail");
    app.add_option("--code-errors", o.disturbance.code_error, "of 16384 fetches that fail");
    app.add_option("--start", o.disturbance.start, "of the random numbers");
    app.add_option("--trace", o.trace, "waveform (VCD); cycle n stands at 2 n + 6");
    app.add_option("--trace-node", o.trace_node, "whose");
    app.add_option("--least-ipc", o.least_ipc, "instructions a cycle that are a must");
    app.add_flag("--compare", o.compare,
                 "run it on the simulator alone as well: memory at the end must be the same");
    app.add_option("--json", o.json, "write what was counted to FILE")->type_name("FILE");
    app.add_flag("--quiet", o.quiet, "the program's output only");
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? 0 : kUsage;
    }
    return run(o);
} catch (const std::exception& error) {
    std::fprintf(stderr, "isthmus rtl core: %s\n", error.what());
    return kUsage;
}
