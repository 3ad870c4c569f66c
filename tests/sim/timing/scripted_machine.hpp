// A machine whose nodes run given lists of instructions; for tests that calculate by hand.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "sim/memory/sparse_memory.hpp"
#include "sim/timing/timing_simulator.hpp"

namespace isthmus::sim {

struct Step {
    RetiredInstruction instruction;
    std::vector<std::pair<AccessKind, std::uint64_t>> accesses{};  // 8 bytes each
    bool has_remote = false;
    RemoteOperation remote{};
};

struct Answer {
    Ticket ticket;
    RemoteStatus status;
    std::vector<std::byte> data;
    std::uint64_t word() const {
        std::uint64_t value = 0;
        std::copy_n(data.begin(), std::min<std::size_t>(8, data.size()),
                    reinterpret_cast<std::byte*>(&value));
        return value;
    }
};

/// Executes its steps in order and notes the cycle before each one, and at the end.
class ScriptedSource final : public InstructionSource {
  public:
    std::vector<Step> steps;
    std::vector<Cycle> before;
    std::vector<Answer> answers;

    bool halted() const override { return ended_; }
    void run(CoreTiming& core) override {
        for (;;) {
            if (!std::exchange(noted_, true)) before.push_back(core.now());
            if (next_ == steps.size()) {
                ended_ = true;
                return;
            }
            const Step& step = steps[next_];
            const RetiredInstruction& i = step.instruction;
            if (core.holds(i.kind, {i.destination, i.source1, i.source2, i.source3},
                           accesses_of(step)))
                return;
            ++next_;
            noted_ = false;
            for (const auto& [kind, address] : step.accesses)
                core.memory_access(kind, address, 8);
            if (step.has_remote) core.remote_access(step.remote);
            if (!core.retire(step.instruction)) return;
        }
    }
    void remote_completed(Ticket ticket, RemoteStatus status,
                          std::span<const std::byte> data) override {
        answers.push_back({ticket, status, {data.begin(), data.end()}});
    }
    /// Cycles from the issue of step `from` to the issue of step `to`, neither being a branch.
    Cycle between(std::size_t from, std::size_t to) const {
        return before.at(to + 1) - before.at(from + 1);
    }

  private:
    static std::uint8_t accesses_of(const Step& step) {
        std::uint8_t all = 0;
        for (const auto& [kind, address] : step.accesses) {
            if (kind != AccessKind::store) all |= kFenceReads;
            if (kind != AccessKind::load) all |= kFenceWrites;
        }
        if (step.has_remote && step.remote.reads()) all |= kFenceReads;
        if (step.has_remote && step.remote.writes()) all |= kFenceWrites;
        return all;
    }

    std::size_t next_ = 0;
    bool ended_ = false, noted_ = false;  // noted: the cycle before step next_
};

struct ScriptedMachine {
    explicit ScriptedMachine(MachineDescription m, unsigned threads = 1) : machine(std::move(m)) {
        std::vector<NodeParts> parts;
        for (std::uint64_t i = 0; i < machine.nodes(); ++i) {
            memories.push_back(
                std::make_unique<SparseMemory>(machine.memory.base, machine.memory_bytes()));
            sources.push_back(std::make_unique<ScriptedSource>());
            parts.push_back({memories.back().get(), sources.back().get()});
        }
        simulator = std::make_unique<TimingSimulator>(machine, parts, threads);
    }
    std::uint64_t word(NodeId node, std::uint64_t address) {
        std::uint64_t value = 0;
        memories[node]->read(address, std::as_writable_bytes(std::span(&value, 1)));
        return value;
    }
    void set_word(NodeId node, std::uint64_t address, std::uint64_t value) {
        memories[node]->write(address, std::as_bytes(std::span(&value, 1)));
    }

    MachineDescription machine;
    std::vector<std::unique_ptr<SparseMemory>> memories;
    std::vector<std::unique_ptr<ScriptedSource>> sources;
    std::unique_ptr<TimingSimulator> simulator;
};

/// Data in another bank group than the code, whose row the first fetch opens.
inline std::uint64_t data(const MachineDescription& m) {
    return m.memory.base + (1 << 20) + m.directory.line_bytes;
}

/// When the controller, idle and with the bank closed, has a line that is asked for in cycle `now`.
inline Cycle memory_done(const MachineDescription& m, Cycle now) {
    const std::uint64_t arrival =
        (now * m.memory.clock_mhz + m.core.clock_mhz - 1) / m.core.clock_mhz;
    const std::uint64_t done = arrival + m.memory.t_rcd + m.memory.cl + m.memory.burst;
    return (done * m.core.clock_mhz + m.memory.clock_mhz - 1) / m.memory.clock_mhz;
}

/// An instruction at a fixed place, so that only the first one misses the instruction cache.
inline Step plain(const MachineDescription& m, TimingClass kind, RegisterId destination = 0,
                  RegisterId source = 0) {
    Step step;
    step.instruction.pc = m.memory.base;
    step.instruction.next_pc = m.memory.base + 4;
    step.instruction.kind = kind;
    step.instruction.destination = destination;
    step.instruction.source1 = source;
    return step;
}
inline Step load(const MachineDescription& m, RegisterId destination, std::uint64_t address) {
    Step step = plain(m, TimingClass::load, destination);
    step.accesses = {{AccessKind::load, address}};
    return step;
}
inline Step store(const MachineDescription& m, std::uint64_t address) {
    Step step = plain(m, TimingClass::store);
    step.accesses = {{AccessKind::store, address}};
    return step;
}
inline Step remote(const MachineDescription& m, const RemoteOperation& operation) {
    Step step = plain(m, TimingClass::remote);
    step.has_remote = true;
    step.remote = operation;
    return step;
}

}  // namespace isthmus::sim
