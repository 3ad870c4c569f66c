#include "sim/timing/timing_simulator.hpp"

#include <chrono>
#include <exception>
#include <thread>

#include "sim/machine/check.hpp"

namespace isthmus::sim {

namespace {

/// With fewer flits a thread under way, one thread steps the network faster than several can meet.
constexpr std::uint64_t kFlitsWorthSharing = 48;

/// Threads that step the network: it has a third of the work at most.
unsigned network_team(unsigned threads) {
    return std::max(1u, threads / 3);
}

std::vector<NodeId> bounds_for(std::uint64_t nodes, unsigned parts) {
    std::vector<NodeId> bounds;
    for (unsigned i = 0; i <= parts; ++i)
        bounds.push_back(static_cast<NodeId>(nodes * i / parts));
    return bounds;
}

std::uint64_t milliseconds() {
    return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::milliseconds>(
                                          std::chrono::steady_clock::now().time_since_epoch())
                                          .count());
}

}  // namespace

TimingSimulator::TimingSimulator(const MachineDescription& machine,
                                 std::span<const NodeParts> parts, unsigned threads)
    : machine_(machine),
      node_lead_(machine.nic.receive_cycles + machine.network.link_cycles + 1),
      network_lead_(machine.nic.transmit_cycles),
      // node_lead - nodes_ahead = network_lead + nodes_ahead; modulo 2^64, as sums with it are.
      nodes_ahead_(static_cast<Cycle>(
          (static_cast<std::int64_t>(node_lead_) - static_cast<std::int64_t>(network_lead_)) / 2)),
      // The empty network: injection wire, two routers, one flit.
      idle_window_(machine.nic.transmit_cycles + machine.network.link_cycles +
                   2 * (machine.network.router_cycles + machine.network.link_cycles) +
                   machine.nic.receive_cycles),
      threads_(std::max(1u, std::min(threads, static_cast<unsigned>(machine.nodes())))),
      taken_at_once_(std::max(1u, static_cast<NodeId>(machine.nodes()) / (16 * threads_))),
      network_bounds_(bounds_for(machine.nodes(), network_team(threads_))),
      paces_(threads_, static_cast<float>(machine.nodes()) / static_cast<float>(threads_)),
      states_(machine.nodes()),
      outboxes_{std::make_unique<Outbox[]>(threads_), std::make_unique<Outbox[]>(threads_)},
      departures_(machine.nodes()),
      barrier_(threads_),
      network_barrier_(network_team(threads_)),
      shares_(std::make_unique<Share[]>(threads_)),
      reports_(threads_) {
    if (machine.network.message_classes != 2) {
        throw MachineError(
            "network.message_classes must be 2 to run programs: requests and replies must travel "
            "apart");
    }
    if (parts.size() != machine.nodes()) {
        model_error("simulator: " + std::to_string(parts.size()) +
                    " nodes given for a machine of " + std::to_string(machine.nodes()));
    }
    mesh_ = std::make_unique<Mesh>(machine_, idle_window_ + node_lead_ + network_lead_ + 1);
    mesh_->set_ranges(network_bounds_);
    for (auto& flags : arrived_)
        flags.resize((machine.nodes() + 63) / 64);
    const ResidentNamespaceTable table(machine_);
    for (NodeId id = 0; id < machine.nodes(); ++id) {
        for (NodeId other = 0; other < machine.nodes(); ++other) {
            table.insert(*parts[id].data,
                         {other + std::uint64_t{1}, other, kAllRights, 0, ~std::uint64_t{0}});
        }
        nodes_.push_back(
            std::make_unique<TimingNode>(machine_, id, *mesh_, *parts[id].data, *parts[id].source));
    }
}

TimingSimulator::~TimingSimulator() {
    // After a run that its limit ended, the last step's packets lie in the side that the network
    // would take next; those of the other side it has taken.
    for (unsigned i = 0; i < threads_; ++i) {
        for (const Parcel& parcel : outboxes_[1 - side_][i].parcels)
            delete parcel.packet;
    }
}

std::uint64_t TimingSimulator::instructions() const {
    std::uint64_t sum = 0;
    for (const auto& node : nodes_)
        sum += node->core().statistics().instructions_in_all();
    return sum;
}

bool TimingSimulator::run(Cycle limit) {
    limit_ = limit;
    stop_ = now_ >= limit;
    ended_ = false;
    next_progress_ = milliseconds() + 50;
    const auto begin = std::chrono::steady_clock::now();
    outlook_ = {};
    for (const NodeState& state : states_)
        outlook_.add(state);
    if (!stop_) plan();
    std::vector<std::thread> team;
    for (unsigned i = 1; i < threads_; ++i)
        team.emplace_back([this, i] { work(i); });
    work(0);
    for (std::thread& thread : team)
        thread.join();
    statistics_.seconds +=
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    for (ThreadReport& report : reports_) {
        if (report.error) std::rethrow_exception(report.error);
    }
    if (ended_) mesh_->check_quiescent();
    return ended_;
}

void TimingSimulator::work(unsigned self) {
    while (!stop_) {
        if (self + 1 < network_bounds_.size()) run_network(self);
        run_nodes(self);
        barrier_.wait([this] {
            end_step();
            plan();
        });
    }
}

void TimingSimulator::run_node(NodeId id, unsigned self) {
    NodeState& state = states_[id];
    std::uint8_t& has_arrivals = arrived(1 - side_, id);
    if (has_arrivals != 0 || state.next_event < end_) {
        // The flags of many nodes share a line: written only if they change.
        if (has_arrivals != 0) has_arrivals = 0;
        TimingNode& node = *nodes_[id];
        node.run(now_, end_, side_, outboxes_[side_][self]);
        state = state_of(node);
    }
    reports_[self].outlook.add(state);
}

/// Runs what is left of the share of thread `of`.
void TimingSimulator::take_nodes(unsigned self, unsigned of) {
    std::atomic<std::uint64_t>& left = shares_[of].left;
    const bool at_front = (of % 2 == 0) == (of == self);
    // Relaxed throughout: only who runs a node is decided here. What the last one to run it wrote
    // is ordered by the barrier between steps.
    std::uint64_t range = left.load(std::memory_order_relaxed);
    for (;;) {
        const auto first = static_cast<NodeId>(range >> 32),
                   end = static_cast<NodeId>(range & 0xffffffffu);
        if (first >= end) return;
        const NodeId count = std::min(taken_at_once_, end - first);
        const std::uint64_t taken = at_front ? range + (std::uint64_t{count} << 32) : range - count;
        if (!left.compare_exchange_weak(range, taken, std::memory_order_relaxed)) continue;
        for (NodeId i = 0; i < count; ++i)
            run_node(at_front ? first + i : end - 1 - i, self);
        reports_[self].nodes += count;
        range = left.load(std::memory_order_relaxed);
    }
}

void TimingSimulator::run_nodes(unsigned self) {
    outboxes_[side_][self].clear();
    try {
        if (threads_ == 1) {
            for (NodeId id = 0; id < nodes_.size(); ++id)
                run_node(id, self);
            return;
        }
        take_nodes(self, self);
        const unsigned partner = self ^ 1;
        if (partner < threads_) take_nodes(self, partner);
        for (unsigned i = 1; i < threads_; ++i) {
            const unsigned other = (self + i) % threads_;
            if (other != partner) take_nodes(self, other);
        }
    } catch (...) {
        reports_[self].error = std::current_exception();
    }
}

/// Before a step: to each thread as many nodes as it came to run in the last ones, so that little
/// is taken from others. Who runs the network comes to fewer.
void TimingSimulator::share_nodes() {
    constexpr float kSmoothing = 1.0f / 16;
    float all = 0;
    for (unsigned i = 0; i < threads_; ++i) {
        paces_[i] += kSmoothing * (static_cast<float>(reports_[i].nodes) - paces_[i]);
        reports_[i].nodes = 0;
        all += paces_[i];
    }
    const auto nodes = static_cast<float>(nodes_.size());
    float sum = 0;
    std::uint64_t first = 0;
    for (unsigned i = 0; i < threads_; ++i) {
        sum += paces_[i];
        const std::uint64_t end =
            i + 1 == threads_
                ? nodes_.size()
                : std::clamp<std::uint64_t>(static_cast<std::uint64_t>(nodes * sum / all), first,
                                            nodes_.size());
        shares_[i].left.store(first << 32 | end, std::memory_order_relaxed);
        first = end;
    }
}

void TimingSimulator::run_network(unsigned self) {
    if (skip_network_ || (self != 0 && !share_network_)) return;
    ThreadReport& report = reports_[self];
    const NodeId first = network_bounds_[self],
                 last = share_network_ ? network_bounds_[self + 1] : network_bounds_.back();
    try {
        for (unsigned i = 0; i < threads_; ++i)
            departures_.take(outboxes_[1 - side_][i], first, last);
        report.pending = departures_.inject(*mesh_, first, last, network_end_);
        if (!share_network_) mesh_->run_until(network_end_);
    } catch (...) {
        report.error = std::current_exception();
    }
    if (share_network_) {
        const Cycle quantum = mesh_->lookahead();
        for (Cycle start = network_now_; start < network_end_; start += quantum) {
            network_barrier_.wait();
            try {
                const Cycle stop = std::min(network_end_, start + quantum);
                for (Cycle cycle = start; cycle < stop && !report.error; ++cycle)
                    mesh_->step(self, cycle);
            } catch (...) {
                report.error = std::current_exception();
            }
        }
    }
    for (NodeId id = first; id < last; ++id) {
        if (!nodes_[id]->port().deliver(*mesh_, id, side_)) continue;
        arrived(side_, id) = 1;
        report.delivered = true;
    }
}

void TimingSimulator::serve_nodes() {
    for (NodeId id = 0; id < nodes_.size(); ++id) {
        if (!states_[id].wants_service) continue;
        TimingNode& node = *nodes_[id];
        node.serve(now_);
    }
    // A service may have been the end of other nodes, too.
    outlook_ = {};
    for (NodeId id = 0; id < nodes_.size(); ++id) {
        TimingNode& node = *nodes_[id];
        NodeState& state = states_[id];
        state = state_of(node);
        outlook_.add(state);
    }
}

void TimingSimulator::end_step() {
    now_ = end_;
    network_now_ = network_end_;
    mesh_->set_now(network_now_);
    side_ ^= 1;
    ++statistics_.windows;
    delivered_ = false;
    outlook_ = {};
    first_sent_ = kNever;
    if (!skip_network_) pending_ = kNever;
    for (unsigned i = 0; i < threads_; ++i) {
        ThreadReport& report = reports_[i];
        stop_ = stop_ || report.error != nullptr;
        delivered_ = delivered_ || report.delivered;
        outlook_.add(report.outlook);
        first_sent_ = std::min(first_sent_, outboxes_[1 - side_][i].first);
        pending_ = std::min(pending_, report.pending);
        report.delivered = false;
        report.outlook = {};
        report.pending = kNever;
    }
}

void TimingSimulator::plan() {
    if (stop_) return;
    try {
        if (outlook_.wants_service) serve_nodes();
        // A step is about as short as a look at the clock, and all threads wait for this one.
        if (on_progress && statistics_.windows % 256 == 0 && milliseconds() >= next_progress_) {
            on_progress();
            next_progress_ = milliseconds() + 50;
            if (stop_) return;
        }
        // No packet anywhere but those that wait for their time.
        const bool empty = mesh_->idle() && !delivered_;
        const Cycle sent = std::min(first_sent_, pending_);
        if (empty && outlook_.finished && sent == kNever) {
            ended_ = stop_ = true;
            return;
        }
        if (empty) {
            const Cycle next = std::min(outlook_.next_event, sent);
            if (next == kNever) model_error(stall_report());
            if (next > now_) {
                const Cycle to = std::min(next, limit_);
                statistics_.skipped_cycles += to - now_;
                now_ = to;
            }
            network_now_ = std::max(network_now_, std::min(sent, now_ + network_lead_));
            mesh_->set_now(network_now_);
        }
        if (now_ >= limit_) {
            stop_ = true;
            return;
        }
        // As far as each may go; but who could go further than the other waits for it, so that in
        // every step both have the same to do, and no thread waits while one steps the network.
        const Cycle furthest = network_now_ + node_lead_, network_furthest = now_ + network_lead_;
        end_ = std::min(furthest, network_furthest + nodes_ahead_);
        network_end_ = std::min(network_furthest, furthest - nodes_ahead_);
        if (empty && outlook_.quiet && sent == kNever) end_ = std::max(end_, now_ + idle_window_);
        // What asks for a service in this step is served at its end, within the service's time.
        end_ = std::min(end_, now_ + kShortestService);
        if (outlook_.serve_by > now_) end_ = std::min(end_, outlook_.serve_by);
        end_ = std::max(now_, std::min(limit_, end_));
        network_end_ = std::max(network_now_, network_end_);
        // What was sent in the last step must change hands in this one.
        skip_network_ = empty && first_sent_ == kNever && pending_ >= network_end_;
        if (!skip_network_) {
            statistics_.network_cycles += network_end_ - network_now_;
            share_network_ =
                network_bounds_.size() > 2 &&
                mesh_->active_flits() >= kFlitsWorthSharing * (network_bounds_.size() - 1);
            statistics_.parallel_network_windows += share_network_;
            const Cycle nodes_go = end_ - now_, network_goes = network_end_ - network_now_;
            statistics_.lopsided_windows +=
                2 * std::min(nodes_go, network_goes) < std::max(nodes_go, network_goes);
        }
        if (threads_ != 1) share_nodes();
    } catch (...) {
        reports_[0].error = std::current_exception();
        stop_ = true;
    }
}

std::string TimingSimulator::stall_report() const {
    std::string text = "simulator: cycle " + std::to_string(now_) + ": nothing can go on; waiting:";
    unsigned named = 0;
    for (const auto& node : nodes_) {
        if (node->source().halted()) continue;
        if (++named > 8) {
            text += " ...";
            break;
        }
        text += " node " + std::to_string(node->id()) + " (" +
                std::to_string(node->nic().outstanding()) + " remote operations under way)";
    }
    return text;
}

}  // namespace isthmus::sim
