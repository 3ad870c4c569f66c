// Where nodes and the network exchange packets. The two are simulated at the same time by different
// threads, so each list has two sides that change places from step to step: in a step nodes add to
// one side of an outbox and take from one side of their inbox, while the network takes from the
// other side of the outboxes and fills the other side of the inboxes. The barrier between steps
// orders them.
//
// An outbox belongs to a thread, not to a node, so that the network need not look at nodes that
// sent nothing: each look would bring a line from the cache of the node's thread.
#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "sim/network/mesh.hpp"

namespace isthmus::sim {

/// A packet whose first flit may leave in cycle `when`.
struct Parcel {
    Cycle when;
    Packet* packet;
};

/// What the nodes that one thread ran have sent in a step, in order for each node.
struct alignas(64) Outbox {
    std::vector<Parcel> parcels;
    Cycle first = kNever;  ///< the earliest of them

    Outbox() = default;
    Outbox(const Outbox&) = delete;
    Outbox& operator=(const Outbox&) = delete;
    /// Before the thread's first node of a step. The network has taken all of them.
    void clear() {
        parcels.clear();
        first = kNever;
    }
};

/// A node's side.
class NodePort {
  public:
    NodePort() = default;
    NodePort(const NodePort&) = delete;
    NodePort& operator=(const NodePort&) = delete;
    ~NodePort() {
        for (const auto& box : inboxes_) {
            for (const Delivery& delivery : box)
                delete delivery.packet;
        }
    }

    // For the node.

    void begin_step(Outbox& outbox) { outbox_ = &outbox; }
    /// Hands over a packet whose first flit may leave in cycle `when`, which lies at least
    /// nic.transmit_cycles ahead.
    void send(Packet* packet, Cycle when) {
        outbox_->parcels.push_back({when, packet});
        outbox_->first = std::min(outbox_->first, when);
    }
    /// What arrived in the step before.
    std::vector<Delivery>& arrivals(unsigned side) { return inboxes_[1 - side]; }

    // For the network.

    /// Moves what the mesh delivered to `id`. True if there was something.
    bool deliver(Mesh& mesh, NodeId id, unsigned side) {
        std::vector<Delivery>& delivered = mesh.deliveries(id);
        if (delivered.empty()) return false;
        inboxes_[side].insert(inboxes_[side].end(), delivered.begin(), delivered.end());
        delivered.clear();
        return true;
    }

  private:
    Outbox* outbox_ = nullptr;
    alignas(64) std::array<std::vector<Delivery>, 2> inboxes_;
};

/// The network's side: what nodes have sent and is not yet due.
class Departures {
  public:
    explicit Departures(std::size_t nodes) : due_(nodes, kNever), pending_(nodes) {}
    Departures(const Departures&) = delete;
    Departures& operator=(const Departures&) = delete;
    ~Departures() {
        for (const auto& of_node : pending_) {
            for (const Parcel& parcel : of_node)
                delete parcel.packet;
        }
    }

    /// Takes what nodes first .. last-1 sent in the step before. Leaves the outbox as it is: other
    /// threads may be at it, too.
    void take(const Outbox& sent, NodeId first, NodeId last) {
        for (const Parcel& parcel : sent.parcels) {
            const NodeId node = parcel.packet->source;
            if (node - first >= last - first) continue;
            std::vector<Parcel>& pending = pending_[node];
            // Mostly in order; equal times stay in the order of sending.
            auto at = pending.end();
            while (at != pending.begin() && std::prev(at)->when > parcel.when)
                --at;
            pending.insert(at, parcel);
            due_[node] = pending.front().when;
        }
    }
    /// Puts everything that is due before `end` at nodes first .. last-1 into the mesh. Returns
    /// when the next packet that stays behind is due.
    Cycle inject(Mesh& mesh, NodeId first, NodeId last, Cycle end) {
        Cycle next = kNever;
        for (NodeId node = first; node < last; ++node) {
            if (due_[node] < end) {
                std::vector<Parcel>& pending = pending_[node];
                while (!pending.empty() && pending.front().when < end) {
                    mesh.inject(pending.front().packet, pending.front().when);
                    pending.erase(pending.begin());
                }
                due_[node] = pending.empty() ? kNever : pending.front().when;
            }
            next = std::min(next, due_[node]);
        }
        return next;
    }

  private:
    std::vector<Cycle> due_;  // the first of pending_, by node
    std::vector<std::vector<Parcel>> pending_;
};

}  // namespace isthmus::sim
