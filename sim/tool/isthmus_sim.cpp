// isthmus-sim: runs a RISC-V program with xBGAS on 1 to 1024 nodes.

#include <sys/resource.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "sim/debug/gdb_server.hpp"
#include "sim/hart/bare_metal.hpp"
#include "sim/hart/commit_log.hpp"
#include "sim/hart/communication.hpp"
#include "sim/hart/machine_rounds.hpp"
#include "sim/linux/process.hpp"
#include "sim/tool/option_checks.hpp"
#include "sim/tool/output_file.hpp"
#include "sim/tool/run_control.hpp"
#include "sim/tool/spread.hpp"

namespace {

using namespace isthmus::sim;

struct Settings {
    std::string program;
    std::vector<std::string> arguments;
    MachineOptions machine;
    std::string profile = "auto", mode = "auto";
    std::string stats, log_commits, trace;
    std::string machine_file, timeline, max_cycles;
    std::vector<std::string> machine_settings;
    bool timed = false;
    std::vector<std::string> environment;
    bool json = false, quiet = false, count = false, trace_to_stderr = false;
    bool sets_memory = false;
    int gdb_port = -1;
    unsigned processes = 1;
};

nlohmann::json statistics(Machine& machine, double seconds, bool finished) {
    nlohmann::json nodes = nlohmann::json::array();
    nlohmann::json traps = nlohmann::json::object();
    for (const auto& node : machine.nodes()) {
        if (!machine.owns(node->id)) continue;
        std::uint64_t decoded = 0;
        for (const auto& hart : node->harts) {
            decoded += hart->blocks.decoded();
            for (unsigned cause = 0; cause < 16; ++cause) {
                if (hart->trap_counts[cause] == 0) continue;
                const std::string name(cause_name(static_cast<Cause>(cause)));
                traps[name] = traps.value(name, std::uint64_t{0}) + hart->trap_counts[cause];
            }
        }
        const NodeCounters& c = node->counters;
        nodes.push_back({{"node", node->id},
                         {"exit_code", node->exit_code},
                         {"exited", node->exited},
                         {"harts", node->harts.size()},
                         {"instructions", node->retired()},
                         {"decoded_instructions", decoded},
                         {"remote_loads", c.remote_loads},
                         {"remote_stores", c.remote_stores},
                         {"remote_atomics", c.remote_atomics},
                         {"bulk_transfers", c.bulk_transfers},
                         {"remote_bytes", c.remote_bytes},
                         {"own_node_accesses", c.local_namespace},
                         {"system_calls", c.system_calls},
                         {"yields", c.yields},
                         {"resident_bytes", node->memory.resident_bytes()}});
    }
    const std::uint64_t retired = machine.retired();
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return {{"timed", false},
            {"program", machine.program().path},
            {"nodes", machine.nodes().size()},
            {"finished", finished},
            {"exit_code", machine.exit_code()},
            {"instructions", retired},
            {"seconds", seconds},
            {"mips", seconds > 0 ? static_cast<double>(retired) / seconds / 1e6 : 0.0},
            {"peak_resident_bytes", static_cast<std::uint64_t>(usage.ru_maxrss) * 1024},
            {"traps", traps},
            {"per_node", nodes}};
}

/// The file of one node: the name itself if there is only one.
std::string file_of_node(const std::string& name, unsigned node, unsigned nodes) {
    return nodes == 1 || name == "-" ? name : name + "." + std::to_string(node);
}

nlohmann::json counted(const Machine& machine, const std::vector<CommunicationCounter>& counters) {
    nlohmann::json nodes = nlohmann::json::array();
    CommunicationCounter all = counters.front();
    all.program = all.communication = all.waiting = 0;
    for (unsigned i = 0; i < counters.size(); ++i) {
        if (!machine.owns(i)) continue;
        const CommunicationCounter& one = counters[i];
        nodes.push_back({{"program", one.program},
                         {"communication", one.communication},
                         {"waiting", one.waiting}});
        all.program += one.program;
        all.communication += one.communication;
        all.waiting += one.waiting;
    }
    return {{"program", all.program},
            {"communication", all.communication},
            {"waiting", all.waiting},
            {"per_node", nodes}};
}

/// Reports of several processes, each of its nodes, as the one of all nodes.
nlohmann::json merged(const std::vector<std::string>& texts) {
    nlohmann::json all;
    const auto add = [](nlohmann::json& to, const nlohmann::json& from, const char* key) {
        to[key] = to[key].get<std::uint64_t>() + from[key].get<std::uint64_t>();
    };
    const auto append = [](nlohmann::json& to, const nlohmann::json& from) {
        for (const auto& one : from["per_node"])
            to["per_node"].push_back(one);
    };
    for (const std::string& text : texts) {
        const nlohmann::json one = nlohmann::json::parse(text);
        if (all.is_null()) {
            all = one;
            continue;
        }
        add(all, one, "instructions");
        add(all, one, "peak_resident_bytes");
        append(all, one);
        all["mips"] = all["mips"].get<double>() + one["mips"].get<double>();
        all["seconds"] = std::max(all["seconds"].get<double>(), one["seconds"].get<double>());
        if (all["exit_code"] == 0) all["exit_code"] = one["exit_code"];
        for (const auto& [cause, count] : one["traps"].items())
            all["traps"][cause] =
                all["traps"].value(cause, std::uint64_t{0}) + count.get<std::uint64_t>();
        if (!one.contains("counted")) continue;
        for (const char* key : {"program", "communication", "waiting"})
            add(all["counted"], one["counted"], key);
        append(all["counted"], one["counted"]);
    }
    return all;
}

/// Each process knows its own nodes; all of them call.
std::vector<Whereabouts> running_everywhere(const Machine& machine, Spread* spread) {
    std::vector<Whereabouts> all = machine.running();
    if (spread == nullptr) return all;
    nlohmann::json own = nlohmann::json::array();
    for (const auto& [place, harts] : all)
        own.push_back({place, harts});
    all.clear();
    for (const std::string& text : spread->gather(own.dump())) {
        for (const auto& one : nlohmann::json::parse(text))
            add_harts(all, {one[0].get<std::string>(), one[1].get<std::vector<std::string>>()});
    }
    return all;
}

bool run_machine(Machine& machine, const Settings& settings, nlohmann::json& counts) {
    if (settings.gdb_port >= 0) {
        GdbServer server(machine);
        std::fprintf(stderr, "isthmus-sim: GDB port %d\n", server.listen(settings.gdb_port));
        if (server.serve()) return true;
        if (server.killed()) {
            machine.exit_nodes(137);
            return true;
        }
    }
    const unsigned nodes = static_cast<unsigned>(machine.nodes().size());
    const std::string& name = settings.trace.empty() ? settings.log_commits : settings.trace;
    if (settings.count) {
        const CommunicationMap map(machine.program());
        std::vector<CommunicationCounter> counters(nodes, CommunicationCounter(map));
        const bool finished = machine.run(std::span(counters));
        counts = counted(machine, counters);
        return finished;
    }
    if (name.empty()) return machine.run();
    std::vector<CommitLog> logs;
    logs.reserve(nodes);
    const bool share_one = nodes > 1 && name == "-";
    for (unsigned i = 0; i < nodes; ++i)
        logs.emplace_back(file_of_node(name, i, nodes), !settings.trace.empty(),
                          share_one ? "node " + std::to_string(i) + " " : "");
    const bool finished = machine.run(std::span(logs));
    for (CommitLog& log : logs)
        log.finish();
    return finished;
}

std::string progress_text(Machine& machine, double seconds) {
    const auto running = std::count_if(machine.nodes().begin(), machine.nodes().end(),
                                       [](const auto& node) { return !node->exited; });
    const double millions = static_cast<double>(machine.retired()) / 1e6;
    char text[160];
    std::snprintf(text, sizeof text,
                  "isthmus-sim: %.1f s, %.1f million instructions, %.0f MIPS, %lu of %zu nodes "
                  "running",
                  seconds, millions, millions / seconds, static_cast<unsigned long>(running),
                  machine.nodes().size());
    return text;
}

/// Throws std::runtime_error if the settings do not fit.
bool runs_bare(const Settings& settings, const Program& program) {
    const bool bare = is_bare_metal(program, settings.mode);
    if (settings.sets_memory && !bare)
        throw std::runtime_error("--memory is for the bare machine: a Linux program such as " +
                                 settings.program +
                                 " has the memory that it maps; leave --memory out");
    return bare;
}

int run(Settings& settings) {
    const Program program = Program::load(settings.program);
    MachineOptions& options = settings.machine;
    options.profile = program.profile(settings.profile);
    options.arguments = {settings.program};
    options.arguments.insert(options.arguments.end(), settings.arguments.begin(),
                             settings.arguments.end());
    options.environment = settings.environment;
    const bool bare = runs_bare(settings, program);
    Program moved = program;
    if (program.position_independent && !bare) moved.move(kLinuxProgramBase);

    const std::unique_ptr<Spread> spread = make_spread(options.nodes);
    options.spread = spread.get();
    const bool speaks = spread == nullptr || spread->first() == 0;
    OutputFile stats(speaks ? settings.stats : "", "--stats");
    Machine machine(std::move(moved), options, bare ? boot_bare_metal : boot_linux);
    ProgressLine progress(!settings.quiet && speaks);
    // The debugger and the launcher of several processes take the signal as it is.
    std::optional<InterruptGuard> guard;
    if (spread == nullptr && settings.gdb_port < 0) guard.emplace();
    bool interrupted = false;
    std::string running;
    machine.on_progress = [&] {
        if (guard && InterruptGuard::interrupted()) {
            interrupted = true;
            running = describe(machine.running());
            machine.exit_nodes(InterruptGuard::kExitCode);
        }
        if (progress.due()) progress.show(progress_text(machine, progress.seconds()));
    };
    nlohmann::json counts;
    const bool finished = run_machine(machine, settings, counts) && !interrupted;
    const double seconds = progress.seconds();
    progress.end();
    std::fflush(stdout);
    if (interrupted) {
        std::fprintf(stderr, "isthmus-sim: interrupted after %.1f s\n%s", seconds, running.c_str());
    } else if (!finished) {
        running = describe(running_everywhere(machine, spread.get()));
        if (speaks)
            std::fprintf(stderr,
                         "isthmus-sim: stopped after %lu instructions per node "
                         "(--max-instructions)\n%s",
                         static_cast<unsigned long>(options.max_instructions), running.c_str());
    }
    nlohmann::json report = statistics(machine, seconds, finished);
    if (settings.count) report["counted"] = counts;
    if (spread != nullptr) report = merged(spread->gather(report.dump()));
    if (stats) stats.write([&](std::ostream& out) { out << report.dump(2) << "\n"; });
    if (settings.json && speaks) print(report.dump() + "\n", "--json");
    const int code = finished || interrupted ? exit_status(report["exit_code"].get<int>()) : 125;
    // The launcher would tell of a process that failed; it is the program that did.
    if (spread != nullptr && code != 0) spread->end(code);
    return code;
}

/// The same command line in as many processes, as a job of the library.
int run_processes(const Settings& settings, int argc, char** argv) {
    for (const auto& [given, option] :
         {std::pair{settings.gdb_port >= 0, "--gdb"},
          std::pair{settings.machine.threads != 1, "--threads"},
          std::pair{!settings.log_commits.empty() || !settings.trace.empty(),
                    "--log-commits and --trace"}}) {
        if (given)
            throw std::runtime_error(std::string(option) +
                                     " works in one process only: leave --processes out");
    }
    // What can be refused at once is refused once.
    const OutputFile writable(settings.stats, "--stats");
    runs_bare(settings, Program::load(settings.program));
    if (settings.processes > settings.machine.nodes)
        throw std::runtime_error(std::to_string(settings.processes) + " processes for " +
                                 std::to_string(settings.machine.nodes) +
                                 " nodes: each needs one at least (--processes, -n)");
    std::error_code ignored;
    const auto folder = std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path();
    const std::string launcher = folder / "isthmus", tool = folder / "isthmus-sim-processes";
    const std::string processes = std::to_string(settings.processes);
    std::vector<std::string> words = {"isthmus", "run", "-n", processes, tool};
    for (int i = 1; i < argc; ++i)
        words.emplace_back(argv[i]);
    std::vector<char*> pointers;
    for (std::string& word : words)
        pointers.push_back(word.data());
    pointers.push_back(nullptr);
    execv(launcher.c_str(), pointers.data());
    throw std::runtime_error(launcher + " cannot be run: " + std::strerror(errno));
}

/// Nothing that was asked for is left out without a word.
void refuse_contradictions(const CLI::App& given) {
    const auto refuse = [&](const char* one, const char* other) {
        if (given.count(one) == 0 || given.count(other) == 0) return;
        throw std::runtime_error(std::string(one) + " and " + other +
                                 " do not work together: leave one of them out");
    };
    if (given.count("--max-cycles") != 0)
        throw std::runtime_error(
            "--max-cycles works in time only: add --timed or --machine, or count "
            "--max-instructions");
    // A run has one observer.
    constexpr std::array observers = {"--gdb", "--count", "--log-commits", "--trace",
                                      "--trace-file"};
    for (std::size_t i = 0; i < observers.size(); ++i) {
        for (std::size_t k = i + 1; k < observers.size(); ++k)
            refuse(observers[i], observers[k]);
    }
}

/// With a machine description the program runs in time: isthmus-timing, beside this tool, takes
/// over.
int run_timed(const Settings& settings, const CLI::App& given) {
    if (settings.sets_memory)
        throw std::runtime_error(
            "--memory works without time only: in time, a node's memory is the machine's, "
            "--set memory.mebibytes=...");
    for (const char* option : {"--gdb", "--count", "--trace", "--trace-file", "--log-commits",
                               "--processes", "--quantum", "--seed", "--max-instructions",
                               "--strict-e", "--interpret", "--host-clock"}) {
        if (given.count(option) != 0)
            throw std::runtime_error(std::string(option) +
                                     " works without time only: leave --machine, --timed, --set "
                                     "and --timeline out");
    }
    std::error_code ignored;
    const auto tool =
        std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path() / "isthmus-timing";
    std::vector<std::string> words = {"isthmus-timing"};
    const auto add = [&](const char* option, const std::string& value) {
        if (!value.empty()) words.insert(words.end(), {option, value});
    };
    add("--machine", settings.machine_file);
    for (const std::string& setting : settings.machine_settings)
        add("--set", setting);
    add("--stats", settings.stats);
    add("--timeline", settings.timeline);
    add("--max-cycles", settings.max_cycles);
    for (const std::string& variable : settings.environment)
        add("--env", variable);
    add("--mode", settings.mode);
    add("--profile", settings.profile);
    add("--shared", std::to_string(settings.machine.shared_bytes));
    add("--threads", std::to_string(settings.machine.threads));
    if (settings.json) words.emplace_back("--json");
    if (settings.quiet) words.emplace_back("--quiet");
    // Without it, as many as the description has.
    if (given.count("-n") != 0) add("-n", std::to_string(settings.machine.nodes));
    words.insert(words.end(), {"--", settings.program});
    words.insert(words.end(), settings.arguments.begin(), settings.arguments.end());
    std::vector<char*> pointers;
    for (std::string& word : words)
        pointers.push_back(word.data());
    pointers.push_back(nullptr);
    execv(tool.c_str(), pointers.data());
    throw std::runtime_error(tool.string() + " cannot be run: " + std::strerror(errno));
}

}  // namespace

int main(int argc, char** argv) {
    Settings settings;
    CLI::App app{"Runs a RISC-V program with the xBGAS extension on 1 to 1024 nodes.",
                 "isthmus-sim"};
    app.footer(
        "A program with a symbol tohost runs on the bare machine, a static Linux executable as a "
        "user program.\n"
        "Exit code: the program's (of the lowest node with one other than 0); 124 deadlock, 125 "
        "instruction limit,\n"
        "126 the simulator could not start or not write what was asked for, 128 + n ended by "
        "signal n.");
    app.add_option("program", settings.program, "RISC-V executable")->required();
    app.add_option("arguments", settings.arguments,
                   "Its arguments; those that begin with a dash after --");
    MachineOptions& machine = settings.machine;
    app.add_option("-n,--nodes", machine.nodes,
                   "Nodes, each running the program; in time, without it, the machine's")
        ->check(CLI::Range(1, 1024));
    app.add_option("--profile", settings.profile,
                   "xBGAS encoding: b (2.0.0), a (0.0.7), or auto: as the program says")
        ->check(CLI::IsMember({"auto", "a", "b"}));
    app.add_option("--mode", settings.mode, "How to run the program")
        ->check(CLI::IsMember({"auto", "bare", "linux"}));
    app.add_option("--memory", machine.memory_bytes, "Memory of a node (bare machine), e.g. 512MB")
        ->transform(CLI::AsSizeValue(false))
        ->transform(not_negative());
    app.add_option("--shared", machine.shared_bytes, "Shared region of a node, e.g. 64MB")
        ->transform(CLI::AsSizeValue(false))
        ->transform(not_negative());
    app.add_option("--quantum", machine.quantum,
                   "Instructions a node runs before the next one's turn")
        ->transform(not_negative());
    app.add_option("--seed", machine.seed, "Chooses the order in which nodes are served")
        ->transform(not_negative());
    app.add_option("--threads", machine.threads, "Host threads; the result does not depend on it")
        ->check(CLI::Range(1, 256));
    app.add_option("--processes", settings.processes,
                   "Share the nodes out over so many processes; the result does not depend on it")
        ->check(CLI::Range(1, 1024));
    app.add_option("--max-instructions", machine.max_instructions,
                   "Stop a node after so many; 0: never")
        ->transform(not_negative());
    app.add_option("--max-cycles", settings.max_cycles, "In time: stop after so many")
        ->check(CLI::TypeValidator<std::uint64_t>())
        ->transform(not_negative());
    app.add_flag("--strict-e", machine.strict_e,
                 "Trap if e0..e9 address memory, as the specification says");
    app.add_flag("!--interpret", machine.translate, "Do not translate hot code to host code");
    app.add_flag("--host-clock", machine.host_clock,
                 "Linux programs see and wait by real time; runs do not repeat exactly");
    app.add_option("--env", settings.environment, "NAME=VALUE for the program")
        ->allow_extra_args(false)
        ->check(environment_variable());
    app.add_option("--stats", settings.stats, "Write counters to this file as JSON");
    app.add_option(
        "--machine", settings.machine_file,
        "Run in time, on the machine that this file describes (docs/machine.md); table3.json "
        "where there is none is the built-in one");
    app.add_flag("--timed", settings.timed, "Run in time, on the machine of the paper's Table III");
    app.add_option("--set", settings.machine_settings, "section.key=value of that machine")
        ->allow_extra_args(false);
    app.add_option("--timeline", settings.timeline,
                   "In time: write remote operations to this file (Perfetto), the first 100000 of "
                   "each node");
    app.add_flag("--count", settings.count,
                 "Count the instructions of communication, of waiting and of the program; between "
                 "benchmark_begin and benchmark_end if it has them");
    app.add_flag("--json", settings.json, "Print the counters to stdout as one line of JSON");
    app.add_option("--log-commits", settings.log_commits,
                   "Write a commit log (Spike's form); one file per node: FILE.0 ...");
    app.add_flag("--trace", settings.trace_to_stderr, "Write a readable trace to stderr");
    app.add_option("--trace-file", settings.trace,
                   "Write a readable trace to this file; one per node: FILE.0 ...");
    app.add_option("--gdb", settings.gdb_port, "Wait for GDB on this TCP port of localhost")
        ->check(CLI::Range(1, 65535));
    app.add_flag("--quiet", settings.quiet, "No progress line");
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? 0 : 126;
    }
    settings.sets_memory = app.count("--memory") != 0;
    if (settings.trace_to_stderr && settings.trace.empty()) settings.trace = "-";
    try {
        if (settings.timed || !settings.machine_file.empty() ||
            !settings.machine_settings.empty() || !settings.timeline.empty()) {
            return run_timed(settings, app);
        }
        refuse_contradictions(app);
        if (settings.processes != 1 && !kSpreads) return run_processes(settings, argc, argv);
        return run(settings);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "isthmus-sim: %s\n", error.what());
        return 126;
    }
}
