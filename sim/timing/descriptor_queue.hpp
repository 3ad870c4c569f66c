// A node's RDMA NIC in time.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <span>

#include "sim/hart/machine.hpp"
#include "sim/hart/rdma_nic.hpp"
#include "sim/timing/core_timing.hpp"

namespace isthmus::sim {

/// Descriptors that a program has posted: they begin in order as the NIC has room, end in any order
/// and are reported in order. Belongs to its node's thread.
class DescriptorQueue {
  public:
    DescriptorQueue(Node& node, const MachineDescription& machine)
        : node_(node),
          descriptor_cycles_(machine.nic.descriptor_cycles),
          completion_cycles_(machine.nic.completion_cycles) {}

    /// Takes what the program has rung for; the core posts it from now on.
    void take(CoreTiming& core);
    /// An operation has ended; false if it is none of a descriptor.
    bool complete(Ticket ticket, RemoteStatus status, std::span<const std::byte> data);

    /// Called for one that is over without a result, and reported all the same.
    std::function<void(const RdmaNic::Descriptor&)> on_fault;

  private:
    struct Posted {
        RdmaNic::Descriptor what;
        Cycle read;  // when the NIC has it, however long it waits for those before it
        Ticket ticket = 0;
        std::uint64_t value = 0;
        bool started = false, done = false;
    };

    void start_all(Cycle now);
    bool start(Posted& posted, Cycle now);
    void fail(Posted& posted);
    void report();

    Node& node_;
    const Cycle descriptor_cycles_, completion_cycles_;
    CoreTiming* core_ = nullptr;
    std::deque<Posted> posted_;  // not all reported
};

}  // namespace isthmus::sim
