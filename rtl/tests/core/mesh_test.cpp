// A program on nodes of gates in their mesh, each instruction compared, and once more on the
// simulator by itself: what is in memory at the end is the same.
//
//     core_mesh PROGRAM NODES [STALL LATE]
//
// The simulator runs nodes in another order than the gates, so a program has to leave the same
// whoever comes first. Its stack, which it names stack and stack_end, and tohost are left out.
#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>

#include "cosim/machine.hpp"
#include "sim/hart/bare_metal.hpp"
#include "sim/hart/machine.hpp"

namespace {

using namespace isthmus::rtl;

constexpr u64 kBytes = 1 << 20, kCycles = 20'000'000;

bool compare(CoreMachine& gates, isthmus::sim::Machine& simulator) {
    const auto& program = simulator.program();
    const u64 stack = program.symbol("stack").value_or(0),
              stack_end = program.symbol("stack_end").value_or(0),
              tohost = program.symbol("tohost").value_or(0);
    u64 compared = 0, differ = 0;
    for (unsigned node = 0; node < gates.nodes(); ++node) {
        CheckedCore& core = gates.core(node);
        // Behind that is the namespace table, which the simulator has in time only.
        for (u64 at = kMemoryStart; at < core.table(); at += 8) {
            if ((at >= stack && at < stack_end) || at == tohost) continue;
            u64 there = 0;
            if (!simulator.nodes()[node]->memory.read(at, &there, 8)) return false;
            ++compared;
            if (core.read(at, 8) == there) continue;
            if (differ++ < 10)
                std::printf("node %u, 0x%" PRIx64 ": gates 0x%" PRIx64 ", simulator 0x%" PRIx64
                            "\n",
                            node, at, core.read(at, 8), there);
        }
    }
    std::printf("%" PRIu64 " words of memory compared with the simulator's, %" PRIu64 " differ\n",
                compared, differ);
    return differ == 0;
}

}  // namespace

int main(int argc, char** argv) try {
    if (argc < 3) {
        std::fprintf(stderr, "usage: core_mesh PROGRAM NODES [STALL LATE]\n");
        return 2;
    }
    const auto number = [&](int i) {
        return argc > i ? static_cast<unsigned>(std::strtoul(argv[i], nullptr, 10)) : 0;
    };
    Disturbance disturbance;
    disturbance.stall = number(3);
    disturbance.late = number(4);
    CoreMachine gates(*core_kind("node64"), number(2), kBytes, disturbance);
    gates.load_elf(argv[1]);
    const bool equal = gates.run(kCycles) && gates.memory_equal();
    u64 remotes = 0, walks = 0, cycles = 0;
    bool ended = true;
    for (unsigned node = 0; node < gates.nodes(); ++node) {
        const CheckedCore& core = gates.core(node);
        remotes += core.remotes();
        walks += core.walks();
        cycles = std::max(cycles, core.cycles());
        ended = ended && core.exit_code() == 0u;
        if (core.exit_code().value_or(1) != 0)
            std::printf("node %u: exit code %d\n", node,
                        core.exit_code() ? static_cast<int>(*core.exit_code()) : -1);
    }
    std::printf("%u nodes: %" PRIu64 " instructions, %" PRIu64 " remote accesses, %" PRIu64
                " reads of the namespace table, %" PRIu64 " cycles\n",
                gates.nodes(), gates.retired(), remotes, walks, cycles);
    if (!equal) std::fputs(gates.report().c_str(), stdout);
    if (!equal || !ended) return 1;

    isthmus::sim::MachineOptions options;
    options.nodes = gates.nodes();
    options.memory_bytes = kBytes;
    options.shared_bytes = 4096;
    isthmus::sim::Machine simulator(isthmus::sim::Program::load(argv[1]), options,
                                    isthmus::sim::boot_bare_metal);
    simulator.run();
    if (simulator.exit_code() != 0) {
        std::printf("the simulator ends with %d\n", simulator.exit_code());
        return 1;
    }
    return compare(gates, simulator) ? 0 : 1;
} catch (const std::exception& error) {
    std::fprintf(stderr, "core_mesh: %s\n", error.what());
    return 2;
}
