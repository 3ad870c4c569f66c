// The loop that runs a hart. One source, instantiated per register width and observer. Included
// only by the file that instantiates run() for its observer.
#pragma once

#include <cstdint>

#include "sim/hart/run.hpp"
#include "sim/hart/semantics.hpp"
#include "sim/hart/translator.hpp"

namespace isthmus::sim {

namespace detail {

/// Everything the loop needs of the hart in slow paths; kept out of the loop's function.
template <class Observer>
struct LoopSupport {
    static RetireEvent event(const Block& block, std::size_t index, std::uint64_t next_pc) {
        const InsnMeta& meta = block.meta[index];
        const Insn& insn = block.insns[index];
        const OpInfo& op = info(meta.op);
        RetireEvent event;
        event.pc = block.pc + meta.offset;
        event.next_pc = next_pc;
        event.raw = instruction_length(meta.raw) == 2 ? meta.raw & 0xffff : meta.raw;
        event.op = meta.op;
        event.klass = op.klass;
        event.length = static_cast<std::uint8_t>(instruction_length(meta.raw));
        event.rd = insn.rd == Hart::kDiscard ? 0 : insn.rd;
        event.rs1 = insn.rs1;
        event.rs2 = op.rs2 == RegisterFile::none ? std::uint8_t{0} : insn.rs2;
        event.rs3 = op.rs3 == RegisterFile::none ? std::uint8_t{0} : insn.rs3;
        return event;
    }
    /// Observers that only need what is known of a decoded instruction are told where it stands.
    [[gnu::noinline]] static bool retire(Observer& observer, const Hart& hart, const Block& block,
                                         std::size_t index, std::uint64_t next_pc) {
        if constexpr (requires { observer.retire_at(hart, block, index, next_pc); }) {
            return observer.retire_at(hart, block, index, next_pc);
        } else {
            return observer.retire(hart, event(block, index, next_pc));
        }
    }
};

}  // namespace detail

/// Runs at most about `budget` instructions (a block more at most) and returns why it stopped.
/// Deterministic: where it stops depends on the state of the hart, its memory and the budget alone.
///
/// Called with a null hart it returns kBudget and stores the loop's labels into *labels, for the
/// block cache.
template <unsigned kXlen, HartObserver Observer>
Stop execute(Hart* hart, Observer* observer_or_null, std::int64_t budget,
             const void* const** labels = nullptr) {
    using S = Semantics<kXlen, Observer>;
    using C = Context<kXlen, Observer>;
    using Support = detail::LoopSupport<Observer>;
    constexpr bool kTranslates = kXlen == 64 && !Observer::kObserves;
    static const void* const kLabels[HandlerTable::kCount] = {
#define ISTHMUS_SIM_OP(id, ...) &&run_##id,
#include "isthmus/sim/isa/ops.inc"
#undef ISTHMUS_SIM_OP
        &&run_end_of_block, &&run_illegal, &&run_breakpoint, &&run_translated};
    if (!hart) {
        *labels = kLabels;
        return Stop::budget;
    }

    Hart& h = *hart;
    Observer& observer = *observer_or_null;
    C c(h, observer);
    std::int64_t left =
        budget;  // instructions of finished blocks are taken off; h.instret follows when it matters
    std::int64_t settled = budget;
    std::uint64_t pc = h.pc;
    Block** link = nullptr;
    Block* block = nullptr;
    const Insn* ip = nullptr;

// Enters the block whose first instruction is to run next.
#define ISTHMUS_ENTER(next_block) \
    do {                          \
        block = (next_block);     \
        c.next_pc = block->pc;    \
        ip = block->insns;        \
        goto * ip->handler;       \
    } while (0)

// The block is done; go on at a successor that may be known already.
#define ISTHMUS_CHAIN(successor, target_pc)        \
    do {                                           \
        left -= block->count;                      \
        if (left > 0) [[likely]] {                 \
            if ((successor) != nullptr) [[likely]] \
                ISTHMUS_ENTER(successor);          \
        }                                          \
        link = &(successor);                       \
        pc = (target_pc);                          \
        goto look_up;                              \
    } while (0)

#define ISTHMUS_RETIRE(next)                                                                       \
    do {                                                                                           \
        if constexpr (Observer::kObserves) {                                                       \
            if (!Support::retire(observer, h, *block, static_cast<std::size_t>(ip - block->insns), \
                                 (next))) {                                                        \
                h.stop = Stop::observer;                                                           \
                h.pc = (next);                                                                     \
                left -= ip - block->insns + 1;                                                     \
                goto leave;                                                                        \
            }                                                                                      \
        }                                                                                          \
    } while (0)

// An observer may have the hart wait in front of an instruction.
#define ISTHMUS_HOLD()                                                                            \
    do {                                                                                          \
        if constexpr (requires { observer.holds(*block, std::size_t{}); }) {                      \
            if (observer.holds(*block, static_cast<std::size_t>(ip - block->insns))) [[unlikely]] \
                goto held;                                                                        \
        }                                                                                         \
    } while (0)

// Where every instruction is at a multiple of four, a jump elsewhere traps and writes nothing.
#define ISTHMUS_ALIGNED(target)                                 \
    do {                                                        \
        if constexpr (requires { Observer::kChecksTargets; }) { \
            if ((target)&h.target_mask()) [[unlikely]] {        \
                h.raise(Cause::fetch_misaligned, (target));     \
                goto stopped;                                   \
            }                                                   \
        }                                                       \
    } while (0)

look_up:
    if (left <= 0) {
        h.stop = Stop::budget;
        h.pc = pc;
        goto leave;
    }
    {
        if (h.flush_pending || h.recheck_pending) [[unlikely]] {
            h.settle_code();
            link = nullptr;
        }
        std::uint64_t fault = 0;
        Block* const found = h.blocks.lookup(pc, h.decoder(), *h.memory, h.fp_enabled(), fault);
        if (!found) [[unlikely]] {
            h.pc = pc;
            h.instret += static_cast<std::uint64_t>(settled - left);
            settled = left;
            h.raise_fetch(fault);
            goto trapped;
        }
        h.note_decoded();
        if (link) {
            *link = found;
            link = nullptr;
        }
        // Entries through here sample what runs: at least one per budget.
        if constexpr (kTranslates) {
            if (++found->heat == Hart::kHotBlock)
                h.translate(*found, kLabels[HandlerTable::kTranslated]);
        }
        ISTHMUS_ENTER(found);
    }

run_translated:
    if constexpr (kTranslates) {
        TranslationExit exit;
        exit.left = left;
        const TranslationResult result = h.translated_code()(&h, &exit, block->native);
        left = exit.left;
        if (result == TranslationResult::stopped) {
            block = const_cast<Block*>(exit.block);
            ip = exit.insn;
            goto stopped;
        }
        pc = h.pc;
        link = const_cast<Block**>(exit.link);
        goto look_up;
    }

#define ISTHMUS_SIM_OP(id, name, klass, ...)                                                \
    run_##id : {                                                                            \
        constexpr InstructionClass kClass = InstructionClass::klass;                        \
        ISTHMUS_HOLD();                                                                     \
        if constexpr (kClass == InstructionClass::branch) {                                 \
            if (S::id(c, *ip)) {                                                            \
                ISTHMUS_ALIGNED(block->taken_pc);                                           \
                ISTHMUS_RETIRE(block->taken_pc);                                            \
                ISTHMUS_CHAIN(block->taken, block->taken_pc);                               \
            }                                                                               \
            ISTHMUS_RETIRE(block->pc + block->bytes);                                       \
            ISTHMUS_CHAIN(block->next, block->pc + block->bytes);                           \
        } else if constexpr (kClass == InstructionClass::jump) {                            \
            ISTHMUS_ALIGNED(block->taken_pc);                                               \
            c.next_pc = block->pc + block->bytes;                                           \
            S::id(c, *ip);                                                                  \
            ISTHMUS_RETIRE(block->taken_pc);                                                \
            ISTHMUS_CHAIN(block->taken, block->taken_pc);                                   \
        } else if constexpr (kClass == InstructionClass::jump_register) {                   \
            ISTHMUS_ALIGNED((c.x(ip->rs1) + C::imm(*ip)) & ~typename C::Word{1});           \
            c.next_pc = block->pc + block->bytes;                                           \
            S::id(c, *ip);                                                                  \
            goto jump_register;                                                             \
        } else if constexpr (kClass == InstructionClass::system) {                          \
            const std::int64_t before = block->count - 1;                                   \
            h.pc = block->pc + block->meta[before].offset;                                  \
            h.instret += static_cast<std::uint64_t>(settled - left + before);               \
            left -= before;                                                                 \
            settled = left;                                                                 \
            c.next_pc = block->pc + block->bytes;                                           \
            if (!S::id(c, *ip)) goto system_stopped;                                        \
            --left;                                                                         \
            if constexpr (Observer::kObserves) {                                            \
                if (!Support::retire(observer, h, *block, static_cast<std::size_t>(before), \
                                     c.next_pc)) {                                          \
                    h.stop = Stop::observer;                                                \
                    h.pc = c.next_pc;                                                       \
                    goto leave;                                                             \
                }                                                                           \
            }                                                                               \
            pc = c.next_pc;                                                                 \
            if constexpr (!requires { Observer::kInterruptsElsewhere; }) {                  \
                if (h.interrupts_changed) [[unlikely]] {                                    \
                    h.pc = pc;                                                              \
                    h.poll_interrupts();                                                    \
                    pc = h.pc;                                                              \
                }                                                                           \
            }                                                                               \
            goto look_up;                                                                   \
        } else {                                                                            \
            if (!S::id(c, *ip)) [[unlikely]]                                                \
                goto stopped;                                                               \
            ISTHMUS_RETIRE(block->pc + block->meta[ip - block->insns].offset +              \
                           block->meta[ip - block->insns].length);                          \
            ++ip;                                                                           \
            goto * ip->handler;                                                             \
        }                                                                                   \
    }
#include "isthmus/sim/isa/ops.inc"
#undef ISTHMUS_SIM_OP

run_end_of_block:
    ISTHMUS_CHAIN(block->next, block->pc + block->bytes);

jump_register:
    ISTHMUS_RETIRE(c.next_pc);
    left -= block->count;
    pc = c.next_pc;
    if (left > 0) [[likely]] {
        if (block->indirect_pc == pc) [[likely]]
            ISTHMUS_ENTER(block->indirect);
        Block* const from = block;
        const std::uint64_t generation = h.blocks.generation();
        std::uint64_t fault = 0;
        Block* const found =
            h.flush_pending || h.recheck_pending
                ? nullptr
                : h.blocks.lookup(pc, h.decoder(), *h.memory, h.fp_enabled(), fault);
        if (found && h.blocks.generation() == generation) {
            h.note_decoded();
            from->indirect_pc = pc;
            from->indirect = found;
            if constexpr (kTranslates) {
                if (++found->heat == Hart::kHotBlock)
                    h.translate(*found, kLabels[HandlerTable::kTranslated]);
            }
            ISTHMUS_ENTER(found);
        }
    }
    goto look_up;

run_illegal:
    h.raise(Cause::illegal, 0);
    goto stopped;

run_breakpoint:
    h.stop = Stop::breakpoint;
    h.pc = block->pc;
    goto leave;

stopped : {
    // An instruction inside a block did not simply complete. Those before it in the block have.
    const auto index = ip - block->insns;
    const InsnMeta& meta = block->meta[index];
    left -= index;
    h.instret += static_cast<std::uint64_t>(settled - left);
    settled = left;
    h.pc = block->pc + meta.offset;
    c.next_pc = h.pc + instruction_length(meta.raw);
}
system_stopped : {
    const auto index = static_cast<std::size_t>(ip - block->insns);
    if (h.stop == Stop::trap) {
        if (h.trap.cause == Cause::illegal) {
            const std::uint32_t raw = block->meta[index].raw;
            h.trap.value = instruction_length(raw) == 2 ? raw & 0xffff : raw;
        }
        goto trapped;
    }
    --left;
    if (h.stop == Stop::remote) {
        h.remote.pc = h.pc;
        h.remote.length = instruction_length(block->meta[index].raw);
        if constexpr (Observer::kObserves) {
            observer.remote(h, h.remote);
            h.deferred = Support::event(*block, index, c.next_pc);
            h.has_deferred = true;
        }
    } else if constexpr (Observer::kObserves) {
        observer.retire(h, Support::event(*block, index, c.next_pc));
    }
    h.pc = c.next_pc;
    goto leave;
}

    [[maybe_unused]] held : {
        const auto index = ip - block->insns;
        left -= index;
        h.pc = block->pc + block->meta[index].offset;
        h.stop = Stop::held;
        goto leave;
    }

trapped:
    // h.pc is the instruction that trapped, h.trap says why.
    ++h.trap_counts[static_cast<unsigned>(h.trap.cause) & 15];
    if constexpr (Observer::kObserves) observer.trap(h, h.pc, h.trap);
    if (h.options().emulate_linux || !h.enter_trap(h.pc)) {
        h.stop = Stop::trap;
        goto leave;
    }
    --left;  // so that a loop of traps uses up its budget; not counted as retired
    --settled;
    link = nullptr;
    pc = h.pc;
    goto look_up;

leave:
    h.instret += static_cast<std::uint64_t>(settled - left);
    return h.stop;
#undef ISTHMUS_ALIGNED
#undef ISTHMUS_HOLD
#undef ISTHMUS_ENTER
#undef ISTHMUS_CHAIN
#undef ISTHMUS_RETIRE
}

template <HartObserver Observer>
Stop run(Hart& hart, Observer& observer, std::int64_t budget) {
    const auto go = [&]<unsigned kXlen>() {
        static const HandlerTable handlers = [] {
            HandlerTable table;
            execute<kXlen, Observer>(nullptr, nullptr, 0, &table.labels);
            return table;
        }();
        hart.blocks.set_handlers(handlers);
        hart.synchronize();
        if (!hart.options().emulate_linux) hart.poll_interrupts();
        if constexpr (Observer::kObserves) {
            if (hart.has_deferred) {
                hart.has_deferred = false;
                if (!observer.retire(hart, hart.deferred)) return hart.stop = Stop::observer;
            }
        }
        return execute<kXlen, Observer>(&hart, &observer, budget);
    };
    return hart.options().xlen == Xlen::k32 ? go.template operator()<32>()
                                            : go.template operator()<64>();
}

}  // namespace isthmus::sim
