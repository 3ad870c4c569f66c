// One node in time: its core, caches, memory controller and NIC, and the order in which they act.
#pragma once

#include <memory>

#include "sim/timing/core_timing.hpp"
#include "sim/timing/network_interface.hpp"

namespace isthmus::sim {

class TimingNode {
  public:
    /// `data` and `source` belong to the caller and live as long as the node.
    TimingNode(const MachineDescription& machine, NodeId id, Mesh& mesh, NodeMemory& data,
               InstructionSource& source)
        : id_(id),
          receive_cycles_(machine.nic.receive_cycles),
          source_(source),
          memory_(machine),
          nic_(machine, id, memory_, data, events_, port_, mesh.nodes()),
          core_(machine, memory_, nic_) {
        nic_.attach(core_, source);
        nic_.translate_by(source.translation());
        core_.translate_by(source.translation());
    }

    /// Simulates everything that happens before `limit`; all before `begin` has been.
    /// What it sends goes to `outbox`, which is the running thread's.
    void run(Cycle begin, Cycle limit, unsigned side, Outbox& outbox) {
        port_.begin_step(outbox);
        nic_.begin_step(begin);
        for (const Delivery& delivery : port_.arrivals(side)) {
            events_.push(delivery.when + receive_cycles_, EventKind::arrive, 0, delivery.packet);
        }
        port_.arrivals(side).clear();
        advance(limit);
        look_ahead();
    }

    /// A cycle before which nothing happens here by itself; kNever if only others can make it go
    /// on. As of the end of run() or serve().
    Cycle next_event() const { return next_event_; }
    /// The core has ended and nothing is under way here.
    bool finished() const { return source_.halted() && core_.idle() && quiet(); }
    /// No remote operation of this node and none at this node is under way.
    bool quiet() const { return nic_.activity() == 0 && events_.empty(); }
    bool wants_service() const { return source_.wants_service(); }
    /// By which it has to be served, so that a short service takes its time: kNever if none is
    /// announced. As of the end of run() or serve().
    Cycle serve_by() const {
        const Cycle cycles = core_.blocked() ? 0 : source_.announced_service();
        return cycles == 0 ? kNever : core_.next_cycle() + cycles;
    }
    void serve(Cycle end_of_window) {
        source_.serve();
        core_.service_done(end_of_window, source_.halted());
        look_ahead();
    }

    NodeId id() const { return id_; }
    CoreTiming& core() { return core_; }
    const CoreTiming& core() const { return core_; }
    const MemorySystem& memory() const { return memory_; }
    NetworkInterface& nic() { return nic_; }
    const NetworkInterface& nic() const { return nic_; }
    NodePort& port() { return port_; }
    const InstructionSource& source() const { return source_; }

  private:
    void advance(Cycle limit) {
        for (;;) {
            const Cycle stop = std::min(limit, events_.next());
            if (core_.resume(stop) && !source_.halted()) {
                source_.run(core_);
                continue;
            }
            if (core_.sent()) continue;
            // The core waits or is ahead; the memory controller may have an answer for it.
            if (memory_.dram().completions().empty() && stop != 0)
                memory_.dram().advance(stop - 1, true);
            if (!memory_.dram().completions().empty()) {
                take_completions();
            } else if (events_.next() < limit) {
                nic_.handle(events_.pop());
            } else {
                return;
            }
        }
    }

    void look_ahead() {
        next_event_ = std::min(events_.next(), memory_.dram().next_event());
        const bool ended = source_.halted() && core_.idle();
        if (!ended && !core_.blocked() && !core_.waiting_for_service())
            next_event_ = std::min(next_event_, core_.next_cycle());
    }
    void take_completions() {
        std::vector<DramCompletion>& completions = memory_.dram().completions();
        for (std::size_t i = 0; i < completions.size(); ++i) {
            const auto [tag, when] = completions[i];
            if (tag < CoreTiming::kFirstFreeTag) {
                core_.line_arrived(tag, when + memory_.return_cycles());
            } else {
                nic_.line_read(tag, when + memory_.return_cycles());
            }
        }
        completions.clear();
    }

    const NodeId id_;
    const Cycle receive_cycles_;
    InstructionSource& source_;
    Cycle next_event_ = 0;
    NodePort port_;
    EventQueue events_;
    MemorySystem memory_;
    NetworkInterface nic_;
    CoreTiming core_;
};

}  // namespace isthmus::sim
