// Which blocks are a region, which guest registers live in host registers, and the flow between the
// blocks. What instructions become is in region_x86_instructions.cpp.
#include "sim/hart/region_x86.hpp"

#include <algorithm>

namespace isthmus::sim::x86_64 {

bool Region::usable(const Block& block) {
    if (block.count == 0) return false;
    const InsnMeta& last = block.meta[block.count - 1];
    if (last.op == Op::kCount) return false;  // illegal instruction or breakpoint
    return info(last.op).klass != InstructionClass::system;
}

void Region::count(const Block& block) {
    for (std::uint32_t k = 0; k < block.count; ++k) {
        const OpInfo& op = info(block.meta[k].op);
        const Insn& i = block.insns[k];
        const auto use_of = [&](RegisterFile file, unsigned r, bool writes) {
            if (file != RegisterFile::x || r == 0 || r >= 32) return;
            ++uses_[r];
            written_[r] = written_[r] || writes;
        };
        use_of(op.rd, i.rd, true);
        use_of(op.rs1, i.rs1, false);
        use_of(op.rs2, i.rs2, false);
    }
}

void Region::collect(const Block& head) {
    host_.fill(-1);
    if (!usable(head)) return;
    std::size_t instructions = 0;
    const auto add = [&](const Block* block) {
        if (!block || block->native || !usable(*block) || labels_.count(block->pc)) return;
        if (blocks_.size() >= kMaxBlocks || instructions + block->count > kMaxInstructions) return;
        instructions += block->count;
        labels_[block->pc] = Label();
        blocks_.push_back(block);
    };
    add(&head);
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
        const Block& block = *blocks_[i];
        add(block.next);
        add(block.taken);
        add(block.indirect);
    }
    for (const Block* block : blocks_)
        count(*block);
    std::vector<unsigned> order;
    for (unsigned r = 1; r < 32; ++r) {
        if (uses_[r]) order.push_back(r);
    }
    std::stable_sort(order.begin(), order.end(),
                     [&](unsigned x, unsigned y) { return uses_[x] > uses_[y]; });
    for (std::size_t k = 0; k < order.size() && k < kGuestHomes.size(); ++k)
        host_[order[k]] = static_cast<int>(k);
}

Label Region::exit_to(std::uint64_t pc, Block* const* link) {
    for (const Exit& exit : exits_) {
        if (exit.pc == pc && exit.link == link) return exit.entry;
    }
    exits_.push_back({a_.newLabel(), pc, link});
    return exits_.back().entry;
}

// The block is taken off the budget already and the flags are those of that subtraction.
void Region::go(std::uint64_t pc, Block* const& known, const Block* following) {
    const auto found = known ? labels_.find(known->pc) : labels_.end();
    if (found == labels_.end()) {
        a_.jmp(exit_to(pc, &known));
        return;
    }
    a_.jle(exit_to(pc, &known));
    if (known != following) a_.jmp(found->second);
}

// rdx is the link and rax the pc; the flags are those of the budget. Goes on in the region of the
// block there, if it has one.
void Region::emit_exit() {
    a_.bind(exit_);
    write_back();
    a_.jle(out_);
    a_.mov(kC, x86::ptr(kD));
    a_.test(kC, kC);
    a_.jz(unlinked_);
    a_.mov(kC, x86::ptr(kC, offsetof(Block, native)));
    a_.test(kC, kC);
    a_.jz(unlinked_);
    a_.jmp(kC);
}

// The target is in rax. Looks for its block as the loop would.
void Region::emit_indirect_exit() {
    static_assert((BlockCache::kRecent & (BlockCache::kRecent - 1)) == 0);
    a_.bind(indirect_exit_);
    write_back();
    a_.test(kLeft, kLeft);
    a_.jle(out_);
    a_.mov(kD.r8(), x86::byte_ptr(kHart, kFlushOffset));
    a_.or_(kD.r8(), x86::byte_ptr(kHart, kRecheckOffset));
    a_.jnz(out_);
    a_.mov(kC.r32(), kA.r32());
    a_.shr(kC.r32(), 1);
    a_.and_(kC.r32(), static_cast<std::int32_t>(BlockCache::kRecent - 1));
    a_.mov(kD, reinterpret_cast<std::uint64_t>(known_.recent()));
    a_.mov(kC, x86::ptr(kD, kC, 3));
    a_.test(kC, kC);
    a_.jz(out_);
    a_.cmp(kA, x86::ptr(kC, offsetof(Block, pc)));
    a_.jne(out_);
    a_.cmp(x86::dword_ptr(kC, offsetof(Block, space)), static_cast<std::int32_t>(space_));
    a_.jne(out_);
    a_.mov(kC, x86::ptr(kC, offsetof(Block, native)));
    a_.test(kC, kC);
    a_.jz(out_);
    a_.jmp(kC);
}

void Region::end_of_block(const Block& block, const Block* following) {
    const Op op = block.meta[block.count - 1].op;
    const Insn& i = block.insns[block.count - 1];
    const std::uint64_t behind = block.pc + block.bytes;
    const auto counted = static_cast<std::int32_t>(block.count);
    const auto link = [&] {
        if (i.rd == Hart::kDiscard) return;
        const Gp d = cached(i.rd) ? host(i.rd) : kC;
        constant(d, behind);
        set(i.rd, d);
    };
    switch (info(op).klass) {
        case InstructionClass::branch: {
            const Label taken = a_.newLabel();
            const Gp x = use(i.rs1, kA);
            if (i.rs2 == 0)
                a_.cmp(x, 0);
            else
                a_.cmp(x, use(i.rs2, kC));
            switch (op) {
                case Op::beq: a_.je(taken); break;
                case Op::bne: a_.jne(taken); break;
                case Op::blt: a_.jl(taken); break;
                case Op::bge: a_.jge(taken); break;
                case Op::bltu: a_.jb(taken); break;
                default: a_.jae(taken); break;
            }
            a_.sub(kLeft, counted);
            go(behind, block.next, nullptr);
            a_.bind(taken);
            a_.sub(kLeft, counted);
            go(block.taken_pc, block.taken, following);
            break;
        }
        case InstructionClass::jump:
            link();
            a_.sub(kLeft, counted);
            go(block.taken_pc, block.taken, following);
            break;
        case InstructionClass::jump_register: {
            const Gp base = use(i.rs1, kA);
            a_.lea(kA, x86::ptr(base, i.imm));
            a_.and_(kA, -2);
            link();
            a_.sub(kLeft, counted);
            const auto known = block.indirect ? labels_.find(block.indirect_pc) : labels_.end();
            if (known != labels_.end()) {
                a_.jle(indirect_exit_);
                a_.mov(kC, block.indirect_pc);
                a_.cmp(kA, kC);
                a_.je(known->second);
            }
            a_.jmp(indirect_exit_);
            break;
        }
        default:
            a_.sub(kLeft, counted);
            go(behind, block.next, following);
            break;
    }
}

namespace {
const Gp kSaved[] = {x86::rbx, x86::rbp, x86::r12, x86::r13, x86::r14, x86::r15};
}

void emit_entry(x86::Assembler& a) {
    for (const Gp& r : kSaved)
        a.push(r);
    a.push(x86::rsi);  // the TranslationExit, and the stack is aligned for calls
    a.mov(kHart, x86::rdi);
    a.mov(kLeft, x86::qword_ptr(x86::rsi, offsetof(TranslationExit, left)));
    a.jmp(x86::rdx);
}

void Region::emit() {
    for (Label* label :
         {&entry_, &exit_, &indirect_exit_, &unlinked_, &out_, &stopped_, &fallback_})
        *label = a_.newLabel();
    for (auto& sizes : pages_) {
        for (Label& label : sizes)
            label = a_.newLabel();
    }
    for (auto& [pc, label] : labels_)
        label = a_.newLabel();
    a_.bind(entry_);
    reload();
    for (std::size_t k = 0; k < blocks_.size(); ++k) {
        const Block& block = *blocks_[k];
        a_.bind(labels_.at(block.pc));
        guess_.start_block();
        for (std::uint32_t n = 0; n < block.count; ++n) {
            const Op op = block.meta[n].op;
            const Insn& i = block.insns[n];
            if (!is_straight(op)) break;
            if (!instruction(block, i, op)) call_fallback(block, i, op);
            guess_.step(block.pc + block.meta[n].offset, i, op);
        }
        end_of_block(block, k + 1 < blocks_.size() ? blocks_[k + 1] : nullptr);
    }
    for (std::size_t k = 0; k < colds_.size(); ++k) {
        const Cold cold = colds_[k];
        a_.bind(cold.entry);
        call_fallback(*cold.block, *cold.insn, cold.op);
        a_.jmp(cold.back);
    }
    for (const Elsewhere& access : elsewheres_)
        emit_elsewhere(access);
    emit_pages();
    emit_fallback();
    for (const Exit& exit : exits_) {
        a_.bind(exit.entry);
        a_.mov(kD, reinterpret_cast<std::uint64_t>(exit.link));
        a_.mov(kA, exit.pc);
        a_.jmp(exit_);
    }
    emit_exit();
    emit_indirect_exit();
    // Out to the loop: registers are in their homes, rax is the pc, rdx the link to note it in.
    const Label leave = a_.newLabel();
    a_.bind(unlinked_);
    a_.mov(kC, x86::ptr(x86::rsp));
    a_.mov(x86::qword_ptr(kC, offsetof(TranslationExit, link)), kD);
    a_.bind(out_);
    a_.mov(x86::qword_ptr(kHart, kPcOffset), kA);
    a_.pop(x86::rsi);
    a_.xor_(x86::eax, x86::eax);
    a_.bind(leave);
    a_.mov(x86::qword_ptr(x86::rsi, offsetof(TranslationExit, left)), kLeft);
    for (std::size_t k = std::size(kSaved); k-- > 0;)
        a_.pop(kSaved[k]);
    a_.ret();
    // A fallback stopped: registers are in their homes, rcx is the instruction, rdx its block.
    a_.bind(stopped_);
    a_.add(x86::rsp, 8);  // where it would have gone on
    a_.pop(x86::rsi);
    a_.mov(x86::qword_ptr(x86::rsi, offsetof(TranslationExit, insn)), kC);
    a_.mov(x86::qword_ptr(x86::rsi, offsetof(TranslationExit, block)), kD);
    a_.mov(x86::eax, 1);
    a_.jmp(leave);
}

}  // namespace isthmus::sim::x86_64
