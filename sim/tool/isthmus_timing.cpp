// isthmus-timing: runs a RISC-V program with xBGAS on the timed machine and reports where the time
// went.
#include <sys/resource.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>

#include "sim/hart/bare_metal.hpp"
#include "sim/linux/process.hpp"
#include "sim/machine/check.hpp"
#include "sim/report/report.hpp"
#include "sim/timing/timed_machine.hpp"
#include "sim/tool/option_checks.hpp"
#include "sim/tool/output_file.hpp"
#include "sim/tool/run_control.hpp"

namespace {

using namespace isthmus::sim;

struct Settings {
    std::string machine_file, mode = "auto", profile = "auto", stats, host_stats, timeline, program;
    std::vector<std::string> machine_settings, environment, arguments;
    std::uint64_t nodes = 0;
    Cycle max_cycles = kNever;
    unsigned threads = 1;
    bool json = false, quiet = false;
    MachineOptions machine;
};

struct Shape {
    std::uint64_t width, height;
    bool at_most(std::uint64_t times) const { return width <= times * height; }
};

/// The most square mesh of so many nodes.
Shape shape_of(std::uint64_t nodes) {
    std::uint64_t height = 1;
    for (std::uint64_t h = 1; h * h <= nodes; ++h) {
        if (nodes % h == 0) height = h;
    }
    return {nodes / height, height};
}

std::string text_of(const Shape& shape) {
    return std::to_string(shape.width) + "x" + std::to_string(shape.height);
}

void shape_mesh(MachineDescription& machine, std::uint64_t nodes, bool quiet) {
    const Shape shape = shape_of(nodes);
    machine.mesh.width = shape.width;
    machine.mesh.height = shape.height;
    if (quiet) return;
    std::string hint;
    if (!shape.at_most(4)) {
        std::uint64_t other = nodes + 1;
        while (!shape_of(other).at_most(2))
            ++other;
        hint = ", where ways are long; " + std::to_string(other) + " nodes would be " +
               text_of(shape_of(other));
    }
    std::fprintf(stderr, "isthmus-timing: %llu nodes are a mesh of %s%s\n",
                 static_cast<unsigned long long>(nodes), text_of(shape).c_str(), hint.c_str());
}

std::string progress_text(Machine& functional, const TimingSimulator& simulator, double seconds) {
    const auto running = std::count_if(functional.nodes().begin(), functional.nodes().end(),
                                       [](const auto& node) { return !node->exited; });
    const double clock = static_cast<double>(simulator.machine().core.clock_mhz);
    char text[200];
    std::snprintf(text, sizeof text,
                  "isthmus-timing: %.1f s, %.3f ms simulated, %.1f million instructions, %lu of "
                  "%zu nodes running",
                  seconds, static_cast<double>(simulator.now()) / clock / 1000,
                  static_cast<double>(simulator.instructions()) / 1e6,
                  static_cast<unsigned long>(running), functional.nodes().size());
    return text;
}

/// The machine's counters, and what became of the program in front of them.
nlohmann::ordered_json report_of(Machine& functional, const TimingSimulator& simulator,
                                 bool finished) {
    nlohmann::ordered_json all = {{"timed", true},
                                  {"program", functional.program().path},
                                  {"finished", finished},
                                  {"exit_code", functional.exit_code()}};
    all.update(report(simulator));
    for (const auto& node : functional.nodes()) {
        nlohmann::ordered_json& counters = all["nodes"][node->id];
        nlohmann::ordered_json one = {
            {"node", node->id},
            {"exit_code", node->exit_code},
            {"exited", node->exited},
            {"cycles", std::min(simulator.nodes()[node->id]->core().now(), simulator.now())}};
        one.update(counters);
        counters = std::move(one);
    }
    return all;
}

nlohmann::ordered_json host_report_of(const TimingSimulator& simulator) {
    nlohmann::ordered_json host = host_report(simulator);
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    host["peak_resident_bytes"] = static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
    return host;
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

MachineDescription machine_of(const Settings& settings) {
    MachineDescription machine =
        settings.machine_file.empty() ? table3() : load_machine(settings.machine_file);
    for (const std::string& setting : settings.machine_settings)
        set_parameter(machine, setting);
    if (settings.nodes != 0 && settings.nodes != machine.nodes()) {
        const bool has_mesh = std::ranges::any_of(
            settings.machine_settings,
            [](const std::string& setting) { return setting.starts_with("mesh."); });
        if (has_mesh)
            throw MachineError("-n asks for " + std::to_string(settings.nodes) +
                               " nodes, --set mesh... makes a mesh of " +
                               text_of({machine.mesh.width, machine.mesh.height}));
        shape_mesh(machine, settings.nodes, settings.quiet);
    }
    check_machine(
        machine, settings.machine_file.empty() ? "sim/machine/table3.json" : settings.machine_file);
    return machine;
}

int run(Settings& settings) {
    const MachineDescription machine = machine_of(settings);
    Program program = Program::load(settings.program);
    const bool bare = is_bare_metal(program, settings.mode);
    if (program.position_independent && !bare) program.move(kLinuxProgramBase);
    MachineOptions& options = settings.machine;
    options.nodes = static_cast<unsigned>(machine.nodes());
    options.profile = program.profile(settings.profile);
    // The namespace table has the last bytes of memory.
    options.memory_bytes = machine.namespace_table_base() - machine.memory.base;
    options.seed = machine.simulation.seed;
    options.arguments = {settings.program};
    options.arguments.insert(options.arguments.end(), settings.arguments.begin(),
                             settings.arguments.end());
    options.environment = settings.environment;
    OutputFile stats(settings.stats, "--stats"), host_stats(settings.host_stats, "--host-stats"),
        timeline_file(settings.timeline, "--timeline");
    Machine functional(std::move(program), options, bare ? boot_bare_metal : boot_linux);
    TimedMachine timed(functional, machine, settings.threads);
    TimingSimulator& simulator = timed.simulator();
    std::optional<Timeline> timeline;
    if (timeline_file) timeline.emplace(simulator);

    ProgressLine progress(!settings.quiet);
    const InterruptGuard guard;
    bool interrupted = false;
    simulator.on_progress = [&] {
        interrupted = InterruptGuard::interrupted();
        if (interrupted) simulator.stop();
        if (progress.due()) progress.show(progress_text(functional, simulator, progress.seconds()));
    };
    const bool finished = timed.run(settings.max_cycles) && !interrupted;
    progress.end();
    std::fflush(stdout);
    const std::string running = finished ? "" : describe(functional.running());
    if (interrupted) functional.exit_nodes(InterruptGuard::kExitCode);

    const nlohmann::ordered_json result = report_of(functional, simulator, finished);
    const nlohmann::ordered_json host = host_report_of(simulator);
    if (stats) stats.write([&](std::ostream& out) { out << result.dump(2) << "\n"; });
    if (host_stats) host_stats.write([&](std::ostream& out) { out << host.dump(2) << "\n"; });
    if (timeline) {
        timeline_file.write([&](std::ostream& out) { timeline->write(out); });
        if (timeline->left_out() != 0 && !settings.quiet)
            std::fprintf(stderr,
                         "isthmus-timing: %s has the first %zu remote operations of each node; "
                         "%zu are left out\n",
                         settings.timeline.c_str(), Timeline::kUsualLimit, timeline->left_out());
    }
    if (settings.json) print(result.dump() + "\n", "--json");
    if (!settings.quiet) print_summary(result, host);
    if (interrupted) {
        std::fprintf(stderr, "isthmus-timing: interrupted after %llu cycles\n%s",
                     static_cast<unsigned long long>(simulator.now()), running.c_str());
    } else if (!finished) {
        std::fprintf(stderr, "isthmus-timing: stopped after %llu cycles (--max-cycles)\n%s",
                     static_cast<unsigned long long>(simulator.now()), running.c_str());
    }
    return finished || interrupted ? exit_status(functional.exit_code()) : 125;
}

void add_options(CLI::App& app, Settings& settings) {
    app.add_option("program", settings.program, "RISC-V executable")->required();
    app.add_option("arguments", settings.arguments,
                   "its arguments; those that begin with a dash after --");
    app.add_option("--machine", settings.machine_file,
                   "machine description; default: Table III of the xBGAS paper");
    app.add_option("--set", settings.machine_settings,
                   "change a parameter: section.key=value (repeatable)")
        ->allow_extra_args(false);
    app.add_option("-n,--nodes", settings.nodes,
                   "nodes; the most square mesh if the machine has another number of them")
        ->check(CLI::Range(1, 1024));
    app.add_option("--profile", settings.profile,
                   "xBGAS encoding: b (2.0.0), a (0.0.7), or auto: as the program says")
        ->check(CLI::IsMember({"auto", "a", "b"}));
    app.add_option("--mode", settings.mode, "how to run the program")
        ->check(CLI::IsMember({"auto", "bare", "linux"}));
    app.add_option("--shared", settings.machine.shared_bytes, "shared region of a node, e.g. 64MB")
        ->transform(CLI::AsSizeValue(false))
        ->transform(not_negative());
    app.add_option("--env", settings.environment, "NAME=VALUE for the program")
        ->allow_extra_args(false)
        ->check(environment_variable());
    app.add_option("--threads", settings.threads, "host threads; the result does not depend on it")
        ->check(CLI::Range(1, 256));
    app.add_option("--max-cycles", settings.max_cycles, "stop after so many simulated cycles")
        ->transform(not_negative());
    app.add_option("--stats", settings.stats, "write all counters to this file as JSON");
    app.add_option("--host-stats", settings.host_stats,
                   "write the host's side to this file as JSON: seconds, instructions a second, "
                   "memory");
    app.add_option("--timeline", settings.timeline,
                   "write remote operations to this file (Perfetto, chrome://tracing), the first " +
                       std::to_string(Timeline::kUsualLimit) + " of each node");
    app.add_flag("--json", settings.json, "print all counters to stdout");
    app.add_flag("--quiet", settings.quiet, "no progress line and no summary on stderr");
    app.footer(
        "Exit code: the program's (of the lowest node with one other than 0); 124 deadlock, 125 "
        "cycle limit, 126\n"
        "wrong argument, machine or program, or a file that cannot be written, 127 a model "
        "invariant broke, 128 + n\n"
        "ended by signal n.");
}

}  // namespace

int main(int argc, char** argv) {
    Settings settings;
    CLI::App app("Runs a RISC-V program with xBGAS on the timed machine", "isthmus-timing");
    add_options(app, settings);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? 0 : 126;
    }
    try {
        return run(settings);
    } catch (const ModelError& error) {
        std::fprintf(stderr, "isthmus-timing: %s\n", error.what());
        return 127;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "isthmus-timing: %s\n", error.what());
        return 126;
    }
}
