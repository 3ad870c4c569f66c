// What a hart's instructions look like to the pipeline.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>

#include "sim/hart/run.hpp"
#include "sim/timing/core_timing.hpp"

namespace isthmus::sim {

inline constexpr std::array<TimingClass, 32> kTimingClasses = [] {
    std::array<TimingClass, 32> classes{};
    classes.fill(TimingClass::integer);
    const auto set = [&](TimingClass to, std::initializer_list<InstructionClass> from) {
        for (const InstructionClass klass : from)
            classes.at(static_cast<std::size_t>(klass)) = to;
    };
    using enum InstructionClass;
    set(TimingClass::multiply, {multiply});
    set(TimingClass::divide, {divide});
    set(TimingClass::load, {load, fp_load});
    set(TimingClass::store, {store, fp_store});
    set(TimingClass::branch, {branch});
    set(TimingClass::jump, {jump, jump_register});  // or call, or return: timing_class()
    set(TimingClass::system, {system});
    set(TimingClass::fence, {fence});
    set(TimingClass::atomic, {atomic});
    set(TimingClass::floating, {fp_add, fp_multiply, fp_fma, fp_convert, fp_compare, fp_move});
    set(TimingClass::float_divide, {fp_divide});
    set(TimingClass::remote, {remote_load, remote_store, remote_atomic, bulk});
    return classes;
}();

inline TimingClass timing_class(InstructionClass klass, std::uint8_t rd, std::uint8_t rs1) {
    const TimingClass kind = kTimingClasses[static_cast<std::size_t>(klass)];
    if (kind != TimingClass::jump) return kind;
    // The hints of the base specification: link registers are x1 and x5.
    if (rd == 1 || rd == 5) return TimingClass::call;
    const bool to_link = klass == InstructionClass::jump_register && (rs1 == 1 || rs1 == 5);
    return to_link ? TimingClass::return_jump : TimingClass::jump;
}

inline std::uint8_t fence_sets(Op op, std::uint32_t raw) {
    return op == Op::fence ? static_cast<std::uint8_t>(raw >> 20) : kFullFence;
}

/// How an instruction accesses memory, for a fence in front of it; what others may see of the
/// system's doing counts as both.
inline std::uint8_t fenced_accesses(InstructionClass klass) {
    using enum InstructionClass;
    switch (klass) {
        case load:
        case fp_load:
        case remote_load: return kFenceReads;
        case store:
        case fp_store:
        case remote_store: return kFenceWrites;
        case atomic:
        case remote_atomic:
        case bulk:
        case system: return kFenceReads | kFenceWrites;
        default: return 0;
    }
}

inline RetiredInstruction timing_view(const RetireEvent& event) {
    const OpInfo& op = info(event.op);
    RetiredInstruction i;
    i.pc = event.pc;
    i.next_pc = event.next_pc;
    i.kind = timing_class(event.klass, event.rd, event.rs1);
    i.length = event.length;
    i.destination = flat_register(op.rd, event.rd);
    i.source1 = flat_register(op.rs1, event.rs1);
    i.source2 = flat_register(op.rs2, event.rs2);
    i.source3 = flat_register(op.rs3, event.rs3);
    i.fence = fence_sets(event.op, event.raw);
    return i;
}

inline TranslationView timing_view(const Hart::View& view) {
    const AccessRights& rights = view.rights;
    return {view.satp, static_cast<std::uint8_t>(rights.user | rights.sum << 1 | rights.mxr << 2)};
}

/// Tells the pipeline what the hart does.
struct TimingObserver {
    static constexpr bool kObserves = true;
    CoreTiming* core = nullptr;
    bool go_on = true;

    void memory(const Hart&, std::uint64_t address, unsigned size, MemoryKind kind, std::uint64_t) {
        constexpr AccessKind kKinds[] = {AccessKind::load, AccessKind::store, AccessKind::atomic};
        const AccessKind how = kKinds[static_cast<std::size_t>(kind)];
        if (data.table != 0) [[unlikely]]
            return core->translated_access(how, address, size, data);
        core->memory_access(how, address, size);
    }
    void remote(const Hart&, const RemoteRequest&) {}
    bool holds(const Block& block, std::size_t index) {
        if (views_changed) [[unlikely]]
            take_views();
        if (!core->watches()) [[likely]]
            return false;
        const InsnMeta& meta = block.meta[index];
        return core->holds(timing_class(meta.klass, meta.rd, meta.rs1),
                           {meta.rd, meta.rs1, meta.rs2, meta.rs3}, fenced_accesses(meta.klass));
    }
    bool retire(const Hart&, const RetireEvent& event) {
        return go_on = core->retire(timing_view(event));
    }
    bool retire_at(const Hart&, const Block& block, std::size_t index, std::uint64_t next_pc) {
        const InsnMeta& meta = block.meta[index];
        RetiredInstruction i;
        i.pc = block.pc + meta.offset;
        i.next_pc = next_pc;
        i.kind = timing_class(meta.klass, meta.rd, meta.rs1);
        i.length = meta.length;
        i.destination = meta.rd;
        i.source1 = meta.rs1;
        i.source2 = meta.rs2;
        i.source3 = meta.rs3;
        i.fence = fence_sets(meta.op, meta.raw);
        views_changed |= i.kind == TimingClass::system;
        return go_on = core->retire(i);
    }
    void trap(const Hart&, std::uint64_t, const Trap&) {
        core->drop_accesses();
        views_changed = true;
    }

    /// What addresses are translated by; looked at again in front of the next instruction where it
    /// may have changed, which is behind system instructions, traps and interrupts.
    const Hart* hart = nullptr;
    TranslationView unpaged;  // of a hart without page tables
    TranslationView data;
    bool views_changed = true;
    void take_views() {
        views_changed = false;
        const auto view = [&](const Hart::View& of) {
            return of.satp == 0 ? unpaged : timing_view(of);
        };
        data = view(hart->data_view());
        core->set_fetch_view(view(hart->fetch_view()));
    }
};
static_assert(HartObserver<TimingObserver>);

}  // namespace isthmus::sim
