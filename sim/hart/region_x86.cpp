// Which blocks are a region, in which order their code lies, and the flow between them. What
// instructions become is in region_x86_instructions.cpp.
#include "sim/hart/region_x86.hpp"

#include <algorithm>

namespace isthmus::sim::x86_64 {

bool Region::usable(const Block& block) {
    if (block.count == 0) return false;
    const InsnMeta& last = block.meta[block.count - 1];
    if (last.op == Op::kCount) return false;  // illegal instruction or breakpoint
    return info(last.op).klass != InstructionClass::system;
}

void Region::collect(Block& head) {
    std::size_t instructions = 0;
    const auto add = [&](Block* block) {
        if (!block || block->native || !usable(*block) || labels_.count(block->pc)) return;
        if (blocks_.size() >= kMaxBlocks || instructions + block->count > kMaxInstructions) return;
        instructions += block->count;
        labels_[block->pc] = a_.newLabel();
        blocks_.push_back(block);
    };
    add(&head);
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
        const Block& block = *blocks_[i];
        add(block.next);
        add(block.taken);
        add(block.indirect);
    }
    arrange();
}

// A block is followed by the one that runs behind it, if it can be.
void Region::arrange() {
    std::vector<Block*> waiting(blocks_.rbegin(), blocks_.rend()), order;
    std::unordered_set<const Block*> placed;
    while (!waiting.empty()) {
        Block* block = waiting.back();
        waiting.pop_back();
        while (block && labels_.count(block->pc) && placed.insert(block).second) {
            order.push_back(block);
            const auto open = [&](const Block* other) {
                return other && labels_.count(other->pc) && !placed.count(other);
            };
            if (block->taken) waiting.push_back(block->taken);
            block = open(block->next)    ? block->next
                    : open(block->taken) ? block->taken
                                         : block->indirect;
        }
    }
    blocks_ = std::move(order);
}

Label Region::successor(std::uint64_t pc, Block* const& known) {
    if (known) {
        const auto inside = labels_.find(known->pc);
        if (inside != labels_.end()) return inside->second;
    }
    for (const Exit& exit : exits_) {
        if (exit.link == &known) return exit.entry;
    }
    exits_.push_back({a_.newLabel(), pc, &known});
    return exits_.back().entry;
}

void Region::go(std::uint64_t pc, Block* const& known, const Block* following) {
    if (!known || known != following) a_.jmp(successor(pc, known));
}

// Goes on in the code of the block there, if it has some.
void Region::emit_exit(const Exit& exit) {
    a_.bind(exit.entry);
    if (*exit.link && (*exit.link)->native) {
        a_.jmp(imm(reinterpret_cast<std::uint64_t>((*exit.link)->native)));
        return;
    }
    const Label unlinked = a_.newLabel();
    a_.mov(kC, reinterpret_cast<std::uint64_t>(exit.link));
    a_.mov(kC, x86::ptr(kC));
    a_.test(kC, kC);
    a_.jz(unlinked);
    a_.mov(kC, x86::ptr(kC, offsetof(Block, native)));
    a_.test(kC, kC);
    a_.jz(unlinked);
    a_.jmp(kC);
    a_.bind(unlinked);
    a_.mov(kC, reinterpret_cast<std::uint64_t>(exit.link));
    a_.mov(kA, exit.pc);
    a_.jmp(imm(stubs_.unlinked));
}

// Looks for the block as the loop would.
void Region::emit_indirect() {
    static_assert((BlockCache::kRecent & (BlockCache::kRecent - 1)) == 0);
    const Label recent = a_.newLabel(), out = a_.newLabel();
    a_.bind(indirect_);
    a_.cmp(x86::word_ptr(kHart, kFlushOffset), 0);
    a_.jne(out);
    a_.mov(kC.r32(), kA.r32());
    a_.and_(kC.r32(), static_cast<std::int32_t>((BlockCache::kRecent - 1) << 1));
    a_.shl(kC.r32(), 2);
    a_.add(kC, x86::qword_ptr(recent));
    a_.mov(kC, x86::ptr(kC));
    a_.test(kC, kC);
    a_.jz(out);
    a_.cmp(kA, x86::qword_ptr(kC, offsetof(Block, pc)));
    a_.jne(out);
    a_.cmp(x86::dword_ptr(kC, offsetof(Block, space)), static_cast<std::int32_t>(space_));
    a_.jne(out);
    a_.mov(kC, x86::ptr(kC, offsetof(Block, native)));
    a_.test(kC, kC);
    a_.jz(out);
    a_.jmp(kC);
    a_.bind(out);
    a_.jmp(imm(stubs_.out));
    a_.bind(recent);
    a_.embedUInt64(reinterpret_cast<std::uint64_t>(known_.recent()));
}

/// Takes a block off the budget.
void Region::spend(const Block& block) {
    spent_.push_back({a_.newLabel(), &block});
    a_.sub(kLeft, static_cast<std::int32_t>(block.count));
    a_.jle(spent_.back().entry);
}

// Out to the loop at what follows the block.
void Region::emit_spent(const Spent& spent) {
    const Block& block = *spent.block;
    const std::uint64_t behind = block.pc + block.bytes;
    const Label out = a_.newLabel();
    a_.bind(spent.entry);
    switch (info(block.meta[block.count - 1].op).klass) {
        case InstructionClass::branch: {
            const x86::CondCode taken = condition(block);
            a_.mov(kA, block.taken_pc);
            a_.j(taken, out);
            a_.mov(kA, behind);
            break;
        }
        case InstructionClass::jump: a_.mov(kA, block.taken_pc); break;
        case InstructionClass::jump_register: break;  // it is there
        default: a_.mov(kA, behind); break;
    }
    a_.bind(out);
    a_.jmp(imm(stubs_.out));
}

/// Compares for the branch at the end of a block; when it is taken.
x86::CondCode Region::condition(const Block& block) {
    const Insn& i = block.insns[block.count - 1];
    const Gp x = use(i.rs1, kA);
    if (i.rs2 == 0)
        a_.test(x, x);
    else
        a_.emit(x86::Inst::kIdCmp, x, source(i.rs2));
    switch (block.meta[block.count - 1].op) {
        case Op::beq: return x86::CondCode::kE;
        case Op::bne: return x86::CondCode::kNE;
        case Op::blt: return x86::CondCode::kL;
        case Op::bge: return x86::CondCode::kGE;
        case Op::bltu: return x86::CondCode::kB;
        default: return x86::CondCode::kAE;
    }
}

void Region::end_of_block(const Block& block, const Block* following) {
    const Insn& i = block.insns[block.count - 1];
    const std::uint64_t behind = block.pc + block.bytes;
    switch (info(block.meta[block.count - 1].op).klass) {
        case InstructionClass::branch: {
            spend(block);
            const x86::CondCode taken = condition(block);
            if (block.taken && block.taken == following) {
                a_.j(x86::negateCond(taken), successor(behind, block.next));
            } else {
                a_.j(taken, successor(block.taken_pc, block.taken));
                go(behind, block.next, following);
            }
            break;
        }
        case InstructionClass::jump:
            set_constant(i.rd, behind);
            spend(block);
            go(block.taken_pc, block.taken, following);
            break;
        case InstructionClass::jump_register: {
            const Gp base = use(i.rs1, kA);
            a_.lea(kA, x86::ptr(base, i.imm));
            a_.and_(kA, -2);
            set_constant(i.rd, behind);
            spend(block);
            const auto known = block.indirect ? labels_.find(block.indirect_pc) : labels_.end();
            if (known != labels_.end()) {
                a_.mov(kC, block.indirect_pc);
                a_.cmp(kA, kC);
                a_.je(known->second);
            }
            a_.jmp(indirect_);
            has_indirect_ = true;
            break;
        }
        default:
            spend(block);
            go(behind, block.next, following);
            break;
    }
}

void Region::emit_block(const Block& block, const Block* following) {
    a_.bind(entry(block));
    guess_.start_block();
    for (std::uint32_t n = 0; n < block.count; ++n) {
        const Op op = block.meta[n].op;
        const Insn& i = block.insns[n];
        if (!is_straight(op)) break;
        if (n + 1 < block.count && pair(i, op, block.insns[n + 1], block.meta[n + 1].op)) {
            guess_.step(block.pc + block.meta[n].offset, i, op);
            ++n;
        } else if (!instruction(block, i, op)) {
            call_fallback(block, i, op);
        }
        guess_.step(block.pc + block.meta[n].offset, block.insns[n], block.meta[n].op);
    }
    end_of_block(block, following);
}

void Region::emit() {
    for (std::size_t k = 0; k < blocks_.size(); ++k)
        emit_block(*blocks_[k], k + 1 < blocks_.size() ? blocks_[k + 1] : nullptr);
    for (const Spent& spent : spent_)
        emit_spent(spent);
    for (const Elsewhere& access : elsewheres_)
        emit_elsewhere(access);
    for (const Exit& exit : exits_)
        emit_exit(exit);
    for (const Cold& cold : colds_) {
        a_.bind(cold.entry);
        call_fallback(*cold.block, *cold.insn, cold.op);
        a_.jmp(cold.back);
    }
    if (has_indirect_) emit_indirect();
    a_.align(AlignMode::kZero, alignof(FallbackCall));
    for (const Call& call : calls_) {
        a_.bind(call.place);
        a_.embed(&call.call, sizeof call.call);
    }
}

}  // namespace isthmus::sim::x86_64
