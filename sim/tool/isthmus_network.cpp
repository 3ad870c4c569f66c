// isthmus-network: synthetic traffic on the simulated mesh; prints latency-throughput curves.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "sim/machine/machine.hpp"
#include "sim/network/traffic.hpp"
#include "sim/tool/output_file.hpp"

namespace {

using namespace isthmus::sim;

nlohmann::ordered_json links_json(const MachineDescription& machine,
                                  const std::vector<RouterStatistics>& links) {
    static constexpr const char* kPortNames[] = {"north", "east", "south", "west", "local"};
    nlohmann::ordered_json out = nlohmann::ordered_json::array();
    for (std::size_t node = 0; node < links.size(); ++node) {
        nlohmann::ordered_json entry = {{"x", node % machine.mesh.width},
                                        {"y", node / machine.mesh.width}};
        for (unsigned port = 0; port < kPorts; ++port)
            entry[kPortNames[port]] = links[node].link_flits[port];
        out.push_back(std::move(entry));
    }
    return out;
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app("Synthetic traffic on the simulated mesh: latency and throughput");
    std::string file, pattern = "uniform";
    std::vector<std::string> settings;
    std::vector<double> loads = {0.02, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5};
    TrafficRun run;
    bool json = false, schema = false, table = false, show = false;
    app.add_option("--machine", file, "machine description; default: Table III of the xBGAS paper");
    app.add_option("--set", settings, "change a parameter: section.key=value (repeatable)")
        ->allow_extra_args(false);
    app.add_option("--pattern", pattern,
                   "uniform, transpose, bit-complement, tornado, neighbour, hotspot")
        ->capture_default_str();
    app.add_option("--load", loads, "offered flits per node and cycle; several make a curve")
        ->delimiter(',');
    app.add_option("--packet-flits", run.packet_flits, "flits in a packet")->capture_default_str();
    app.add_option("--hotspot-share", run.hotspot_share, "share of packets to the hot node")
        ->capture_default_str();
    app.add_option("--warmup", run.warmup, "cycles before measuring")->capture_default_str();
    app.add_option("--measure", run.measure, "cycles measured")->capture_default_str();
    auto* seed = app.add_option("--seed", run.seed,
                                "random sequence; default: the machine's simulation.seed");
    app.add_option("--threads", run.threads, "host threads; the result does not depend on it")
        ->capture_default_str();
    app.add_flag("--json", json, "print JSON");
    app.add_flag("--schema", schema, "print the JSON Schema of machine descriptions and stop");
    app.add_flag("--parameters", table, "print the table of parameters in Markdown and stop");
    app.add_flag("--show-machine", show, "print the machine description after --set and stop");
    app.footer(
        "Exit status: 0 done, 1 wrong argument or machine, or output that cannot be written, "
        "2 a model invariant broke.");
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? 0 : 1;
    }
    try {
        if (schema) {
            print(machine_schema().dump(2) + "\n");
            return 0;
        }
        if (table) {
            print(parameters_markdown());
            return 0;
        }
        MachineDescription machine = file.empty() ? table3() : load_machine(file);
        for (const std::string& setting : settings)
            set_parameter(machine, setting);
        check_machine(machine, file.empty() ? "sim/machine/table3.json" : file);
        if (show) {
            print(machine_to_json(machine).dump(2) + "\n");
            return 0;
        }
        run.pattern = parse_pattern(pattern);
        if (seed->empty()) run.seed = machine.simulation.seed;
        for (double load : loads) {
            run.load = load;
            check_traffic(machine, run);
        }
        const double bound = throughput_bound(machine, run);

        nlohmann::ordered_json report = {{"machine", machine_to_json(machine)}, {"bound", bound}};
        report["curve"] = nlohmann::ordered_json::array();
        if (!json) {
            std::printf(
                "%s, %llux%llu mesh, %s, %u-flit packets; bound of the busiest link: %.4f\n",
                machine.name.c_str(), static_cast<unsigned long long>(machine.mesh.width),
                static_cast<unsigned long long>(machine.mesh.height), pattern.c_str(),
                run.packet_flits, bound);
            std::printf("%8s %9s %9s %9s %7s %7s %9s %14s\n", "load", "offered", "accepted",
                        "latency", "p50", "p99", "cycles", "flit-hops/s");
        }
        for (double load : loads) {
            run.load = load;
            std::vector<RouterStatistics> links;
            const TrafficResult result = run_traffic(machine, run, &links);
            if (json) {
                nlohmann::ordered_json point = traffic_to_json(run, result);
                point["links"] = links_json(machine, links);
                report["curve"].push_back(std::move(point));
                continue;
            }
            std::printf("%8.3f %9.4f %9.4f %9.1f %7llu %7llu %9llu %14.3g\n", load, result.offered,
                        result.accepted, result.latency.mean(),
                        static_cast<unsigned long long>(result.latency.quantile(0.5)),
                        static_cast<unsigned long long>(result.latency.quantile(0.99)),
                        static_cast<unsigned long long>(result.cycles),
                        static_cast<double>(result.flit_hops) / result.seconds);
            std::fflush(stdout);
        }
        if (json) {
            print(report.dump(2) + "\n", "--json");
        } else {
            print("");
        }
    } catch (const std::runtime_error& error) {
        std::fprintf(stderr, "isthmus-network: %s\n", error.what());
        return 1;
    } catch (const std::invalid_argument& error) {
        std::fprintf(stderr, "isthmus-network: %s\n", error.what());
        return 1;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "isthmus-network: %s\n", error.what());
        return 2;
    }
    return 0;
}
