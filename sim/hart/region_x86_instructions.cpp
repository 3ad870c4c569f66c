// What one instruction becomes: a few host instructions, or a call of the fallback.
#include <bit>

#include "sim/hart/region_x86.hpp"

namespace isthmus::sim::x86_64 {

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
void Region::translate_address(const Insn& i, unsigned size, const Path& path, const Label& miss) {
    const int number = guess_.window(i);
    const Gp base = use(i.rs1, kA);
    a_.lea(kA, x86::ptr(base, i.imm));
    if (number < 0) {
        page_of(size, path.tlb, miss);
        return;
    }
    const auto field = [&](std::size_t offset) {
        return x86::qword_ptr(kHart, path.windows + number * static_cast<int>(sizeof(Tlb::Window)) +
                                         static_cast<int>(offset));
    };
    elsewheres_.push_back({a_.newLabel(), a_.newLabel(), miss, size, path.tlb});
    a_.mov(kC, kA);
    a_.sub(kC, field(offsetof(Tlb::Window, start)));
    a_.cmp(kC, field(offsetof(Tlb::Window, limit)));
    a_.jae(elsewheres_.back().entry);
    a_.add(kA, field(offsetof(Tlb::Window, addend)));
    a_.bind(elsewheres_.back().found);
}

void Region::page_of(unsigned size, int tlb, const Label& miss) {
    a_.mov(kC.r32(), kA.r32());
    a_.shr(kC.r32(), 8);  // 12 bits down, 4 up: an entry has 16 bytes
    a_.and_(kC.r32(), (Tlb::kEntries - 1) << 4);
    a_.mov(kD, kA);
    a_.and_(kD, static_cast<std::int32_t>(kPageMask | (size - 1)));
    a_.cmp(kD, x86::qword_ptr(kHart, kC, 0, tlb));
    a_.jne(miss);
    a_.add(kA, x86::qword_ptr(kHart, kC, 0, tlb + 8));
}

void Region::emit_elsewhere(const Elsewhere& access) {
    a_.bind(access.entry);
    a_.call(pages_[static_cast<std::size_t>(std::countr_zero(access.size))]
                  [access.tlb == kStores.tlb ? 1 : 0]);
    a_.jc(access.fallback);
    a_.jmp(access.found);
}

// The carry says that the page is not known.
void Region::emit_pages() {
    for (unsigned logarithm = 0; logarithm < pages_.size(); ++logarithm) {
        for (const bool writes : {false, true}) {
            const Label miss = a_.newLabel();
            a_.bind(pages_[logarithm][writes ? 1 : 0]);
            page_of(1u << logarithm, writes ? kStores.tlb : kLoads.tlb, miss);
            a_.clc();
            a_.ret();
            a_.bind(miss);
            a_.stc();
            a_.ret();
        }
    }
}

void Region::load(const Block& block, const Insn& i, Op op, unsigned size, bool is_signed) {
    const Label back = a_.newLabel();
    translate_address(i, size, kLoads, cold(block, i, op, back));
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
    translate_address(i, size, kStores, cold(block, i, op, back));
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
void Region::divide(const Block& block, const Insn& i, Op op, bool is_signed, bool remainder,
                    bool is_word) {
    const Label back = a_.newLabel();
    const auto sized = [&](const Gp& r) { return is_word ? Gp(r.r32()) : r; };
    copy(kC, i.rs2);
    const Label special = cold(block, i, op, back);
    a_.lea(sized(kA), x86::ptr(kC, 1));
    a_.cmp(sized(kA), 1);
    a_.jbe(special);  // 0 or -1
    copy(kA, i.rs1);
    if (!is_signed) {
        a_.xor_(kD.r32(), kD.r32());
        a_.div(sized(kC));
    } else if (is_word) {
        a_.cdq();
        a_.idiv(kC.r32());
    } else {
        a_.cqo();
        a_.idiv(kC);
    }
    if (is_word)
        set32(i.rd, remainder ? kD : kA);
    else
        set(i.rd, remainder ? kD : kA);
    a_.bind(back);
}

void Region::call_fallback(const Block& block, const Insn& i, Op op) {
    a_.mov(kC, reinterpret_cast<std::uint64_t>(&i));
    a_.mov(kD, reinterpret_cast<std::uint64_t>(&block));
    a_.mov(kA, reinterpret_cast<std::uint64_t>(fallbacks_[static_cast<std::size_t>(op)]));
    a_.call(fallback_);
}

// rcx is the instruction, rdx its block, rax what carries it out.
void Region::emit_fallback() {
    a_.bind(fallback_);
    write_back();
    a_.push(kC);
    a_.push(kD);
    a_.sub(x86::rsp, 8);  // aligned for the call
    a_.mov(x86::rdi, kHart);
    a_.mov(x86::rsi, kC);
    a_.call(kA);
    a_.add(x86::rsp, 8);
    a_.pop(kD);
    a_.pop(kC);
    a_.test(kA.r8(), kA.r8());
    a_.jz(stopped_);
    reload();
    a_.ret();
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
        case Op::div: divide(block, i, op, true, false, false); return true;
        case Op::divw: divide(block, i, op, true, false, true); return true;
        case Op::divu: divide(block, i, op, false, false, false); return true;
        case Op::divuw: divide(block, i, op, false, false, true); return true;
        case Op::rem: divide(block, i, op, true, true, false); return true;
        case Op::remw: divide(block, i, op, true, true, true); return true;
        case Op::remu: divide(block, i, op, false, true, false); return true;
        case Op::remuw: divide(block, i, op, false, true, true); return true;
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
        default: return floating(block, i, op);
    }
}

}  // namespace isthmus::sim::x86_64
