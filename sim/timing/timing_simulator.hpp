// The machine in time: all nodes and the network, simulated by any number of host threads with one
// result.
//
// Time goes in windows. In a window first the nodes run, each by one thread and independent of all
// others, then the network carries what they sent. That is exact, not an approximation: a packet
// that arrives at a NIC in cycle t acts on its node at t + nic.receive_cycles, so nothing the
// network does within a window of that length (plus the ejection wire) can reach a node within the
// same window. When no operation is under way anywhere, windows are longer: nothing can then reach
// another node before transmit + one hop + receive. Time in which nothing can happen is skipped.
//
// Within the network phase, threads step ranges of routers Mesh::lookahead() cycles between
// barriers; when few flits are under way one thread does it alone. Which way is taken does not
// change the result.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sim/network/barrier.hpp"
#include "sim/timing/timing_node.hpp"

namespace isthmus::sim {

struct SimulatorStatistics {
    std::uint64_t windows = 0, network_cycles = 0, parallel_network_windows = 0, skipped_cycles = 0;
    double seconds = 0;  ///< host time in run()
};

/// What a node consists of besides time. Both belong to the caller.
struct NodeParts {
    NodeMemory* data;
    InstructionSource* source;
};

class TimingSimulator {
  public:
    /// One entry of `parts` per node. Writes the namespace table of each node: ids 1..N are nodes
    /// 0..N-1, all rights,
    /// any address: what is not there the target refuses. Throws MachineError if the machine cannot
    /// run programs (network.message_classes must be 2).
    TimingSimulator(const MachineDescription& machine, std::span<const NodeParts> parts,
                    unsigned threads = 1);
    ~TimingSimulator();

    /// Runs until every source has halted and the network is empty, or `limit` cycles have passed.
    /// Returns true if all have ended. Throws ModelError if an invariant breaks or if nothing can
    /// ever go on (the text says who waits).
    bool run(Cycle limit = kNever);

    /// Called between windows, about every 50 ms of host time.
    std::function<void()> on_progress;

    /// All cycles before this one have been simulated.
    Cycle now() const { return now_; }
    const MachineDescription& machine() const { return machine_; }
    const std::vector<std::unique_ptr<TimingNode>>& nodes() const { return nodes_; }
    std::vector<std::unique_ptr<TimingNode>>& nodes() { return nodes_; }
    const Mesh& mesh() const { return *mesh_; }
    const SimulatorStatistics& statistics() const { return statistics_; }
    std::uint64_t instructions() const;
    /// Window while operations are under way, and while none are.
    Cycle busy_window() const { return busy_window_; }
    Cycle idle_window() const { return idle_window_; }

  private:
    void work(unsigned self);
    void plan_network();
    void plan_window();
    std::string stall_report() const;

    const MachineDescription machine_;
    const Cycle busy_window_, idle_window_;
    unsigned threads_;
    std::vector<NodeId> bounds_;
    std::unique_ptr<Mesh> mesh_;
    std::vector<std::unique_ptr<TimingNode>> nodes_;
    Barrier barrier_;

    // Shared by the threads; written by one thread alone inside a barrier.
    Cycle now_ = 0, end_ = 0, limit_ = 0;
    bool stop_ = false, ended_ = false;
    enum class NetworkMode : std::uint8_t {
        kSkip,
        kAlone,
        kTogether
    } network_mode_ = NetworkMode::kSkip;
    struct alignas(64) ThreadReport {
        Cycle next_event = 0;
        bool quiet = false, finished = false, wants_service = false;
        std::exception_ptr error;
    };
    std::vector<ThreadReport> reports_;
    SimulatorStatistics statistics_;
    std::uint64_t next_progress_ = 0;
};

}  // namespace isthmus::sim
