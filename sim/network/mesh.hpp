// The network: a two-dimensional mesh of wormhole routers with virtual channels and credits,
// simulated flit by flit.
//
// A packet enters through its node's injection link, is routed along X, then along Y, and leaves
// through the ejection link. Each link carries one flit a cycle. A router is input buffered: a head
// flit first wins a virtual channel of the next link (allocation in rotating order), then every
// flit wins the crossbar (input first, then output, both round robin). A flit leaves only with a
// credit in hand, so buffers cannot overflow; the model checks that they do not.
//
// Unloaded latency, from inject() at cycle t to delivery, over H hops (H + 1 routers), F flits, R =
// router_cycles, L = link_cycles:   L + (H + 1) (R + L) + F - 1.
//
// Threads: routers talk through delay lines only. Nothing that happens in cycle t is seen by
// another router before t + lookahead(), so ranges of routers may be stepped by different threads
// for lookahead() cycles between barriers, and the result does not depend on the ranges.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "sim/machine/machine.hpp"
#include "sim/network/packet.hpp"

namespace isthmus::sim {

enum Port : std::uint8_t { kNorth, kEast, kSouth, kWest, kLocal, kPorts };

/// A packet that has arrived, and when its last flit did.
struct Delivery {
    Packet* packet;
    Cycle when;
};

/// Counters of one router.
struct RouterStatistics {
    std::array<std::uint64_t, kPorts> link_flits{};  ///< flits sent, by output port
    std::uint64_t injected_flits = 0, ejected_flits = 0;
    std::uint64_t injected_packets = 0, ejected_packets = 0;
    std::uint64_t credit_stalls = 0;  ///< cycles a ready flit waited for a credit
    std::uint64_t switch_stalls = 0;  ///< cycles a ready flit lost the crossbar
    std::uint32_t peak_buffer = 0;    ///< most flits seen in one virtual channel
};

class Mesh {
  public:
    /// `window` is the furthest ahead of now() that inject() may be told to act.
    explicit Mesh(const MachineDescription& machine, Cycle window = 64);
    ~Mesh();
    Mesh(const Mesh&) = delete;
    Mesh& operator=(const Mesh&) = delete;

    /// Splits the routers into ranges for threads: bounds[i] .. bounds[i+1]. Default: one range.
    void set_ranges(std::vector<NodeId> bounds);

    /// Queues a packet at its source's NIC; its first flit may leave in cycle `when`, now() <= when
    /// < now() + window. Called by the thread that owns the source's range. The mesh owns the
    /// packet until it is delivered.
    void inject(Packet* packet, Cycle when);

    /// Simulates cycle `cycle` for the routers of one range. Cycles must come in order, ranges in
    /// any order.
    void step(std::size_t range, Cycle cycle);
    /// Declares all cycles before `cycle` simulated. One thread only.
    void set_now(Cycle cycle) { now_ = cycle; }
    /// Simulates all ranges up to (not including) `end`, in this thread; skips idle time.
    void run_until(Cycle end);

    Cycle now() const { return now_; }
    /// Cycles that ranges may run apart.
    Cycle lookahead() const { return lookahead_; }
    /// No packet is queued or under way and all credits are home: time may jump. One thread only.
    bool idle() const;
    /// Flits queued or under way. One thread only.
    std::uint64_t active_flits() const;

    /// Arrivals at `node` since the caller last cleared the list, in order of time.
    std::vector<Delivery>& deliveries(NodeId node) { return deliveries_[node]; }
    const RouterStatistics& statistics(NodeId node) const;
    /// Throws ModelError unless the idle mesh is as new: every flit that went in came out, each
    /// credit is home.
    void check_quiescent() const;

    std::uint64_t width() const { return width_; }
    std::uint64_t height() const { return height_; }
    std::uint64_t nodes() const { return width_ * height_; }
    std::uint64_t hops(NodeId a, NodeId b) const;
    /// Latency of a packet in an empty network (formula above).
    Cycle unloaded_latency(std::uint64_t hop_count, std::uint64_t flits) const;
    /// True if output `port` of `node` leads to another router.
    bool has_link(NodeId node, Port port) const;

  private:
    struct Flit {
        Packet* packet = nullptr;
        std::uint32_t index = 0;
        std::uint32_t arrival = 0;  // low half of the cycle; differences are exact
    };
    struct LinkSlot {
        Packet* packet = nullptr;
        std::uint32_t index = 0;
    };
    /// What reaches a router in one cycle. Each byte has one writer, so threads need no atomic
    /// access: a barrier lies between the write and the read. A flit or credit byte holds its
    /// channel + 1.
    struct alignas(16) Arrivals {
        std::uint8_t flits[kPorts];
        std::uint8_t self;  ///< has something left to do
        std::uint8_t unused[2];
        std::uint8_t credits[kPorts];
        std::uint8_t unused_too[3];
    };
    static_assert(sizeof(Arrivals) == 16);
    struct InputChannel {
        Packet* arriving = nullptr;  // in-order check: the packet whose flits come in
        std::uint32_t expected = 0;
        std::uint32_t switch_ready = 0;
        std::uint8_t first = 0, count = 0;
        std::uint8_t output = 0, output_channel = 0;
    };
    struct InjectionQueue {
        Packet *first = nullptr, *last = nullptr;
        Packet* current = nullptr;
        std::uint32_t next_flit = 0;
        std::uint8_t channel = 0;
    };
    struct Router;
    struct alignas(64) Range {
        NodeId first = 0, last = 0;
        std::uint64_t active_flits_in = 0, active_flits_out = 0;
        Cycle last_activity = 0;
    };

    void step_router(Range& range, NodeId id, std::uint64_t flits, std::uint64_t credits,
                     Cycle cycle);
    void accept(Router& router, NodeId id, unsigned port, unsigned channel, Cycle cycle);
    void inject_flit(Router& router, NodeId id, Cycle cycle);
    void allocate_channels(Router& router, NodeId id, Cycle cycle);
    void traverse_switch(Range& range, Router& router, NodeId id, Cycle cycle);
    void send(Range& range, Router& router, NodeId id, unsigned input, Cycle cycle);
    Port route(const Router& router, const Packet& packet) const;
    Arrivals& arrivals(NodeId id, Cycle cycle) {
        return arrivals_[(cycle & wake_mask_) * node_count_ + id];
    }
    void wake(NodeId id, Cycle cycle) { arrivals(id, cycle).self = 1; }
    LinkSlot& link_slot(NodeId id, unsigned port, Cycle cycle) {
        return link_slots_[(id * kPorts + port) * (flit_mask_ + 1) + (cycle & flit_mask_)];
    }
    unsigned wrap(unsigned slot) const { return slot >= depth_ ? slot - depth_ : slot; }
    Flit& buffer(NodeId id, unsigned input, unsigned slot) {
        return buffers_[id * router_flits_ + input * depth_ + slot];
    }
    std::string where(NodeId id, Cycle cycle) const;

    const std::uint64_t width_, height_, node_count_;
    const unsigned channels_, classes_, depth_, inputs_, router_flits_;
    const Cycle router_cycles_, link_cycles_, credit_cycles_;
    const Cycle lookahead_, window_;
    std::uint64_t flit_mask_, wake_mask_;
    Cycle now_ = 0;

    std::vector<Router> routers_;
    std::vector<Flit> buffers_;
    std::vector<LinkSlot> link_slots_;  // delay lines, by router, input port and cycle
    std::vector<Arrivals> arrivals_;
    std::array<std::uint8_t, 64> port_of_{}, channel_of_{};  // of an input channel
    std::vector<std::vector<Delivery>> deliveries_;
    std::vector<Range> ranges_;
    std::vector<std::uint16_t> range_of_;
};

}  // namespace isthmus::sim
