#include "cosim/machine.hpp"

#include <algorithm>

namespace isthmus::rtl {
namespace {

u64 low(u64 value, unsigned size) {
    return size >= 8 ? value : value & ((u64{1} << 8 * size) - 1);
}
std::int64_t with_sign(u64 value, unsigned size) {
    const unsigned shift = 64 - 8 * size;
    return static_cast<std::int64_t>(value << shift) >> shift;
}

// What memory holds behind an atomic operation.
u64 computed(u8 op, u64 old, u64 operand, u64 compare, unsigned size) {
    const std::int64_t a = with_sign(old, size), b = with_sign(operand, size);
    switch (op) {
        case kAluAdd: return old + operand;
        case kAluXor: return old ^ operand;
        case kAluOr: return old | operand;
        case kAluAnd: return old & operand;
        case kAluSecond: return operand;
        case kAluMin: return a < b ? old : operand;
        case kAluMax: return a > b ? old : operand;
        case kAluMinu: return old < operand ? old : operand;
        case kAluMaxu: return old > operand ? old : operand;
        case kAluCompareSwap: return old == compare ? operand : old;
        default: throw std::runtime_error("remote port: no atomic operation " + std::to_string(op));
    }
}

}  // namespace

CoreMachine::CoreMachine(const CoreKind& kind, unsigned nodes, u64 memory_bytes,
                         const Disturbance& disturbance)
    : random_(disturbance.start) {
    for (unsigned node = 0; node < nodes; ++node)
        cores_.push_back(
            std::make_unique<CheckedCore>(kind, node, memory_bytes, disturbance, this));
    if (kind.table_entries) place_nodes(kind, memory_bytes);
}

void CoreMachine::load_elf(const std::string& path) {
    for (const auto& core : cores_) {
        core->load_elf(path, nodes());
        core->reset();
    }
}

bool CoreMachine::run(u64 cycles) {
    for (u64 i = 0; i < cycles && !finished(); ++i) {
        if (columns_) connect_nodes();
        for (const auto& core : cores_) {
            if (core->exit_code() && !columns_) continue;
            if (!core->cycle()) {
                report_ = core->report();
                return false;
            }
        }
    }
    return true;
}

bool CoreMachine::run_instructions(u64 instructions, u64 cycles) {
    for (u64 done = 0; done < cycles && retired() < instructions && !finished(); done += 1000) {
        if (!run(std::min<u64>(1000, cycles - done))) return false;
    }
    return true;
}

// What a core has posted may still be on its way when its program has ended.
bool CoreMachine::finished() const {
    for (const auto& accesses : under_way_) {
        if (std::any_of(accesses.begin(), accesses.end(), [](const auto& a) { return a.there; }))
            return false;
    }
    return std::all_of(cores_.begin(), cores_.end(),
                       [](const auto& core) { return core->exit_code().has_value(); });
}

u64 CoreMachine::retired() const {
    u64 count = 0;
    for (const auto& core : cores_)
        count += core->retired();
    return count;
}

bool CoreMachine::memory_equal() {
    for (const auto& core : cores_) {
        std::string where;
        if (core->memory_equal(where)) continue;
        report_ = "memory of node " + std::to_string(&core - cores_.data()) + " at " + where + "\n";
        return false;
    }
    return true;
}

// Namespace 0 is the own node's memory, n node n - 1's; others fault.
CoreMachine::Effect CoreMachine::effect_of(unsigned from, const RemoteAccess& access) {
    Effect effect;
    effect.target = access.space == 0 ? from : access.space - 1;
    const unsigned size = 1u << access.size;
    if (effect.target >= cores_.size() || !cores_[effect.target]->there(access.address, size)) {
        effect.answer.fault = true;
        return effect;
    }
    const CheckedCore& target = *cores_[effect.target];
    effect.data[0] = low(access.data[0], size);
    effect.data[1] = access.data[1];
    if (access.kind != kRemoteStore) {
        effect.answer.value[0] = target.read(access.address, std::min(size, 8u));
        if (size == 16) effect.answer.value[1] = target.read(access.address + 8, 8);
    }
    const u64 old = effect.answer.value[0];
    switch (access.kind) {
        case kRemoteStore: effect.writes = true; break;
        case kRemoteAtomic:
            effect.writes = true;
            effect.data[0] = low(
                computed(access.op, old, effect.data[0], low(access.compare, size), size), size);
            break;
        case kRemoteStoreConditional:
            effect.writes = access.reserved && old == low(access.compare, size);
            break;
        default: break;
    }
    return effect;
}

// Of gates with their network the arbiter of memory sees to it.
bool CoreMachine::locked() const {
    return std::any_of(cores_.begin(), cores_.end(),
                       [](const auto& core) { return core->locked(); });
}

RemoteSide::Answer CoreMachine::serve(unsigned from, const RemoteAccess& access) {
    const Effect effect = effect_of(from, access);
    if (effect.writes)
        cores_[effect.target]->remote_write(access.address, 1u << access.size, effect.data,
                                            access.space == 0);
    return effect.answer;
}

}  // namespace isthmus::rtl
