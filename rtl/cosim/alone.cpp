#include "cosim/alone.hpp"

#include <cinttypes>
#include <cstdio>

#include "sim/hart/bare_metal.hpp"
#include "sim/hart/machine.hpp"

namespace isthmus::rtl {
namespace {

constexpr std::size_t kTold = 10;

}  // namespace

AloneResult compare_alone(CoreMachine& gates, const std::string& program, u64 memory_bytes) {
    sim::MachineOptions options;
    options.nodes = gates.nodes();
    options.memory_bytes = memory_bytes;
    options.shared_bytes = 4096;
    sim::Machine simulator(sim::Program::load(program), options, sim::boot_bare_metal);
    simulator.run();
    AloneResult result;
    result.exit_code = simulator.exit_code();
    const auto symbol = [&](const char* name) {
        return simulator.program().symbol(name).value_or(0);
    };
    const u64 stack = symbol("stack"), stack_end = symbol("stack_end"), tohost = symbol("tohost");
    for (unsigned node = 0; node < gates.nodes(); ++node) {
        const CheckedCore& core = gates.core(node);
        for (u64 at = kMemoryStart; at < core.table(); at += 8) {
            if ((at >= stack && at < stack_end) || at == tohost) continue;
            u64 there = 0;
            simulator.nodes()[node]->memory.read(at, &there, 8);
            ++result.compared;
            if (core.read(at, 8) == there) continue;
            if (result.differ++ >= kTold) continue;
            char line[120];
            std::snprintf(line, sizeof line,
                          "node %u, 0x%" PRIx64 ": gates 0x%" PRIx64 ", simulator 0x%" PRIx64, node,
                          at, core.read(at, 8), there);
            result.where.emplace_back(line);
        }
    }
    return result;
}

}  // namespace isthmus::rtl
