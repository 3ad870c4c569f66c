#include "sim/timing/timing_simulator.hpp"

#include <chrono>
#include <exception>
#include <thread>

#include "sim/machine/check.hpp"

namespace isthmus::sim {

namespace {

/// With fewer flits a node under way, one thread steps the network faster than several can meet.
constexpr std::uint64_t kFlitsWorthSharing = 24;

std::uint64_t milliseconds() {
    return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::milliseconds>(
                                          std::chrono::steady_clock::now().time_since_epoch())
                                          .count());
}

}  // namespace

TimingSimulator::TimingSimulator(const MachineDescription& machine,
                                 std::span<const NodeParts> parts, unsigned threads)
    : machine_(machine),
      busy_window_(machine.nic.receive_cycles + machine.network.link_cycles + 1),
      // The empty network: injection wire, two routers, one flit.
      idle_window_(machine.nic.transmit_cycles + machine.network.link_cycles +
                   2 * (machine.network.router_cycles + machine.network.link_cycles) +
                   machine.nic.receive_cycles),
      threads_(std::max(1u, std::min(threads, static_cast<unsigned>(machine.nodes())))),
      barrier_(threads_),
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
    mesh_ = std::make_unique<Mesh>(machine_, std::max(busy_window_, idle_window_) + 1);
    bounds_.resize(threads_ + 1);
    for (unsigned i = 0; i <= threads_; ++i) {
        bounds_[i] = static_cast<NodeId>(machine.nodes() * i / threads_);
    }
    mesh_->set_ranges(bounds_);
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

TimingSimulator::~TimingSimulator() = default;

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
    end_ = std::min(limit, now_ + std::min(busy_window_, idle_window_));
    next_progress_ = milliseconds() + 50;
    const auto begin = std::chrono::steady_clock::now();
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
    ThreadReport& report = reports_[self];
    const NodeId first = bounds_[self], last = bounds_[self + 1];
    while (!stop_) {
        try {
            for (NodeId id = first; id < last; ++id)
                nodes_[id]->run(end_);
            report.next_event = kNever;
            report.quiet = report.finished = true;
            report.wants_service = false;
            for (NodeId id = first; id < last; ++id) {
                const TimingNode& node = *nodes_[id];
                report.next_event = std::min(report.next_event, node.next_event());
                const bool quiet = node.quiet();
                report.quiet = report.quiet && quiet;
                report.finished = report.finished && node.finished();
                report.wants_service = report.wants_service || node.wants_service();
            }
        } catch (...) {
            report.error = std::current_exception();
        }
        barrier_.wait([this] { plan_network(); });
        if (network_mode_ == NetworkMode::kSkip) continue;
        if (network_mode_ == NetworkMode::kTogether) {
            const Cycle quantum = mesh_->lookahead();
            for (Cycle start = now_; start < end_; start += quantum) {
                try {
                    const Cycle stop = std::min(end_, start + quantum);
                    for (Cycle cycle = start; cycle < stop && !report.error; ++cycle)
                        mesh_->step(self, cycle);
                } catch (...) {
                    report.error = std::current_exception();
                }
                if (start + quantum < end_) barrier_.wait();
            }
        } else if (self == 0) {
            try {
                mesh_->run_until(end_);
            } catch (...) {
                report.error = std::current_exception();
            }
        }
        barrier_.wait([this] { plan_window(); });
    }
}

void TimingSimulator::plan_network() {
    ++statistics_.windows;
    for (const ThreadReport& report : reports_)
        stop_ = stop_ || report.error != nullptr;
    if (stop_) {
        network_mode_ = NetworkMode::kSkip;
        return;
    }
    if (mesh_->idle()) {
        network_mode_ = NetworkMode::kSkip;
        plan_window();
        return;
    }
    statistics_.network_cycles += end_ - now_;
    const bool share = threads_ > 1 && mesh_->active_flits() >= kFlitsWorthSharing * threads_;
    network_mode_ = share ? NetworkMode::kTogether : NetworkMode::kAlone;
    statistics_.parallel_network_windows += share;
}

void TimingSimulator::plan_window() {
    now_ = end_;
    mesh_->set_now(now_);
    bool quiet = true, finished = true, wants_service = false;
    Cycle next = kNever;
    for (const ThreadReport& report : reports_) {
        stop_ = stop_ || report.error != nullptr;
        quiet = quiet && report.quiet;
        finished = finished && report.finished;
        wants_service = wants_service || report.wants_service;
        next = std::min(next, report.next_event);
    }
    if (stop_) return;
    try {
        const bool network_idle = mesh_->idle();
        if (wants_service) {
            finished = true;  // a service may have been an exit
            for (const auto& node : nodes_) {
                if (node->wants_service()) node->serve(now_);
                next = std::min(next, node->next_event());
                finished = finished && node->finished();
            }
        }
        if (on_progress && milliseconds() >= next_progress_) {
            on_progress();
            next_progress_ = milliseconds() + 50;
        }
        if (finished && network_idle) {
            ended_ = stop_ = true;
            return;
        }
        bool delivered = false;
        if (network_idle) {
            for (NodeId id = 0; id < nodes_.size() && !delivered; ++id)
                delivered = !mesh_->deliveries(id).empty();
            if (!delivered) {
                if (next == kNever) model_error(stall_report());
                if (next > now_) {
                    const Cycle to = std::min(next, limit_);
                    statistics_.skipped_cycles += to - now_;
                    now_ = to;
                    mesh_->set_now(now_);
                }
            }
        }
        if (now_ >= limit_) {
            stop_ = true;
            return;
        }
        const Cycle window = network_idle && quiet && !delivered
                                 ? std::max(busy_window_, idle_window_)
                                 : busy_window_;
        end_ = std::min(limit_, now_ + window);
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
