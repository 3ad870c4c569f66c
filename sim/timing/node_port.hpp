// Where a node and the network exchange packets. The two are simulated at the same time by
// different threads, so each list has two sides that change places from step to step: in a step the
// node adds to one outbox and takes from one inbox while the network empties the other outbox and
// fills the other inbox. The barrier between steps orders them.
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "sim/network/mesh.hpp"

namespace isthmus::sim {

class NodePort {
  public:
    NodePort() = default;
    NodePort(const NodePort&) = delete;
    NodePort& operator=(const NodePort&) = delete;
    ~NodePort() {
        for (const auto& box : outboxes_) {
            for (const Parcel& parcel : box)
                delete parcel.packet;
        }
        for (const Parcel& parcel : pending_)
            delete parcel.packet;
        for (const auto& box : inboxes_) {
            for (const Delivery& delivery : box)
                delete delivery.packet;
        }
    }

    // For the node. `side` is that of the step.

    void begin_step(unsigned side) {
        side_ = side;
        first_sent_ = kNever;
    }
    /// Hands over a packet whose first flit may leave in cycle `when`, which lies at least
    /// nic.transmit_cycles ahead.
    void send(Packet* packet, Cycle when) {
        outboxes_[side_].push_back({when, packet});
        first_sent_ = std::min(first_sent_, when);
    }
    /// What arrived in the step before.
    std::vector<Delivery>& arrivals(unsigned side) { return inboxes_[1 - side]; }
    const std::vector<Delivery>& arrivals(unsigned side) const { return inboxes_[1 - side]; }
    /// The earliest cycle of what was sent in this step.
    Cycle first_sent() const { return first_sent_; }

    // For the network.

    /// Takes what was sent in the step before, and puts everything due before `end` into the mesh.
    /// Returns when the next packet that stays behind is due.
    Cycle inject(Mesh& mesh, unsigned side, Cycle end) {
        std::vector<Parcel>& sent = outboxes_[1 - side];
        for (const Parcel& parcel : sent) {
            // Mostly in order; equal times stay in the order of sending.
            auto at = pending_.end();
            while (at != pending_.begin() && std::prev(at)->when > parcel.when)
                --at;
            pending_.insert(at, parcel);
        }
        sent.clear();
        std::size_t due = 0;
        for (; due < pending_.size() && pending_[due].when < end; ++due)
            mesh.inject(pending_[due].packet, pending_[due].when);
        pending_.erase(pending_.begin(), pending_.begin() + static_cast<std::ptrdiff_t>(due));
        return pending_.empty() ? kNever : pending_.front().when;
    }
    /// Moves what the mesh delivered to `id`. True if there was something.
    bool deliver(Mesh& mesh, NodeId id, unsigned side) {
        std::vector<Delivery>& delivered = mesh.deliveries(id);
        if (delivered.empty()) return false;
        inboxes_[side].insert(inboxes_[side].end(), delivered.begin(), delivered.end());
        delivered.clear();
        return true;
    }

  private:
    struct Parcel {
        Cycle when;
        Packet* packet;
    };
    std::array<std::vector<Parcel>, 2> outboxes_;
    std::array<std::vector<Delivery>, 2> inboxes_;
    unsigned side_ = 0;
    Cycle first_sent_ = kNever;
    alignas(64) std::vector<Parcel> pending_;  // the network's, by time
};

}  // namespace isthmus::sim
