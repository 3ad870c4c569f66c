// The machine in time: all nodes and the network, simulated by any number of host threads with one
// result.
//
// Time goes in steps. In a step the nodes simulate some cycles, each by one thread and independent
// of all others, and the network at the same time simulates some. That is exact, not an
// approximation, because each side knows how soon the other can act on it:
//
//   A packet whose last flit leaves the network in cycle t acts on its node at t + receive_cycles,
//   so nodes may be receive_cycles + the ejection wire ahead of the network.
//   What a node does in cycle t enters the network at t + transmit_cycles or later, so the network
//   may be transmit_cycles ahead of the nodes.
//
// While no operation is under way anywhere, nodes may run for as long as the shortest message
// takes. Time in which nothing can happen is skipped, and so are nodes that have nothing to do in a
// step.
//
// Threads: each has a share of the nodes and helps the others when it is done. The first also steps
// the network; when many flits are under way, several step ranges of routers, Mesh::lookahead()
// cycles between barriers. Who did what does not change the result.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
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
    /// In which nodes or network went less than half as far as the other, so that threads waited.
    std::uint64_t lopsided_windows = 0;
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
    /// From on_progress: ends the run as its limit would.
    void stop() { stop_ = true; }

    /// All cycles before this one have been simulated.
    Cycle now() const { return now_; }
    const MachineDescription& machine() const { return machine_; }
    const std::vector<std::unique_ptr<TimingNode>>& nodes() const { return nodes_; }
    std::vector<std::unique_ptr<TimingNode>>& nodes() { return nodes_; }
    const Mesh& mesh() const { return *mesh_; }
    const SimulatorStatistics& statistics() const { return statistics_; }
    std::uint64_t instructions() const;
    /// How far nodes may be ahead of the network, the network of nodes, and nodes of themselves
    /// while nothing is under way.
    Cycle node_lead() const { return node_lead_; }
    Cycle network_lead() const { return network_lead_; }
    Cycle idle_window() const { return idle_window_; }

  private:
    /// What the others need to know of a node after its step; written by the thread that ran it.
    struct NodeState {
        Cycle next_event = 0, serve_by = kNever;
        bool quiet = false, finished = false, wants_service = false;
    };
    static_assert(sizeof(NodeState) == 24);
    /// Of all nodes, or of those that one thread looked at in this step.
    struct Outlook {
        Cycle next_event = kNever, serve_by = kNever;
        bool quiet = true, finished = true, wants_service = false;
        template <class Part>  // NodeState or Outlook
        void add(const Part& part) {
            next_event = std::min(next_event, part.next_event);
            serve_by = std::min(serve_by, part.serve_by);
            quiet = quiet && part.quiet;
            finished = finished && part.finished;
            wants_service = wants_service || part.wants_service;
        }
    };
    struct alignas(64) ThreadReport {
        Outlook outlook;
        Cycle pending = kNever;  // of packets that the network holds back
        unsigned nodes = 0;      // looked at
        bool delivered = false;
        std::exception_ptr error;
    };
    /// Nodes of a thread that nobody has taken in this step: first in the high half, end in the
    /// low. Even threads take theirs from the front and odd ones from the end, and others take from
    /// the other side: a pair of threads meets somewhere, and only nodes near that place are run
    /// now by one and now by the other, which costs more than a step of the node itself.
    struct alignas(64) Share {
        std::atomic<std::uint64_t> left{0};
    };
    /// Written for single nodes by the network while nodes look at the other side's.
    struct alignas(64) Flags {
        std::array<std::uint8_t, 64> of;
    };

    void work(unsigned self);
    void run_nodes(unsigned self);
    void take_nodes(unsigned self, unsigned from);
    void run_node(NodeId id, unsigned self);
    static NodeState state_of(const TimingNode& node) {
        return {node.next_event(), node.serve_by(), node.quiet(), node.finished(),
                node.wants_service()};
    }
    std::uint8_t& arrived(unsigned side, NodeId id) { return arrived_[side][id / 64].of[id % 64]; }
    void share_nodes();
    void run_network(unsigned self);
    void end_step();
    void plan();
    void serve_nodes();
    std::string stall_report() const;

    const MachineDescription machine_;
    const Cycle node_lead_, network_lead_;
    const Cycle nodes_ahead_;  // of the network, when both may go equally far in a step
    const Cycle idle_window_;
    unsigned threads_;
    /// Each time costs a trip between two cores; the last may have the others wait.
    const NodeId taken_at_once_;
    std::vector<NodeId> network_bounds_;
    std::vector<float> paces_;  // nodes that a thread ran in a step, smoothed
    std::unique_ptr<Mesh> mesh_;
    std::vector<std::unique_ptr<TimingNode>> nodes_;
    std::vector<NodeState> states_;
    std::array<std::vector<Flags>, 2> arrived_;          // by side and node: has an arrival
    std::array<std::unique_ptr<Outbox[]>, 2> outboxes_;  // by side and thread
    Departures departures_;
    Barrier barrier_, network_barrier_;

    // Shared by the threads; written by one thread alone inside a barrier. Nodes have been
    // simulated to now_ and go to end_, the network to network_now_ and network_end_.
    Cycle now_ = 0, end_ = 0, network_now_ = 0, network_end_ = 0, limit_ = 0;
    // After the last step: when the first packet sent in it and the first that the network holds
    // back are due.
    Cycle first_sent_ = kNever, pending_ = kNever;
    Outlook outlook_;
    bool delivered_ = false;
    unsigned side_ = 0;
    bool stop_ = false, ended_ = false, share_network_ = false, skip_network_ = false;
    std::unique_ptr<Share[]> shares_;
    std::vector<ThreadReport> reports_;
    SimulatorStatistics statistics_;
    std::uint64_t next_progress_ = 0;
};

}  // namespace isthmus::sim
