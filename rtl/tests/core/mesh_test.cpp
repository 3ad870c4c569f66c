// A program on nodes of gates in their mesh, each instruction compared, and once more on the
// simulator by itself: what is in memory at the end is the same.
//
//     core_mesh PROGRAM NODES KIND [STALL LATE]
//
#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>

#include "cosim/alone.hpp"

namespace {

using namespace isthmus::rtl;

constexpr u64 kBytes = 1 << 20, kCycles = 20'000'000;

}  // namespace

int main(int argc, char** argv) try {
    const CoreKind* const kind = argc < 4 ? nullptr : core_kind(argv[3]);
    if (!kind || !kind->table_entries) {
        std::fprintf(stderr, "usage: core_mesh PROGRAM NODES KIND [STALL LATE]\n");
        return 2;
    }
    const auto number = [&](int i) {
        return argc > i ? static_cast<unsigned>(std::strtoul(argv[i], nullptr, 10)) : 0;
    };
    Disturbance disturbance;
    disturbance.stall = number(4);
    disturbance.late = number(5);
    CoreMachine gates(*kind, number(2), kBytes, disturbance);
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

    const AloneResult alone = compare_alone(gates, argv[1], kBytes);
    for (const std::string& line : alone.where)
        std::printf("%s\n", line.c_str());
    std::printf("%" PRIu64 " words of memory compared with the simulator's, %" PRIu64
                " differ; it ends with %d\n",
                alone.compared, alone.differ, alone.exit_code);
    return alone.differ == 0 && alone.exit_code == 0 ? 0 : 1;
} catch (const std::exception& error) {
    std::fprintf(stderr, "core_mesh: %s\n", error.what());
    return 2;
}
