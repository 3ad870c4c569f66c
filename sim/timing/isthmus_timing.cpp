// isthmus-timing: runs a RISC-V program with xBGAS on the timed machine and reports where the time
// went.
#include <sys/resource.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>

#include "sim/hart/bare_metal.hpp"
#include "sim/linux/process.hpp"
#include "sim/machine/check.hpp"
#include "sim/statistics/report.hpp"
#include "sim/timing/timed_machine.hpp"

namespace {

using namespace isthmus::sim;

/// The most square mesh of so many nodes.
void shape_mesh(MachineDescription& machine, std::uint64_t nodes) {
    std::uint64_t height = 1;
    for (std::uint64_t h = 1; h * h <= nodes; ++h) {
        if (nodes % h == 0) height = h;
    }
    machine.mesh.height = height;
    machine.mesh.width = nodes / height;
}

void print_summary(const nlohmann::ordered_json& report, const nlohmann::ordered_json& host) {
    const auto& total = report["total"];
    const double cycles = report["cycles"].get<double>();
    std::fprintf(
        stderr,
        "%.0f cycles (%.3f ms simulated), %llu instructions, %.3f instructions a cycle and node\n",
        cycles, cycles / report["machine"]["core"]["clock_mhz"].get<double>() / 1000,
        total["instructions"].get<unsigned long long>(),
        total["instructions_per_cycle_and_node"].get<double>());
    for (const auto& [kind, latency] : report["remote_latency"].items()) {
        if (latency["count"] == 0) continue;
        std::fprintf(stderr, "remote %-8s %10llu   mean %8.1f   p50 %6llu   p99 %6llu cycles\n",
                     kind.c_str(), latency["count"].get<unsigned long long>(),
                     latency["mean"].get<double>(), latency["p50"].get<unsigned long long>(),
                     latency["p99"].get<unsigned long long>());
    }
    std::fprintf(stderr, "host: %.2f s, %.2f million instructions a second\n",
                 host["seconds"].get<double>(),
                 host["instructions_per_second"].get<double>() / 1e6);
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app("Runs a RISC-V program with xBGAS on the timed machine");
    std::string file, mode = "auto", profile = "b", stats, host_stats, timeline_file;
    std::vector<std::string> settings, environment;
    std::uint64_t nodes = 0;
    Cycle max_cycles = kNever;
    unsigned threads = 1;
    bool json = false, quiet = false;
    MachineOptions options;
    app.add_option("--machine", file, "machine description; default: Table III of the xBGAS paper");
    app.add_option("--set", settings, "change a parameter: section.key=value (repeatable)")
        ->allow_extra_args(false);
    app.add_option("-n,--nodes", nodes,
                   "nodes; the most square mesh if the machine has another number of them")
        ->check(CLI::Range(1, 1024));
    app.add_option("--profile", profile, "xBGAS encoding: b (2.0.0) or a (0.0.7)")
        ->check(CLI::IsMember({"a", "b"}));
    app.add_option("--mode", mode, "how to run the program")
        ->check(CLI::IsMember({"auto", "bare", "linux"}));
    app.add_option("--shared", options.shared_bytes, "shared region of a node, e.g. 64MB")
        ->transform(CLI::AsSizeValue(false));
    app.add_option("--env", environment, "NAME=VALUE for the program")->allow_extra_args(false);
    app.add_option("--threads", threads, "host threads; the result does not depend on it")
        ->check(CLI::Range(1, 256));
    app.add_option("--max-cycles", max_cycles, "stop after so many simulated cycles");
    app.add_option("--stats", stats, "write all counters to this file as JSON");
    app.add_option("--host-stats", host_stats,
                   "write the host's side to this file as JSON: seconds, instructions a second, "
                   "memory");
    app.add_option("--timeline", timeline_file,
                   "write remote operations to this file (Perfetto, chrome://tracing)");
    app.add_flag("--json", json, "print all counters to stdout");
    app.add_flag("--quiet", quiet, "no summary on stderr");
    app.prefix_command();
    app.footer(
        "Exit code: the program's (of the lowest node with one other than 0); 125 cycle limit, 126 "
        "wrong argument, "
        "machine or program, 127 a model invariant broke.");
    CLI11_PARSE(app, argc, argv);
    const std::vector<std::string> rest = app.remaining();
    if (rest.empty()) {
        std::fputs(
            "isthmus-timing: no program given; usage: isthmus-timing [options] PROGRAM "
            "[arguments], see --help\n",
            stderr);
        return 126;
    }
    try {
        MachineDescription machine = file.empty() ? table3() : load_machine(file);
        for (const std::string& setting : settings)
            set_parameter(machine, setting);
        if (nodes != 0 && nodes != machine.nodes()) shape_mesh(machine, nodes);
        check_machine(machine, file.empty() ? "sim/machine/table3.json" : file);

        Program program = Program::load(rest.front());
        const bool bare =
            mode == "bare" || (mode == "auto" && program.symbol("tohost").has_value());
        if (program.position_independent && !bare) program.move(0x40'0000);
        options.nodes = static_cast<unsigned>(machine.nodes());
        options.profile = profile == "a" ? Profile::kA : Profile::kB;
        // The namespace table has the last bytes of memory.
        options.memory_bytes = machine.namespace_table_base() - machine.memory.base;
        options.seed = machine.simulation.seed;
        options.arguments = rest;
        options.environment = environment;
        Machine functional(std::move(program), options, bare ? boot_bare_metal : boot_linux);
        TimedMachine timed(functional, machine, threads);
        std::unique_ptr<Timeline> timeline;
        if (!timeline_file.empty()) timeline = std::make_unique<Timeline>(timed.simulator());
        const bool finished = timed.run(max_cycles);
        std::fflush(stdout);

        const nlohmann::ordered_json result = report(timed.simulator());
        if (!stats.empty()) {
            std::ofstream out(stats);
            out << result.dump(2) << "\n";
            if (!out) throw std::runtime_error(stats + ": cannot be written (--stats)");
        }
        if (!host_stats.empty()) {
            nlohmann::ordered_json host = host_report(timed.simulator());
            rusage usage{};
            getrusage(RUSAGE_SELF, &usage);
            host["peak_resident_bytes"] = static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
            std::ofstream out(host_stats);
            out << host.dump(2) << "\n";
            if (!out) throw std::runtime_error(host_stats + ": cannot be written (--host-stats)");
        }
        if (timeline) {
            std::ofstream out(timeline_file);
            timeline->write(out);
            if (!out) throw std::runtime_error(timeline_file + ": cannot be written (--timeline)");
        }
        if (json) std::cout << result.dump() << "\n";
        if (!quiet) print_summary(result, host_report(timed.simulator()));
        if (!finished) {
            std::fprintf(stderr, "isthmus-timing: stopped after %llu cycles (--max-cycles)\n",
                         static_cast<unsigned long long>(timed.simulator().now()));
        }
        return finished ? exit_status(functional.exit_code()) : 125;
    } catch (const ModelError& error) {
        std::fprintf(stderr, "isthmus-timing: %s\n", error.what());
        return 127;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "isthmus-timing: %s\n", error.what());
        return 126;
    }
}
