// What travels through the mesh: packets, cut into flits. A packet is owned by one place at a time:
// the sending node, then the mesh, then the receiving node, which gives it back to its own pool.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "sim/isa/atomic.hpp"
#include "sim/machine/machine.hpp"

namespace isthmus::sim {

/// What a packet asks for or answers. Requests travel in class 0, replies in class 1.
enum class MessageKind : std::uint8_t {
    synthetic,       ///< traffic generator
    load_request,    ///< read `bytes` at `address`
    store_request,   ///< write the payload at `address`
    atomic_request,  ///< read-modify-write at `address`
    load_reply,      ///< payload: what was read (also the old value of an atomic)
    store_reply,     ///< written, visible at the target
    fault_reply,     ///< the target refused: address or rights
};

/// What the mesh looks at comes first, in a cache line of its own: with several host threads each
/// line of a packet goes to the network's thread and on to the target's.
struct alignas(64) Packet {
    NodeId source = 0, destination = 0;
    std::uint16_t destination_x = 0, destination_y = 0;  ///< set by the mesh
    std::uint32_t flits = 1;
    std::uint32_t ejected_flits = 0;
    std::uint8_t message_class = 0;
    MessageKind kind = MessageKind::synthetic;
    AtomicOperation operation = AtomicOperation::swap;

    Cycle created = 0;       ///< handed to the NIC's queue
    Cycle injected = 0;      ///< first flit on the wire
    Cycle delivered = 0;     ///< last flit at the target's NIC
    Packet* next = nullptr;  ///< chain in a queue or pool

    std::uint32_t bytes = 0;
    std::uint32_t ticket = 0;  ///< the initiator's number for the operation
    std::uint64_t address = 0;
    std::uint64_t operand = 0, compare = 0;
    std::uint64_t offset = 0;          ///< of this packet's bytes within a bulk transfer
    std::vector<std::byte> payload{};  ///< capacity survives recycling
};
static_assert(offsetof(Packet, bytes) < 64 && offsetof(Packet, next) < 64 && sizeof(Packet) == 128);

/// Free packets of one node. Not thread-safe: each node is driven by one thread at a time.
class PacketPool {
  public:
    PacketPool() = default;
    PacketPool(const PacketPool&) = delete;
    PacketPool& operator=(const PacketPool&) = delete;
    ~PacketPool() {
        while (free_ != nullptr)
            delete std::exchange(free_, free_->next);
    }

    /// A packet with default contents and an empty payload. The caller owns it.
    Packet* take() {
        if (free_ == nullptr) return new Packet;
        Packet* packet = std::exchange(free_, free_->next);
        std::vector<std::byte> payload = std::move(packet->payload);
        payload.clear();
        *packet = Packet{};
        packet->payload = std::move(payload);
        return packet;
    }
    /// Ends the packet's life; it may come from another node's pool.
    void give_back(Packet* packet) { packet->next = std::exchange(free_, packet); }

  private:
    Packet* free_ = nullptr;
};

}  // namespace isthmus::sim
