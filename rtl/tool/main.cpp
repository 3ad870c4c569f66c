// isthmus-rtl engine: runs the HyperTransport engine's gates. Random traffic, judged by the golden
// model; or a program's addresses, one load or store after the other.
#include <unistd.h>
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "model/measure.hpp"

using namespace isthmus::rtl;

namespace {

constexpr int kUsage = 2;
constexpr std::uint64_t kReachable = 3 << 20;  // of node 1's share, inside its window

struct Options {
    unsigned nodes = 4;
    std::uint64_t transactions = 20000;
    std::uint64_t start = 1;
    unsigned host_latency = PaperConstants::kHostRead;
    unsigned network_latency = 20;
    unsigned stalls = 32;
    std::uint64_t mask = 0;
    std::string trace, json, addresses;
    unsigned trace_node = 0;
    unsigned prefetch = 0;
    bool quiet = false;
};

using Histogram = std::map<std::uint64_t, std::uint64_t>;

std::uint64_t part(const Histogram& histogram, double share) {
    std::uint64_t total = 0, seen = 0;
    for (const auto& [cycles, count] : histogram)
        total += count;
    for (const auto& [cycles, count] : histogram) {
        seen += count;
        if (static_cast<double>(seen) >= share * static_cast<double>(total)) return cycles;
    }
    return 0;
}

const char* kind_of(const Packet& p) {
    if (p.command == command::kAtomic) return "atomic";
    if (p.command == command::kFlush) return "flush";
    return p.is_read() ? "read" : "write, answered";
}

nlohmann::ordered_json report(const std::map<std::string, Histogram>& latencies) {
    nlohmann::ordered_json rows;
    std::printf("%-18s %10s %8s %8s %8s %8s   cycles of 6.4 ns\n", "request", "count", "least",
                "median", "99 %", "most");
    for (const auto& [kind, histogram] : latencies) {
        std::uint64_t count = 0;
        for (const auto& [cycles, n] : histogram)
            count += n;
        const std::uint64_t least = histogram.begin()->first, most = histogram.rbegin()->first;
        std::printf("%-18s %10llu %8llu %8llu %8llu %8llu\n", kind.c_str(),
                    static_cast<unsigned long long>(count), static_cast<unsigned long long>(least),
                    static_cast<unsigned long long>(part(histogram, 0.5)),
                    static_cast<unsigned long long>(part(histogram, 0.99)),
                    static_cast<unsigned long long>(most));
        nlohmann::ordered_json bars;
        for (const auto& [cycles, n] : histogram)
            bars[std::to_string(cycles)] = n;
        rows[kind] = {{"count", count},
                      {"least", least},
                      {"median", part(histogram, 0.5)},
                      {"most", most},
                      {"cycles", bars}};
    }
    return rows;
}

void keep(const Options& o, unsigned nodes, std::uint64_t transactions, bool ok,
          const nlohmann::ordered_json& latencies) {
    if (o.json.empty()) return;
    std::ofstream file(o.json);
    file << nlohmann::ordered_json{{"nodes", nodes},
                                   {"transactions", transactions},
                                   {"ok", ok},
                                   {"latency", latencies}}
                .dump(2)
         << "\n";
}

int run_random(const Options& o) {
    Network network(o.nodes, o.start);
    const AddressMap map = AddressMap::make(o.nodes, 20, o.mask, true);
    configure(network, map, {});
    network.behaviour = {.latency = o.network_latency, .latency_spread = o.network_latency / 2};
    for (unsigned n = 0; n < o.nodes; ++n)
        network.node(n).behaviour = {.latency = o.host_latency,
                                     .latency_spread = o.host_latency / 2,
                                     .hold_command = o.stalls,
                                     .hold_credit = o.stalls};
    if (!o.trace.empty()) network.node(o.trace_node).trace(o.trace);
    Golden golden(network, map, {}, o.start);
    std::map<std::string, Histogram> latencies;
    golden.on_latency = [&](const Packet& asked, std::uint64_t cycles) {
        ++latencies[kind_of(asked)][cycles];
    };
    const bool shown = !o.quiet && isatty(2);
    golden.on_progress = [&](std::uint64_t done) {
        if (shown)
            std::fprintf(stderr, "\r%llu of %llu transactions ",
                         static_cast<unsigned long long>(done),
                         static_cast<unsigned long long>(o.transactions));
    };
    const bool ok = golden.run(o.transactions, {}, 100000);
    if (shown) std::fprintf(stderr, "\r%*s\r", 60, "");
    const nlohmann::ordered_json rows = report(latencies);
    std::printf("%u nodes, %llu transactions, %llu answers, %llu cycles, start %llu: %s\n", o.nodes,
                static_cast<unsigned long long>(golden.issued),
                static_cast<unsigned long long>(golden.answered),
                static_cast<unsigned long long>(network.now()),
                static_cast<unsigned long long>(o.start),
                ok ? "every packet as the golden model has it" : golden.error().c_str());
    keep(o, o.nodes, golden.issued, ok, rows);
    return ok ? 0 : 1;
}

// Lines of `r ADDRESS BYTES` and `w ADDRESS BYTES`; the address is an offset into node 1's share.
int run_addresses(const Options& o) {
    std::ifstream file(o.addresses);
    if (!file) {
        std::fprintf(stderr, "isthmus rtl engine: cannot read %s\n", o.addresses.c_str());
        return kUsage;
    }
    EngineSettings settings;
    settings.prefetch_lines = o.prefetch;
    Line line(o.network_latency, o.host_latency, settings, o.start);
    if (!o.trace.empty()) line.node(o.trace_node).trace(o.trace);
    std::map<std::string, Histogram> latencies;
    bool waiting = false;
    line.node(0).on_response = [&](const Packet&) { waiting = false; };
    std::string kind, address;
    unsigned bytes = 0, number = 0, accesses = 0;
    const std::uint64_t begin = line.now();
    for (std::string text; std::getline(file, text);) {
        ++number;
        if (text.empty() || text[0] == '#') continue;
        std::istringstream words(text);
        Packet p;
        char* end = nullptr;
        if (!(words >> kind >> address >> bytes) || (kind != "r" && kind != "w") || bytes == 0 ||
            bytes > 64 || bytes % 4 != 0) {
            std::fprintf(stderr,
                         "isthmus rtl engine: %s:%u: '%s' is not `r ADDRESS BYTES` or `w ADDRESS "
                         "BYTES` with 4 to 64 bytes, a multiple of 4\n",
                         o.addresses.c_str(), number, text.c_str());
            return kUsage;
        }
        const std::uint64_t offset = std::strtoull(address.c_str(), &end, 0);
        if (*end != 0 || offset % 4 != 0 || (offset & 63) + bytes > 64 || offset >= kReachable) {
            std::fprintf(stderr,
                         "isthmus rtl engine: %s:%u: %s is no multiple of 4, or the access leaves "
                         "its line of 64 B\n",
                         o.addresses.c_str(), number, address.c_str());
            return kUsage;
        }
        p.address = line.map().global(1, offset);
        p.count = bytes / 4 - 1;
        p.tag = number % 1024;
        const std::uint64_t sent = line.now();
        if (kind == "w") {
            p.command = command::kPostedWrite | command::kDwords;
            p.data.assign(bytes / 4, number);
            line.node(0).send(kPosted, p);
            while (line.node(0).queued(kPosted) > 0)
                line.cycle();
        } else {
            p.command = command::kRead | command::kDwords;
            line.node(0).send(kNonPosted, p);
            for (waiting = true; waiting;)
                line.cycle();
        }
        ++accesses;
        ++latencies[kind == "r" ? "load" : "store, until sent"][line.now() - sent];
    }
    keep(o, 2, accesses, true, report(latencies));
    std::printf("%llu cycles\n", static_cast<unsigned long long>(line.now() - begin));
    return 0;
}

// isthmus-core is a program of its own, beside this one: it brings the simulator.
int run_core(char** argv) {
    char own[4096];
    const ssize_t length = readlink("/proc/self/exe", own, sizeof own - 1);
    std::string path(own, length > 0 ? static_cast<std::size_t>(length) : 0);
    path.replace(path.rfind('/') + 1, std::string::npos, "isthmus-core");
    execv(path.c_str(), argv);
    std::fprintf(stderr,
                 "isthmus rtl core: cannot run %s: %s; it is built where the simulator is\n",
                 path.c_str(), std::strerror(errno));
    return kUsage;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc > 1 && std::string(argv[1]) == "core") return run_core(argv + 1);
    CLI::App app{
        "Runs the gates of Isthmus in Verilator.\nExit status: 0 if all is as it must be, 1 if "
        "not, 2 for a wrong command line."};
    app.name("isthmus rtl");
    app.require_subcommand(1);
    Options o;
    app.add_subcommand("core",
                       "The xBGAS core: a bare-metal program on 1 to 64 nodes, each "
                       "instruction compared with the simulator's");
    CLI::App* const engine =
        app.add_subcommand("engine",
                           "The HyperTransport engine: 2 to 16 nodes, random traffic against the "
                           "golden model, or a program's addresses");
    CLI::Option* const nodes =
        engine->add_option("--nodes", o.nodes, "Nodes")->check(CLI::Range(2, 16));
    CLI::Option* const transactions =
        engine->add_option("--transactions", o.transactions, "Random transactions");
    engine->add_option("--start", o.start, "Start of the random numbers");
    CLI::Option* const mask = engine->add_option(
        "--mask", o.mask, "Bits of the global address that name the node; default: the top ones");
    engine->add_option("--host-latency", o.host_latency, "Cycles of a host's memory")
        ->check(CLI::Range(0, 100000));
    engine->add_option("--network-latency", o.network_latency, "Cycles between two nodes")
        ->check(CLI::Range(1, 100000));
    CLI::Option* const stalls =
        engine
            ->add_option("--stalls", o.stalls,
                         "Chance out of 256 that a host holds something back in a cycle")
            ->check(CLI::Range(0, 250));
    CLI::Option* const addresses =
        engine
            ->add_option("--addresses", o.addresses,
                         "Instead: two nodes, 0 runs the accesses of FILE (r|w ADDRESS BYTES)")
            ->type_name("FILE")
            ->excludes(nodes, transactions, mask, stalls);
    engine->add_option("--prefetch", o.prefetch, "With --addresses: lines to fetch ahead")
        ->check(CLI::Range(0, 32))
        ->needs(addresses);
    engine->add_option("--trace", o.trace, "Write the waveform of a node to FILE (VCD)")
        ->type_name("FILE");
    engine->add_option("--trace-node", o.trace_node, "Which node");
    engine->add_option("--json", o.json, "Write the latencies to FILE")->type_name("FILE");
    engine->add_flag("--quiet", o.quiet, "No progress line");
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        const int status = app.exit(error);
        return status == 0 ? 0 : kUsage;
    }
    if (!o.addresses.empty()) o.nodes = 2;
    if (o.trace_node >= o.nodes) {
        std::fprintf(stderr, "isthmus rtl engine: --trace-node %u: there are nodes 0 to %u\n",
                     o.trace_node, o.nodes - 1);
        return kUsage;
    }
    return o.addresses.empty() ? run_random(o) : run_addresses(o);
}
