// How fast the simulator is and what it needs: instructions a second without time against Spike and
// qemu, with time on two cores, memory of a node that does nothing.
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <thread>

#include "harness/statistics.hpp"
#include "xbgas/group.hpp"
#include "xbgas/machine.hpp"

namespace isthmus::bench {
namespace {

double middle(std::vector<double> values) {
    std::ranges::sort(values);
    return values[values.size() / 2];
}

// Millions of the loop's instructions in a second of processor time, start-up subtracted. 0: it
// failed, and `reason` says why.
double loop_rate(const std::vector<std::string>& simulator, const std::string& program,
                 const char* loop, std::uint64_t rounds, std::string& reason) {
    const auto run = [&](std::uint64_t n, double& instructions) {
        Command command;
        command.limit_seconds = 120;
        command.arguments = simulator;
        command.arguments.insert(command.arguments.end(),
                                 {program, "--loop", loop, "--rounds", std::to_string(n)});
        const Finished finished = run_command(command);
        const auto records = parse_records(finished.output);
        if (!finished.succeeded() || records.empty() || records.front().count("valid") == 0 ||
            records.front().at("valid") != "yes") {
            reason = simulator.front() + ": " + finished.last_words();
            return -1.0;
        }
        instructions = number(records.front(), "instructions");
        return finished.cpu_seconds;
    };
    double few = 0, many = 0;
    const double base = run(1, few), all = run(rounds, many);
    if (base < 0 || all <= base) return 0;
    return (many - few) / (all - base) / 1e6;
}

// The same for a simulator without system calls, by programs that have their rounds built in (1 and
// those here).
constexpr double kBareRounds = 100'000'000;
double bare_rate(const std::string& simulator, const std::string& program, int instructions,
                 std::string& reason) {
    const auto run = [&](const char* rounds) {
        Command command;
        command.limit_seconds = 120;
        command.arguments = {simulator, program + rounds};
        const Finished finished = run_command(command);
        if (!finished.succeeded()) reason = simulator + ": " + finished.last_words();
        return finished.succeeded() ? finished.cpu_seconds : -1;
    };
    const double base = run("_few"), all = run("_many");
    return base < 0 || all <= base ? 0 : (kBareRounds - 1) * instructions / (all - base) / 1e6;
}

void measure_loops(Run& run) {
    const std::string program = riscv_program(run, "plain", "loops");
    const std::string simulator = simulator_tool("isthmus-sim");
    const std::string qemu = find_program("qemu-riscv64"), spike = find_program("spike");
    struct Loop {
        const char* name;
        const char* claim;
        int instructions;
        double cited;
    };
    // The upper end of what was measured of Spike on a machine like the house's.
    constexpr Loop kLoops[] = {
        {"alu", "functional speed, loop of 5 integer instructions", 5, 441},
        {"memory", "functional speed, loop of 8 with load, store, multiplication", 8, 418}};
    const int turns = run.options().quick ? 1 : 3;
    for (const auto& [name, claim, instructions, cited] : kLoops) {
        run.progress(claim);
        Row row;
        row.claim = claim;
        row.unit = "MIPS";
        row.must = at_least(cited);
        row.peer = "Spike (cited)";
        row.peer_value = cited;
        if (access(program.c_str(), X_OK) != 0) {
            row.reason = kNoCrossCompiler;
            run.add(row);
            continue;
        }
        std::vector<double> translated, interpreted, emulated, of_spike;
        std::string reason;
        for (int i = 0; i < turns; ++i) {
            translated.push_back(
                loop_rate({simulator, "--quiet", "--"}, program, name, 400'000'000, reason));
            interpreted.push_back(loop_rate({simulator, "--quiet", "--interpret", "--"}, program,
                                            name, 20'000'000, reason));
            if (!qemu.empty())
                emulated.push_back(loop_rate({qemu}, program, name, 400'000'000, reason));
            if (!spike.empty())
                of_spike.push_back(bare_rate(spike, riscv_program(run, "plain", "bare_") + name,
                                             instructions, reason));
        }
        row.reason = reason;
        if (middle(translated) > 0) row.ours = middle(translated);
        row.method = "one thread, processor time; hot code translated; interpreted " +
                     number_text(middle(interpreted));
        if (!of_spike.empty() && middle(of_spike) > 0) {
            row.must = at_least(middle(of_spike));
            row.peer = "Spike";
            row.peer_value = middle(of_spike);
            row.method += "; Spike in this run, by the same loop without an operating system";
        } else {
            row.method +=
                "; Spike is not installed: cited is its user time for such a loop (426 to 441 and "
                "389 to 418 MIPS for the two, the upper end taken), once measured by the project "
                "on a virtual machine with 2 cores of an AMD EPYC";
        }
        if (!emulated.empty()) {
            row.goal = middle(emulated) / 2;
            row.method += ", qemu-riscv64 " + number_text(middle(emulated)) + " (goal: half)";
        }
        run.add(row);
    }
}

struct HostSide {
    double rate = 0;            // million instructions a second, wall time of the simulation
    double processor_rate = 0;  // the same by processor time of the whole process
    double peak_bytes = 0;
};

// Runs a program on the timed machine for its host side.
std::optional<HostSide> host_side(const Run& run, int nodes, int threads, const char* program,
                                  const std::vector<std::string>& arguments, std::string& reason) {
    namespace fs = std::filesystem;
    const fs::path base =
        fs::temp_directory_path() / ("isthmus-bench-speed-" + std::to_string(getpid()));
    const std::string host = base.string() + "-host.json", stats = base.string() + ".json";
    Command command;
    command.limit_seconds = 300;
    command.arguments = {simulator_tool("isthmus-timing"),
                         "--quiet",
                         "--host-stats",
                         host,
                         "--stats",
                         stats,
                         "--threads",
                         std::to_string(threads),
                         "-n",
                         std::to_string(nodes),
                         "--",
                         riscv_program(run, "xbgas", program)};
    command.arguments.insert(command.arguments.end(), arguments.begin(), arguments.end());
    const Finished finished = run_command(command);
    std::ifstream host_file(host), stats_file(stats);
    const auto host_json = nlohmann::json::parse(host_file, nullptr, false);
    const auto stats_json = nlohmann::json::parse(stats_file, nullptr, false);
    std::error_code ignored;
    fs::remove(host, ignored);
    fs::remove(stats, ignored);
    if (!finished.succeeded() || host_json.is_discarded() || stats_json.is_discarded()) {
        reason = std::string(program) + ": " + finished.last_words();
        return {};
    }
    HostSide side;
    side.rate = host_json["instructions_per_second"].get<double>() / 1e6;
    side.processor_rate =
        stats_json["total"]["instructions"].get<double>() / finished.cpu_seconds / 1e6;
    side.peak_bytes = host_json["peak_resident_bytes"].get<double>();
    return side;
}

void measure_timing_speed(Run& run) {
    const unsigned cores = std::thread::hardware_concurrency();
    const int turns = run.options().quick ? 1 : 5;
    const std::string rounds = run.options().quick ? "3000" : "10000";
    struct Mix {
        const char* name;
        const char* period;
    };
    constexpr Mix kMixes[] = {{"one instruction in a hundred remote", "3"},
                              {"no remote access", "0"}};
    for (const auto& [name, period] : kMixes) {
        run.progress(std::string("speed in time, ") + name);
        std::vector<double> one, two, processor;
        std::string reason;
        for (int i = 0; i < turns; ++i) {
            const std::vector<std::string> arguments = {"--rounds", rounds, "--period", period};
            const auto single = host_side(run, 64, 1, "mixed", arguments, reason);
            const auto both = host_side(run, 64, 2, "mixed", arguments, reason);
            if (!single || !both) break;
            one.push_back(single->rate);
            two.push_back(both->rate);
            processor.push_back(single->processor_rate);
        }
        Row speed, scaling;
        speed.claim = std::string("timing mode, 64 nodes, 2 host threads, ") + name;
        speed.unit = "M instructions/s";
        speed.must = at_least(10);
        scaling.claim = std::string("timing mode, 2 host threads against 1, ") + name;
        scaling.unit = "x";
        scaling.must = at_least(1.6);
        speed.reason = scaling.reason = reason;
        if (cores < 2) speed.waits = scaling.waits = "two cores";
        if (static_cast<int>(two.size()) == turns) {
            speed.ours = middle(two);
            speed.method = "wall time, middle of " + std::to_string(turns) + "; one thread " +
                           number_text(middle(one)) + ", by its processor time with start-up " +
                           number_text(middle(processor));
            speed.spread = number_text(*std::ranges::min_element(two)) + " to " +
                           number_text(*std::ranges::max_element(two));
            // Neighbours: what else the host does changes between turns.
            std::vector<double> ratios;
            for (std::size_t i = 0; i < two.size(); ++i)
                ratios.push_back(two[i] / one[i]);
            scaling.ours = middle(ratios);
            scaling.method = "pairs of runs in turn; needs both cores for itself";
        }
        run.add(speed);
        run.add(scaling);
    }
}

void measure_steps(Run& run) {
    run.progress("step interface");
    Row row;
    row.claim = "step interface, a record for each step";
    row.unit = "M steps/s";
    row.must = at_least(10);
    std::vector<double> rates;
    for (int i = 0; i < (run.options().quick ? 1 : 5); ++i) {
        Command command;
        command.limit_seconds = 60;
        command.arguments = {run.program(Side::ours, "step"), "10000000"};
        const Finished finished = run_command(command);
        const auto records = parse_records(finished.output);
        if (finished.succeeded() && !records.empty())
            rates.push_back(number(records.front(), "rate"));
        else
            row.reason = finished.last_words();
    }
    if (!rates.empty() && row.reason.empty()) {
        row.ours = middle(rates);
        row.spread = spread_text(rates);
        row.method =
            "the installed library by its C interface, RV64GC, a loop of 8 with load, "
            "store, multiplication; processor time of one thread";
    }
    run.add(row);
}

void measure_idle_memory(Run& run) {
    run.progress("memory of idle nodes");
    std::string reason;
    const auto add = [&](const char* claim, double few, double many, int more, const char* method) {
        Row row;
        row.claim = claim;
        row.unit = "MB";
        row.must = at_most(4);
        row.reason = reason;
        row.method = method;
        if (few > 0 && many > 0) row.ours = (many - few) / more / 1e6;
        run.add(row);
    };
    SimulatedMachine machine(run);
    const auto functional = [&](int nodes) {
        const auto json = machine.run_plain(nodes, "idle");
        if (!json) reason = machine.why_not();
        return json ? json->at("peak_resident_bytes").get<double>() : 0;
    };
    add("memory per idle node, functional", functional(8), functional(64), 56,
        "peak of 64 nodes less that of 8; a node has started the library, its stack and heap");
    const auto timed = [&](int nodes) {
        const auto side = host_side(run, nodes, 1, "idle", {}, reason);
        return side ? side->peak_bytes : 0;
    };
    add("memory per idle node, in time", timed(8), timed(64), 56,
        "the same with caches, directory, controller, NIC and routers");
}

}  // namespace

void measure_speed(Run& run) {
    measure_loops(run);
    measure_timing_speed(run);
    measure_steps(run);
    measure_idle_memory(run);
}

}  // namespace isthmus::bench
