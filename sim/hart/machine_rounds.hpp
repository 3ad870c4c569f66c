// The rounds of Machine under an observer; for the few files that run it with one.
#pragma once

#include <algorithm>
#include <barrier>
#include <thread>

#include "sim/hart/machine.hpp"
#include "sim/hart/run.hpp"

namespace isthmus::sim {

template <HartObserver Observer>
void Machine::advance(Node& node, Observer& observer) {
    const std::size_t harts = node.harts.size();
    while (node.quota > 0) {
        std::size_t tried = 0;
        while (tried < harts && !node.runnable[node.current]) {
            node.current = (node.current + 1) % harts;
            ++tried;
        }
        if (tried == harts) {
            node.quota = 0;
            return;
        }
        Hart& hart = *node.harts[node.current];
        // Harts that can run share the quantum in equal slices, so that they run beside each other.
        const auto sharers =
            harts == 1 ? 1 : std::count(node.runnable.begin(), node.runnable.end(), true);
        const auto slice =
            sharers == 1
                ? node.quota
                : std::min<std::int64_t>(node.quota,
                                         static_cast<std::int64_t>(options_.quantum) / sharers + 1);
        const std::uint64_t before = hart.instret;
        const Stop stop = sim::run(hart, observer, slice);
        // A stop without progress still uses something up, so that a round ends; a slice that is
        // used up may have gone into traps.
        node.quota -= std::max<std::int64_t>(stop == Stop::budget ? slice : 1,
                                             static_cast<std::int64_t>(hart.instret - before));
        switch (stop) {
            case Stop::budget: node.current = (node.current + 1) % harts; break;
            case Stop::yield:
                ++node.counters.yields;
                node.current = (node.current + 1) % harts;
                if (harts == 1) {
                    node.quota = 0;
                    return;
                }
                node.quota -= static_cast<std::int64_t>(options_.quantum / (2 * harts));
                break;
            default: node.wants_service = true; return;
        }
    }
}

template <HartObserver Observer>
bool Machine::round(std::span<Observer> observers) {
    begin_round();
    while (!active_.empty()) {
        for (Node* node : active_)
            advance(*node, observers[node->id]);
        end_phase();
    }
    tick_progress();
    for (const auto& node : nodes_) {
        if (!node->exited) return !limit_reached_;
    }
    return false;
}

template <HartObserver Observer>
bool Machine::run_spread(std::span<Observer> observers) {
    for (;;) {
        Spread::State state = begin_spread_round();
        while (state.active) {
            for (Node* node : active_)
                advance(*node, observers[node->id]);
            state = end_spread_phase();
        }
        tick_progress();
        if (!state.alive) return true;
        if (state.limited) return false;
    }
}

template <HartObserver Observer>
bool Machine::run(std::span<Observer> observers) {
    if constexpr (Observer::kObserves) {
        tell_trap_ = [observers](const Node& node, const Hart& hart, std::uint64_t pc) {
            observers[node.id].trap(hart, pc, hart.trap);
        };
    }
    if (options_.spread != nullptr) return run_spread(observers);
    const unsigned threads =
        std::min<unsigned>(options_.threads, static_cast<unsigned>(nodes_.size()));
    if (threads <= 1) {
        while (round(observers)) {
        }
    } else {
        // The last thread to arrive serves the requests while the others wait; std::barrier orders
        // what they wrote before with what they read after.
        bool more = true;
        const auto complete = [&]() noexcept {
            if (!end_phase()) return;
            tick_progress();
            more = false;
            for (const auto& node : nodes_)
                more |= !node->exited;
            more = more && !limit_reached_;
            if (more) begin_round();
        };
        begin_round();
        std::barrier meeting(threads, complete);
        const auto work = [&](unsigned index) {
            while (more) {
                for (std::size_t i = index; i < active_.size(); i += threads)
                    advance(*active_[i], observers[active_[i]->id]);
                meeting.arrive_and_wait();
            }
        };
        std::vector<std::jthread> others;
        for (unsigned i = 1; i < threads; ++i)
            others.emplace_back(work, i);
        work(0);
    }
    for (const auto& node : nodes_) {
        if (!node->exited) return false;
    }
    return true;
}

}  // namespace isthmus::sim
