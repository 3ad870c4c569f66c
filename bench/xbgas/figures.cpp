// The paper's figures 13, 14, 16 and 17, of which it prints no numbers, and its table III.
#include <unistd.h>

#include "harness/statistics.hpp"
#include "xbgas/group.hpp"
#include "xbgas/machine.hpp"
#include "xbgas/micro.hpp"

namespace isthmus::bench {
namespace {

std::vector<std::string> transfer(int bytes, int count, bool words) {
    return {"--bytes", std::to_string(bytes), "--count", std::to_string(count),
            "--words", words ? "1" : "0"};
}

double cycles(const Timed& timed) {
    return timed.nanoseconds * timed.report["machine"]["core"]["clock_mhz"].get<double>() / 1000;
}

// Transfers of every node, each complete before the next.
struct Transfers {
    double cycles = 0;  // of one, the instruction that starts it and its completion included
    Timed timed;
};

// Of two runs the longer less the shorter, so that neither start nor the barrier at the end is in
// it.
std::optional<Transfers> transfers(SimulatedMachine& machine, Road road, int nodes, int bytes,
                                   bool words) {
    constexpr int kFew = 10, kMany = 50;
    const auto few = machine.time(road, nodes, "transfers", transfer(bytes, kFew, words));
    auto many = machine.time(road, nodes, "transfers", transfer(bytes, kMany, words));
    if (!few || !many) return {};
    return Transfers{(cycles(*many) - cycles(*few)) / (kMany - kFew), std::move(*many)};
}

// What one operation of the given kind waits for the network and the target.
std::optional<double> network_cycles(const Timed& timed, const char* kind) {
    const auto& latency = timed.report["remote_latency"][kind];
    if (latency["count"] == 0) return {};
    return latency["mean"].get<double>();
}

void measure_transfers(Run& run) {
    constexpr const char* kLatency = "Fig. 17: latency of a transfer by bytes";
    SimulatedMachine machine(run);
    const std::vector<int> sizes =
        run.options().quick ? std::vector<int>{8, 512} : std::vector<int>{8, 64, 128, 512, 4096};
    const int nodes = run.options().quick ? 16 : 64;
    const std::string where = std::to_string(nodes) +
                              " nodes to random places, one transfer of a "
                              "node at a time";
    for (const int bytes : sizes) {
        const std::string size = std::to_string(bytes) + " bytes";
        run.progress("transfers of " + size);
        const auto bulk = transfers(machine, Road::xbgas, nodes, bytes, false);
        const auto dma = transfers(machine, Road::rdma, nodes, bytes, false);
        const auto add = [&](const std::string& claim, std::optional<double> ours,
                             std::optional<double> theirs, const char* peer, const char* figure,
                             const std::string& method, Must must) {
            Row row;
            row.claim = claim + " of " + size;
            row.ours = ours;
            row.peer_value = theirs;
            row.peer = peer;
            row.unit = "cycles";
            row.figure = figure;
            row.series = bytes == 8 ? "xBGAS, a word" : "xBGAS, a block";
            row.x = bytes;
            row.must = must;
            row.method = method + where;
            row.reason = machine.why_not();
            run.add(row);
        };
        if (!bulk || !dma) {
            add("figure 17: transfers", {}, {}, "", kLatency, "", {});
            continue;
        }
        constexpr const char* kLess = "50 less 10 of each node; ";
        // The NIC stands for the paper's DMA engine. A word is not sent as a block; above a word
        // the block is to be faster, as in the figure.
        if (bytes == 8) {
            add("figure 17: latency of a word, against the NIC,", bulk->cycles, dma->cycles,
                kRdmaPeer, kLatency, kLess, at_most(dma->cycles));
            continue;
        }
        const auto single = transfers(machine, Road::xbgas, nodes, bytes, true);
        if (!single) {
            add("figure 17: latency by the bulk interface, against single words,", {}, {}, "",
                kLatency, "", {});
            continue;
        }
        add("figure 17: latency by the bulk interface, against single words,", bulk->cycles,
            single->cycles, "single words", kLatency, kLess, at_most(single->cycles));
        add("figure 17: latency by the bulk interface, against the NIC,", bulk->cycles, dma->cycles,
            kRdmaPeer, kLatency, kLess, at_most(dma->cycles));
        // What a transfer takes beside its message is about the same for a block and for its words.
        const auto block = network_cycles(bulk->timed, "bulk_put");
        std::optional<double> words;
        if (block) words = single->cycles - (bulk->cycles - *block);
        add("figure 16: latency in the network of a block", block, words,
            "the same in single words", "Fig. 16: issue to reply by bytes",
            "the block: issue to reply, mean, one message of up to 4 KB; its words: their whole "
            "transfer less what the block's takes beside its message; ",
            {});
    }
}

// Of node 0, which puts: of two runs the longer less the shorter, so that neither start nor check
// is in it.
std::optional<double> instructions_per_cycle(SimulatedMachine& machine, Road road, int bytes) {
    constexpr int kFew = 100, kMany = 300;
    const auto few = machine.time(road, 2, "micro", micro("put", bytes, kFew, true));
    const auto many = machine.time(road, 2, "micro", micro("put", bytes, kMany, true));
    if (!few || !many) return {};
    const auto instructions = [](const Timed& timed) {
        return timed.report["nodes"][0]["instructions"].get<double>();
    };
    return (instructions(*many) - instructions(*few)) / (cycles(*many) - cycles(*few));
}

void measure_instructions_per_cycle(Run& run) {
    run.progress("instructions a cycle");
    SimulatedMachine machine(run);
    const auto add = [&](const std::string& claim, std::optional<double> ours, const char* peer,
                         std::optional<double> theirs, const char* method, const char* series,
                         int bytes) {
        Row row;
        row.claim = "figure 14: instructions a cycle, " + claim;
        row.figure = "Fig. 14: instructions a cycle by bytes";
        row.series = series;
        row.x = bytes;
        row.unit = "IPC";
        row.ours = ours;
        row.peer = peer;
        row.peer_value = theirs;
        row.method = method;
        row.reason = machine.why_not();
        run.add(row);
    };
    for (const int bytes : {8, 256, 2048, 4096, 16384}) {
        if (run.options().quick && bytes != 8 && bytes != 4096) continue;
        const auto ours = instructions_per_cycle(machine, Road::xbgas, bytes);
        const auto theirs = instructions_per_cycle(machine, Road::rdma, bytes);
        add("puts of " + std::to_string(bytes) + " bytes", ours, kRdmaPeer, theirs,
            "node 0 of 2, 200 puts, each complete before the next, start and check not in it; "
            "xBGAS "
            "waits in a fence, which is one instruction, the other road polls",
            "puts by xBGAS", bytes);
    }
    // What the paper calls its core's is a mean over programs without a network.
    std::vector<double> programs;
    for (const char* program : {"is", "ep", "cg", "mg"}) {
        const auto timed = machine.time(Road::xbgas, 1, program, {});
        if (!timed) break;
        programs.push_back(timed->report["total"]["instructions_per_cycle_and_node"].get<double>());
    }
    std::optional<double> core;
    if (programs.size() == 4) core = mean(programs);
    add("the core by itself", core, "paper's core", 0.63,
        "mean of IS, EP, CG and MG on one node, start and check of each included; the paper's of "
        "the programs that come with its core",
        "core by itself, no transfers", 8);
}

void measure_portability(Run& run) {
    const char* const programs[] = {"gups", "random", "scatter", "stride", "ssca1",
                                    "is",   "ep",     "cg",      "mg",     "micro"};
    int built = 0, all = 0;
    for (const char* program : programs) {
        ++all;
        built += access(run.program(Side::ours, program).c_str(), X_OK) == 0 &&
                 access(riscv_program(run, "xbgas", program).c_str(), X_OK) == 0 &&
                 access(riscv_program(run, "rdma", program).c_str(), X_OK) == 0;
    }
    Row row;
    row.claim = "figure 13: programs that need a change to run on the machine";
    row.unit = "%";
    row.peer = "paper: changed lines, mean";
    row.peer_value = 4.99;
    row.method = "of " + std::to_string(all) +
                 " programs, those not there natively and by both roads, built from the same file; "
                 "no claim: one that needed a change would have stopped the build";
    row.reason = built == 0 ? kNoCrossCompiler : "";
    row.ours = 100.0 * (all - built) / all;
    run.add(row);
}

void measure_table3(Run& run) {
    SimulatedMachine machine(run);
    const auto timed = machine.time(Road::xbgas, 2, "transfers", transfer(8, 1, false));
    struct Parameter {
        const char* claim;
        const char* section;
        const char* key;
        const char* unit;
        double paper;
    };
    constexpr Parameter kParameters[] = {{"clock", "core", "clock_mhz", "MHz", 2000},
                                         {"first level, data", "l1_data", "bytes", "bytes", 16384},
                                         {"first level, ways", "l1_data", "ways", "ways", 8},
                                         {"second level", "l2", "bytes", "bytes", 8388608},
                                         {"NLB", "nlb", "entries", "entries", 512},
                                         {"memory of a node", "memory", "mebibytes", "MiB", 2048},
                                         {"flit", "network", "flit_bits", "bits", 32}};
    for (const auto& [claim, section, key, unit, paper] : kParameters) {
        Row row;
        row.claim = std::string("table III: ") + claim;
        row.unit = unit;
        row.peer = "paper";
        row.peer_value = paper;
        row.reason = machine.why_not();
        row.method =
            "as the report of a run says; 64 nodes are the default mesh of 8 x 8; a setting beside "
            "what it is set to, so no claim (machine_test holds the default)";
        if (timed) row.ours = timed->report["machine"][section][key].get<double>();
        run.add(row);
    }
}

}  // namespace

void measure_figures(Run& run) {
    measure_portability(run);
    measure_table3(run);
    measure_instructions_per_cycle(run);
    measure_transfers(run);
}

}  // namespace isthmus::bench
