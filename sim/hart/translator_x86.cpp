// The translator for x86-64.
//
// A region is a block and the blocks its branches are known to lead to, up to a limit. The guest
// registers it uses most live in host registers throughout; they are written back wherever the code
// leaves the region or calls a fallback.
#include <asmjit/x86.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <unordered_map>
#include <vector>

#include "sim/hart/hart.hpp"
#include "sim/hart/translator.hpp"

namespace isthmus::sim {
namespace {

using namespace asmjit;
using x86::Gp;
using x86::Mem;

constexpr std::size_t kMaxBlocks = 32, kMaxInstructions = 400;

const Gp kHart = x86::rbx, kLeft = x86::r15;
const Gp kA = x86::rax, kC = x86::rcx, kD = x86::rdx;  // scratch
const std::array<Gp, 10> kGuestHomes = {x86::rbp, x86::r12, x86::r13, x86::r14, x86::rsi,
                                        x86::rdi, x86::r8,  x86::r9,  x86::r10, x86::r11};

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Winvalid-offsetof"
constexpr int kXOffset = offsetof(Hart, x);
constexpr int kPcOffset = offsetof(Hart, pc);
constexpr int kReadOffset = offsetof(Hart, tlb) + offsetof(Tlb, read);
constexpr int kWriteOffset = offsetof(Hart, tlb) + offsetof(Tlb, write);
#pragma GCC diagnostic pop
static_assert(sizeof(Tlb::Entry) == 16 && Tlb::kEntries == 256 && kPageSize == 4096);

class Region {
  public:
    Region(x86::Assembler& assembler, const Fallback* fallbacks, const Block& head)
        : a_(assembler), fallbacks_(fallbacks) {
        collect(head);
    }
    bool empty() const { return blocks_.empty(); }
    void emit();

  private:
    struct Cold {
        Label entry, back;
        const Block* block;
        const Insn* insn;
        Op op;
        bool returns;  // to `back`; else the block goes on behind it anyway
    };
    struct Exit {
        Label entry;
        std::uint64_t pc;
    };

    static bool usable(const Block& block);
    static bool is_straight(Op op) { return !ends_block(info(op).klass); }
    void collect(const Block& head);
    void count(const Block& block);

    Mem home(unsigned r) const { return x86::qword_ptr(kHart, kXOffset + 8 * static_cast<int>(r)); }
    bool cached(unsigned r) const { return r < 32 && host_[r] >= 0; }
    Gp host(unsigned r) const { return kGuestHomes[static_cast<std::size_t>(host_[r])]; }
    /// The value of a guest register in some host register; `scratch` is used if it has none.
    Gp use(unsigned r, Gp scratch) {
        if (r == 0) {
            a_.xor_(scratch.r32(), scratch.r32());
            return scratch;
        }
        if (cached(r)) return host(r);
        a_.mov(scratch, home(r));
        return scratch;
    }
    void copy(Gp to, unsigned r) {
        const Gp from = use(r, to);
        if (from != to) a_.mov(to, from);
    }
    void set(unsigned r, Gp from) {
        if (r == Hart::kDiscard) return;
        if (cached(r)) {
            if (host(r) != from) a_.mov(host(r), from);
        } else {
            a_.mov(home(r), from);
        }
    }
    void set32(unsigned r, Gp from) {
        if (r == Hart::kDiscard) return;
        if (cached(r)) {
            a_.movsxd(host(r), from.r32());
        } else {
            a_.movsxd(kA, from.r32());
            a_.mov(home(r), kA);
        }
    }
    void constant(Gp to, std::uint64_t value) {
        if (value == 0)
            a_.xor_(to.r32(), to.r32());
        else
            a_.mov(to, value);
    }
    void write_back() {
        for (unsigned r = 1; r < 32; ++r) {
            if (cached(r) && written_[r]) a_.mov(home(r), host(r));
        }
    }
    void reload() {
        for (unsigned r = 1; r < 32; ++r) {
            if (cached(r)) a_.mov(host(r), home(r));
        }
    }

    bool instruction(const Block& block, const Insn& insn, Op op);
    template <class Operation>
    void binary(const Insn& i, bool commutes, Operation operation);
    template <class Operation>
    void with_immediate(const Insn& i, Operation operation);
    template <class Operation>
    void word(const Insn& i, bool immediate, Operation operation);
    template <class Operation>
    void shift(const Insn& i, bool immediate, bool is_word, Operation operation);
    void compare(const Insn& i, bool immediate, bool is_signed);
    void load(const Block& block, const Insn& i, Op op, unsigned size, bool is_signed);
    void store(const Block& block, const Insn& i, Op op, unsigned size);
    void divide(const Block& block, const Insn& i, Op op, bool is_signed, bool remainder);
    void translate_address(const Insn& i, unsigned size, int tlb, const Label& miss);
    void call_fallback(const Block& block, const Insn& i, Op op);
    void end_of_block(const Block& block, const Block* following);
    void go(std::uint64_t pc, const Block* known, const Block* following);
    Label exit_to(std::uint64_t pc);
    Label cold(const Block& block, const Insn& i, Op op, const Label& back) {
        colds_.push_back({a_.newLabel(), back, &block, &i, op, true});
        return colds_.back().entry;
    }

    x86::Assembler& a_;
    const Fallback* fallbacks_;
    std::vector<const Block*> blocks_;
    std::unordered_map<std::uint64_t, Label> labels_;  // of the blocks in the region, by pc
    std::array<int, 33> host_{};
    std::array<bool, 33> written_{};
    std::array<unsigned, 33> uses_{};
    std::vector<Cold> colds_;
    std::vector<Exit> exits_;
    Label epilogue_, stopped_;
};

bool Region::usable(const Block& block) {
    if (block.count == 0) return false;
    const InsnMeta& last = block.meta[block.count - 1];
    if (last.op == Op::kCount) return false;  // illegal instruction or breakpoint
    return info(last.op).klass != InstructionClass::kSystem;
}

void Region::count(const Block& block) {
    for (std::uint32_t k = 0; k < block.count; ++k) {
        const OpInfo& op = info(block.meta[k].op);
        const Insn& i = block.insns[k];
        const auto use_of = [&](RegisterFile file, unsigned r, bool writes) {
            if (file != RegisterFile::kX || r == 0 || r >= 32) return;
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
        if (!block || !usable(*block) || labels_.count(block->pc)) return;
        if (blocks_.size() >= kMaxBlocks || instructions + block->count > kMaxInstructions) return;
        instructions += block->count;
        labels_[block->pc] = Label();
        blocks_.push_back(block);
    };
    add(&head);
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
        const Block* const block = blocks_[i];
        add(block->next);
        add(block->taken);
        add(block->indirect);
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

Label Region::exit_to(std::uint64_t pc) {
    for (const Exit& exit : exits_) {
        if (exit.pc == pc) return exit.entry;
    }
    exits_.push_back({a_.newLabel(), pc});
    return exits_.back().entry;
}

// The block is taken off the budget already and the flags are those of that subtraction.
void Region::go(std::uint64_t pc, const Block* known, const Block* following) {
    const auto found = known ? labels_.find(known->pc) : labels_.end();
    if (found == labels_.end()) {
        a_.jmp(exit_to(pc));
        return;
    }
    a_.jle(exit_to(pc));
    if (known != following) a_.jmp(found->second);
}

template <class Operation>
void Region::binary(const Insn& i, bool commutes, Operation operation) {
    if (i.rd == Hart::kDiscard) return;
    if (cached(i.rd)) {
        const Gp d = host(i.rd);
        if (commutes && i.rd == i.rs2) {
            operation(d, use(i.rs1, kC));
            return;
        }
        if (i.rd != i.rs2 || i.rs2 == i.rs1) {
            const Gp b = use(i.rs2, kC);
            if (i.rd != i.rs1) copy(d, i.rs1);
            operation(d, i.rs2 == i.rs1 ? d : b);
            return;
        }
    }
    copy(kA, i.rs1);
    operation(kA, use(i.rs2, kC));
    set(i.rd, kA);
}

template <class Operation>
void Region::with_immediate(const Insn& i, Operation operation) {
    if (i.rd == Hart::kDiscard) return;
    const Gp d = cached(i.rd) ? host(i.rd) : kA;
    if (i.rd != i.rs1 || d == kA) copy(d, i.rs1);
    operation(d, i.imm);
    set(i.rd, d);
}

template <class Operation>
void Region::word(const Insn& i, bool immediate, Operation operation) {
    if (i.rd == Hart::kDiscard) return;
    const Gp from = use(i.rs1, kA);
    if (from != kA) a_.mov(kA.r32(), from.r32());
    if (immediate)
        operation(kA.r32(), Gp());
    else
        operation(kA.r32(), use(i.rs2, kC).r32());
    set32(i.rd, kA);
}

template <class Operation>
void Region::shift(const Insn& i, bool immediate, bool is_word, Operation operation) {
    if (i.rd == Hart::kDiscard) return;
    copy(kA, i.rs1);
    if (!immediate) copy(kC, i.rs2);  // the host masks the amount as the guest does
    operation(is_word ? kA.r32() : kA);
    if (is_word)
        set32(i.rd, kA);
    else
        set(i.rd, kA);
}

void Region::compare(const Insn& i, bool immediate, bool is_signed) {
    if (i.rd == Hart::kDiscard) return;
    const Gp x = use(i.rs1, kA);
    if (immediate)
        a_.cmp(x, i.imm);
    else
        a_.cmp(x, use(i.rs2, kC));
    if (is_signed)
        a_.setl(kA.r8());
    else
        a_.setb(kA.r8());
    a_.movzx(kA.r32(), kA.r8());
    set(i.rd, kA);
}

// Leaves the host address in rax, or goes to `miss`.
void Region::translate_address(const Insn& i, unsigned size, int tlb, const Label& miss) {
    const Gp base = use(i.rs1, kA);
    a_.lea(kA, x86::ptr(base, i.imm));
    a_.mov(kC.r32(), kA.r32());
    a_.shr(kC.r32(), 8);  // 12 bits down, 4 up: an entry has 16 bytes
    a_.and_(kC.r32(), 0xff0);
    a_.mov(kD, kA);
    a_.and_(kD, static_cast<std::int32_t>(kPageMask | (size - 1)));
    a_.cmp(kD, x86::qword_ptr(kHart, kC, 0, tlb));
    a_.jne(miss);
    a_.add(kA, x86::qword_ptr(kHart, kC, 0, tlb + 8));
}

void Region::load(const Block& block, const Insn& i, Op op, unsigned size, bool is_signed) {
    const Label back = a_.newLabel();
    translate_address(i, size, kReadOffset, cold(block, i, op, back));
    const Gp d = cached(i.rd) ? host(i.rd) : kA;
    switch (size) {
        case 1:
            if (is_signed)
                a_.movsx(d, x86::byte_ptr(kA));
            else
                a_.movzx(d.r32(), x86::byte_ptr(kA));
            break;
        case 2:
            if (is_signed)
                a_.movsx(d, x86::word_ptr(kA));
            else
                a_.movzx(d.r32(), x86::word_ptr(kA));
            break;
        case 4:
            if (is_signed)
                a_.movsxd(d, x86::dword_ptr(kA));
            else
                a_.mov(d.r32(), x86::dword_ptr(kA));
            break;
        default: a_.mov(d, x86::qword_ptr(kA)); break;
    }
    set(i.rd, d);
    a_.bind(back);
}

void Region::store(const Block& block, const Insn& i, Op op, unsigned size) {
    const Label back = a_.newLabel();
    translate_address(i, size, kWriteOffset, cold(block, i, op, back));
    const Gp v = use(i.rs2, kC);
    switch (size) {
        case 1: a_.mov(x86::byte_ptr(kA), v.r8()); break;
        case 2: a_.mov(x86::word_ptr(kA), v.r16()); break;
        case 4: a_.mov(x86::dword_ptr(kA), v.r32()); break;
        default: a_.mov(x86::qword_ptr(kA), v); break;
    }
    a_.bind(back);
}

// The two divisors the host would fault on or get wrong go to the fallback.
void Region::divide(const Block& block, const Insn& i, Op op, bool is_signed, bool remainder) {
    const Label back = a_.newLabel();
    copy(kC, i.rs2);
    const Label special = cold(block, i, op, back);
    a_.lea(kA, x86::ptr(kC, 1));
    a_.cmp(kA, 1);
    a_.jbe(special);  // 0 or -1
    copy(kA, i.rs1);
    if (is_signed) {
        a_.cqo();
        a_.idiv(kC);
    } else {
        a_.xor_(kD.r32(), kD.r32());
        a_.div(kC);
    }
    set(i.rd, remainder ? kD : kA);
    a_.bind(back);
}

void Region::call_fallback(const Block& block, const Insn& i, Op op) {
    write_back();
    a_.mov(x86::rdi, kHart);
    a_.mov(x86::rsi, reinterpret_cast<std::uint64_t>(&i));
    a_.mov(kA, reinterpret_cast<std::uint64_t>(fallbacks_[static_cast<std::size_t>(op)]));
    a_.call(kA);
    a_.mov(kC, reinterpret_cast<std::uint64_t>(&i));
    a_.mov(kD, reinterpret_cast<std::uint64_t>(&block));
    a_.test(kA.r8(), kA.r8());
    a_.jz(stopped_);
    reload();
}

/// Emits one instruction that does not end its block.
bool Region::instruction(const Block& block, const Insn& i, Op op) {
    switch (op) {
        case Op::lui:
            if (i.rd != Hart::kDiscard) {
                const Gp d = cached(i.rd) ? host(i.rd) : kA;
                constant(d, static_cast<std::uint64_t>(static_cast<std::int64_t>(i.imm)));
                set(i.rd, d);
            }
            return true;
        case Op::auipc:
            if (i.rd != Hart::kDiscard) {
                const Gp d = cached(i.rd) ? host(i.rd) : kA;
                constant(d, block.pc + i.block_offset() +
                                static_cast<std::uint64_t>(static_cast<std::int64_t>(i.imm)));
                set(i.rd, d);
            }
            return true;
        case Op::addi:
            with_immediate(i, [&](Gp d, int v) {
                if (v) a_.add(d, v);
            });
            return true;
        case Op::xori: with_immediate(i, [&](Gp d, int v) { a_.xor_(d, v); }); return true;
        case Op::ori: with_immediate(i, [&](Gp d, int v) { a_.or_(d, v); }); return true;
        case Op::andi: with_immediate(i, [&](Gp d, int v) { a_.and_(d, v); }); return true;
        case Op::slli: with_immediate(i, [&](Gp d, int v) { a_.shl(d, v); }); return true;
        case Op::srli: with_immediate(i, [&](Gp d, int v) { a_.shr(d, v); }); return true;
        case Op::srai: with_immediate(i, [&](Gp d, int v) { a_.sar(d, v); }); return true;
        case Op::add: binary(i, true, [&](Gp d, Gp s) { a_.add(d, s); }); return true;
        case Op::sub: binary(i, false, [&](Gp d, Gp s) { a_.sub(d, s); }); return true;
        case Op::xor_: binary(i, true, [&](Gp d, Gp s) { a_.xor_(d, s); }); return true;
        case Op::or_: binary(i, true, [&](Gp d, Gp s) { a_.or_(d, s); }); return true;
        case Op::and_: binary(i, true, [&](Gp d, Gp s) { a_.and_(d, s); }); return true;
        case Op::mul: binary(i, true, [&](Gp d, Gp s) { a_.imul(d, s); }); return true;
        case Op::sll: shift(i, false, false, [&](Gp d) { a_.shl(d, x86::cl); }); return true;
        case Op::srl: shift(i, false, false, [&](Gp d) { a_.shr(d, x86::cl); }); return true;
        case Op::sra: shift(i, false, false, [&](Gp d) { a_.sar(d, x86::cl); }); return true;
        case Op::slt: compare(i, false, true); return true;
        case Op::sltu: compare(i, false, false); return true;
        case Op::slti: compare(i, true, true); return true;
        case Op::sltiu: compare(i, true, false); return true;
        case Op::addiw: word(i, true, [&](Gp d, Gp) { a_.add(d, i.imm); }); return true;
        case Op::addw: word(i, false, [&](Gp d, Gp s) { a_.add(d, s); }); return true;
        case Op::subw: word(i, false, [&](Gp d, Gp s) { a_.sub(d, s); }); return true;
        case Op::mulw: word(i, false, [&](Gp d, Gp s) { a_.imul(d, s); }); return true;
        case Op::slliw: shift(i, true, true, [&](Gp d) { a_.shl(d, i.imm); }); return true;
        case Op::srliw: shift(i, true, true, [&](Gp d) { a_.shr(d, i.imm); }); return true;
        case Op::sraiw: shift(i, true, true, [&](Gp d) { a_.sar(d, i.imm); }); return true;
        case Op::sllw: shift(i, false, true, [&](Gp d) { a_.shl(d, x86::cl); }); return true;
        case Op::srlw: shift(i, false, true, [&](Gp d) { a_.shr(d, x86::cl); }); return true;
        case Op::sraw: shift(i, false, true, [&](Gp d) { a_.sar(d, x86::cl); }); return true;
        case Op::mulh:
        case Op::mulhu:
            if (i.rd == Hart::kDiscard) return true;
            copy(kA, i.rs1);
            copy(kC, i.rs2);
            if (op == Op::mulh)
                a_.imul(kC);
            else
                a_.mul(kC);
            set(i.rd, kD);
            return true;
        case Op::div: divide(block, i, op, true, false); return true;
        case Op::divu: divide(block, i, op, false, false); return true;
        case Op::rem: divide(block, i, op, true, true); return true;
        case Op::remu: divide(block, i, op, false, true); return true;
        case Op::lb: load(block, i, op, 1, true); return true;
        case Op::lh: load(block, i, op, 2, true); return true;
        case Op::lw: load(block, i, op, 4, true); return true;
        case Op::ld: load(block, i, op, 8, true); return true;
        case Op::lbu: load(block, i, op, 1, false); return true;
        case Op::lhu: load(block, i, op, 2, false); return true;
        case Op::lwu: load(block, i, op, 4, false); return true;
        case Op::sb: store(block, i, op, 1); return true;
        case Op::sh: store(block, i, op, 2); return true;
        case Op::sw: store(block, i, op, 4); return true;
        case Op::sd: store(block, i, op, 8); return true;
        default: return false;
    }
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
        case InstructionClass::kBranch: {
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
        case InstructionClass::kJump:
            link();
            a_.sub(kLeft, counted);
            go(block.taken_pc, block.taken, following);
            break;
        case InstructionClass::kJumpRegister: {
            const Label elsewhere = a_.newLabel();
            const Gp base = use(i.rs1, kA);
            a_.lea(kA, x86::ptr(base, i.imm));
            a_.and_(kA, -2);
            link();
            a_.sub(kLeft, counted);
            const auto known = block.indirect ? labels_.find(block.indirect_pc) : labels_.end();
            if (known != labels_.end()) {
                a_.jle(elsewhere);
                a_.mov(kC, block.indirect_pc);
                a_.cmp(kA, kC);
                a_.je(known->second);
            }
            a_.bind(elsewhere);
            a_.mov(x86::qword_ptr(kHart, kPcOffset), kA);
            a_.jmp(epilogue_);
            break;
        }
        default:
            a_.sub(kLeft, counted);
            go(behind, block.next, following);
            break;
    }
}

void Region::emit() {
    epilogue_ = a_.newLabel();
    stopped_ = a_.newLabel();
    for (auto& [pc, label] : labels_)
        label = a_.newLabel();
    const Gp saved[] = {x86::rbx, x86::rbp, x86::r12, x86::r13, x86::r14, x86::r15};
    for (const Gp& r : saved)
        a_.push(r);
    a_.push(x86::rsi);  // the TranslationExit, and the stack is aligned for calls
    a_.mov(kHart, x86::rdi);
    a_.mov(kLeft, x86::qword_ptr(x86::rsi, offsetof(TranslationExit, left)));
    reload();
    for (std::size_t k = 0; k < blocks_.size(); ++k) {
        const Block& block = *blocks_[k];
        a_.bind(labels_.at(block.pc));
        for (std::uint32_t n = 0; n < block.count; ++n) {
            const Op op = block.meta[n].op;
            const Insn& i = block.insns[n];
            if (!is_straight(op)) break;
            if (!instruction(block, i, op)) call_fallback(block, i, op);
        }
        end_of_block(block, k + 1 < blocks_.size() ? blocks_[k + 1] : nullptr);
    }
    for (std::size_t k = 0; k < colds_.size(); ++k) {
        const Cold cold = colds_[k];
        a_.bind(cold.entry);
        call_fallback(*cold.block, *cold.insn, cold.op);
        a_.jmp(cold.back);
    }
    for (const Exit& exit : exits_) {
        a_.bind(exit.entry);
        a_.mov(kA, exit.pc);
        a_.mov(x86::qword_ptr(kHart, kPcOffset), kA);
        a_.jmp(epilogue_);
    }
    const Label leave = a_.newLabel();
    a_.bind(epilogue_);
    write_back();
    a_.pop(x86::rsi);
    a_.xor_(x86::eax, x86::eax);
    a_.bind(leave);
    a_.mov(x86::qword_ptr(x86::rsi, offsetof(TranslationExit, left)), kLeft);
    for (int k = 5; k >= 0; --k)
        a_.pop(saved[k]);
    a_.ret();
    // A fallback stopped: registers are in their homes, rcx is the instruction, rdx its block.
    a_.bind(stopped_);
    a_.pop(x86::rsi);
    a_.mov(x86::qword_ptr(x86::rsi, offsetof(TranslationExit, insn)), kC);
    a_.mov(x86::qword_ptr(x86::rsi, offsetof(TranslationExit, block)), kD);
    a_.mov(x86::eax, 1);
    a_.jmp(leave);
}

class X86Translator final : public Translator {
  public:
    explicit X86Translator(const Fallback* fallbacks) : fallbacks_(fallbacks) {}

    const void* translate(const Block& head) override {
        CodeHolder code;
        code.init(runtime_->environment());
        x86::Assembler assembler(&code);
        Region region(assembler, fallbacks_, head);
        if (region.empty()) return nullptr;
        region.emit();
        void* entry = nullptr;
        if (runtime_->add(&entry, &code) != kErrorOk) return nullptr;
        return entry;
    }
    void clear() override { runtime_ = std::make_unique<JitRuntime>(); }

  private:
    const Fallback* fallbacks_;
    std::unique_ptr<JitRuntime> runtime_ = std::make_unique<JitRuntime>();
};

}  // namespace

std::unique_ptr<Translator> make_translator(const Fallback* fallbacks) {
    return std::make_unique<X86Translator>(fallbacks);
}

}  // namespace isthmus::sim
