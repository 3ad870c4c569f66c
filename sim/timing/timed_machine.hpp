// Programs in time: attaches the harts of a functional machine (sim/hart) to the timing model.
//
// The functional machine loads the program and plays its environment (system calls, exits). The
// timing simulator decides when each instruction and each remote access happens. Remote accesses go
// through the simulated NICs, network and directories with their data; a hart that asked for a
// result stops until it is there. System calls are served between windows, node after node.
//
// Programs with page tables are translated by them, in time; Linux programs, which have none, use
// their addresses as they are, and pay for translation if mmu.emulated says so. Not modelled:
// threads of one node (one core per node; a program that starts a second hart is refused). Time as
// a program sees it is simulated time.
#pragma once

#include <memory>
#include <vector>

#include "sim/hart/machine.hpp"
#include "sim/timing/timing_simulator.hpp"

namespace isthmus::sim {

class TimedMachine {
  public:
    /// `functional` is loaded and has not run; it has as many nodes as `machine` and lives longer
    /// than this. Throws MachineError if the two do not fit.
    TimedMachine(Machine& functional, const MachineDescription& machine, unsigned threads = 1);
    ~TimedMachine();

    /// Runs until every node has exited or `limit` cycles have passed. True if all have exited.
    /// Throws ModelError as TimingSimulator::run.
    bool run(Cycle limit = kNever) { return simulator_->run(limit); }

    TimingSimulator& simulator() { return *simulator_; }

  private:
    class HartSource;
    class HartMemory;

    std::vector<std::unique_ptr<HartMemory>> memories_;
    std::vector<std::unique_ptr<HartSource>> sources_;
    std::unique_ptr<TimingSimulator> simulator_;
};

}  // namespace isthmus::sim
