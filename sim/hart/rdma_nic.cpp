#include "sim/hart/rdma_nic.hpp"

#include <cstring>
#include <iterator>
#include <string>

namespace isthmus::sim {
namespace {

using Opcode = RdmaNic::Opcode;

Op atomic_op(Opcode opcode, bool wide) {
    switch (opcode) {
        case Opcode::add: return wide ? Op::eamoadd_d : Op::eamoadd_w;
        case Opcode::bit_and: return wide ? Op::eamoand_d : Op::eamoand_w;
        case Opcode::bit_or: return wide ? Op::eamoor_d : Op::eamoor_w;
        case Opcode::bit_xor: return wide ? Op::eamoxor_d : Op::eamoxor_w;
        default: return wide ? Op::eamoswap_d : Op::eamoswap_w;
    }
}

std::string name_of(const RdmaNic::Descriptor& descriptor) {
    static constexpr const char* kNames[] = {
        "nothing", "write", "inline write", "read", "inline read",     "add",
        "swap",    "and",   "or",           "xor",  "compare-and-swap"};
    return descriptor.opcode < std::size(kNames)
               ? kNames[descriptor.opcode]
               : "unknown operation " + std::to_string(descriptor.opcode);
}

// The access itself is a remote access like any other; its register is the one that discards.
bool carry_out(Machine& machine, Node& node, Hart& hart, const RdmaNic::Descriptor& descriptor,
               std::uint64_t& value) {
    using Kind = RemoteRequest::Kind;
    const auto opcode = static_cast<Opcode>(descriptor.opcode);
    RemoteRequest& request = hart.remote;
    request = {};
    request.rd = Hart::kDiscard;
    request.name_space = descriptor.pe + std::uint64_t{1};
    request.address = descriptor.remote;
    request.pc = hart.pc;
    request.size = static_cast<std::uint8_t>(descriptor.bytes);
    const auto serve = [&](Kind kind) {
        request.kind = kind;
        return machine.serve_remote(node, hart);
    };
    const auto fault = [&](Cause cause) {
        hart.raise(cause, descriptor.remote);
        node.environment->serve(node, hart);
        return false;
    };
    value = 0;
    switch (opcode) {
        case Opcode::nothing: return true;
        case Opcode::write:
        case Opcode::read:
            request.size = 1;
            request.count = descriptor.bytes;
            request.local = descriptor.local;
            return serve(opcode == Opcode::read ? Kind::bulk_load : Kind::bulk_store);
        case Opcode::write_inline:
        case Opcode::read_inline:
            if (descriptor.bytes > 8) break;
            request.value = descriptor.local;
            if (opcode == Opcode::write_inline) return serve(Kind::store);
            if (!serve(Kind::load)) return false;
            value = hart.x[Hart::kDiscard];
            return true;
        case Opcode::add:
        case Opcode::swap:
        case Opcode::bit_and:
        case Opcode::bit_or:
        case Opcode::bit_xor:
        case Opcode::compare_swap: {
            if (descriptor.bytes != 4 && descriptor.bytes != 8) break;
            if (descriptor.remote % descriptor.bytes != 0) return fault(Cause::store_misaligned);
            const bool compares = opcode == Opcode::compare_swap;
            const bool wide = descriptor.bytes == 8;
            // What compares reads in the way of a write first: it needs the right to write.
            request.value = compares ? 0 : descriptor.local;
            request.op = atomic_op(compares ? Opcode::bit_or : opcode, wide);
            if (!serve(Kind::atomic)) return false;
            value = hart.x[Hart::kDiscard];
            const std::uint64_t compare =
                wide ? descriptor.compare
                     : static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(
                           static_cast<std::uint32_t>(descriptor.compare))});
            if (!compares || value != compare) return true;
            request.value = descriptor.local;
            return serve(Kind::store);
        }
    }
    return fault(Cause::store_fault);
}

}  // namespace

void RdmaNic::map(Node& node, std::uint64_t nodes, std::uint64_t shared_base,
                  std::uint64_t shared_bytes) {
    node.memory.map(kBase, kPageSize, kRead | kWrite, "RDMA NIC");
    Registers registers{};
    registers.pe = node.id;
    registers.pes = nodes;
    registers.shared_base = shared_base;
    registers.shared_bytes = shared_bytes;
    node.memory.write(kBase, &registers, sizeof registers);
}

bool RdmaNic::next(const Node& node, Descriptor& descriptor) {
    Registers registers{};
    node.memory.read(kBase, &registers, sizeof registers);
    if (taken_ >= registers.doorbell || registers.ring_entries == 0) return false;
    const std::uint64_t slot = taken_ & (registers.ring_entries - 1);
    ++taken_;
    if (!node.memory.read(registers.ring + slot * sizeof descriptor, &descriptor,
                          sizeof descriptor))
        descriptor = {0xff, 0, 0, 0, registers.ring, 0, 0};
    return true;
}

void RdmaNic::complete(Node& node, std::uint64_t value, bool signaled) {
    ++completed_;
    if (!signaled) return;
    Registers registers{};
    node.memory.read(kBase, &registers, sizeof registers);
    const Completion completion{completed_, value};
    if (registers.completion_entries == 0) return;
    const std::uint64_t slot = written_++ & (registers.completion_entries - 1);
    node.memory.write(registers.completions + slot * sizeof completion, &completion,
                      sizeof completion);
}

bool RdmaNic::execute(Machine& machine, Node& node, Hart& hart, const Descriptor& descriptor,
                      std::uint64_t& value) {
    if (carry_out(machine, node, hart, descriptor, value)) return true;
    // The instruction in the report is where the program had come to.
    if (node.exited)
        machine.complain("  by a descriptor of the RDMA NIC: " + name_of(descriptor) + " of " +
                         std::to_string(descriptor.bytes) + " bytes, PE " +
                         std::to_string(descriptor.pe) + "\n");
    return false;
}

void RdmaNic::ring(Machine& machine, Node& node, Hart& hart) {
    Descriptor descriptor{};
    std::uint64_t value = 0;
    while (next(node, descriptor)) {
        execute(machine, node, hart, descriptor, value);
        if (node.exited) return;
        complete(node, value, (descriptor.flags & kSignaled) != 0);
    }
}

}  // namespace isthmus::sim
