#include "sim/timing/descriptor_queue.hpp"

#include <algorithm>

namespace isthmus::sim {
namespace {

using Opcode = RdmaNic::Opcode;

/// The operation of a descriptor; false if the NIC has none such.
bool translate(const RdmaNic::Descriptor& descriptor, RemoteOperation& op) {
    op.autonomous = true;
    op.blocking = false;
    op.name_space = descriptor.pe + std::uint64_t{1};
    op.address = descriptor.remote;
    op.bytes = descriptor.bytes;
    op.local_address = descriptor.local;
    op.value[0] = descriptor.local;
    op.compare = descriptor.compare;
    switch (static_cast<Opcode>(descriptor.opcode)) {
        case Opcode::nothing: op.kind = RemoteKind::nothing; return true;
        case Opcode::write: op.kind = RemoteKind::bulk_put; return true;
        case Opcode::read: op.kind = RemoteKind::bulk_get; return true;
        case Opcode::write_inline: op.kind = RemoteKind::store; return op.bytes <= 8;
        case Opcode::read_inline: op.kind = RemoteKind::load; return op.bytes <= 8;
        case Opcode::add: op.operation = AtomicOperation::add; break;
        case Opcode::swap: op.operation = AtomicOperation::swap; break;
        case Opcode::bit_and: op.operation = AtomicOperation::bit_and; break;
        case Opcode::bit_or: op.operation = AtomicOperation::bit_or; break;
        case Opcode::bit_xor: op.operation = AtomicOperation::bit_xor; break;
        case Opcode::compare_swap: op.operation = AtomicOperation::compare_swap; break;
        default: return false;
    }
    op.kind = RemoteKind::atomic;
    return (op.bytes == 4 || op.bytes == 8) && op.address % op.bytes == 0;
}

/// It begins when all before it are complete; what does nothing tells of just that.
bool is_fenced(const RdmaNic::Descriptor& descriptor) {
    return (descriptor.flags & RdmaNic::kFenced) != 0 ||
           static_cast<Opcode>(descriptor.opcode) == Opcode::nothing;
}

}  // namespace

void DescriptorQueue::take(CoreTiming& core) {
    core_ = &core;
    RdmaNic::Descriptor descriptor{};
    while (node_.environment->rdma_nic()->next(node_, descriptor))
        posted_.push_back({descriptor, core.now() + descriptor_cycles_});
    start_all(core.now());
}

bool DescriptorQueue::complete(Ticket ticket, RemoteStatus status,
                               std::span<const std::byte> data) {
    const auto found = std::ranges::find_if(posted_, [&](const Posted& one) {
        return one.started && !one.done && one.ticket == ticket;
    });
    if (found == posted_.end()) return false;
    if (status == RemoteStatus::done) {
        std::ranges::copy(data.first(std::min<std::size_t>(data.size(), sizeof found->value)),
                          std::as_writable_bytes(std::span(&found->value, 1)).begin());
        found->done = true;
    } else {
        fail(*found);
    }
    start_all(core_->last_completion());
    return true;
}

void DescriptorQueue::start_all(Cycle now) {
    bool earlier = false;  // something before this one is not complete
    for (Posted& one : posted_) {
        if (!one.started) {
            if (is_fenced(one.what) && earlier) break;
            if (!start(one, now)) break;
        }
        earlier |= !one.done;
    }
    report();
}

/// False if the NIC is full.
bool DescriptorQueue::start(Posted& posted, Cycle now) {
    RemoteOperation op;
    if (!translate(posted.what, op)) {
        fail(posted);
        return true;
    }
    // Who waits for the completion waits for it to be written, too.
    if ((posted.what.flags & RdmaNic::kSignaled) != 0)
        op.completion_cycles = static_cast<std::uint32_t>(completion_cycles_);
    const auto ticket = core_->post(op, std::max(now, posted.read));
    if (!ticket) return false;
    posted.ticket = *ticket;
    posted.started = true;
    return true;
}

void DescriptorQueue::fail(Posted& posted) {
    posted.started = posted.done = true;
    on_fault(posted.what);
}

void DescriptorQueue::report() {
    while (!posted_.empty() && posted_.front().done) {
        const Posted& first = posted_.front();
        node_.environment->rdma_nic()->complete(node_, first.value,
                                                (first.what.flags & RdmaNic::kSignaled) != 0);
        posted_.pop_front();
    }
}

}  // namespace isthmus::sim
