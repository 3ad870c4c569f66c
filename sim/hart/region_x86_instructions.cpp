// What one instruction becomes: a few host instructions, or a call of the fallback.
#include "sim/hart/region_x86.hpp"

namespace isthmus::sim::x86_64 {
namespace {

bool host_shifts_without_flags() {
    static const bool has = CpuInfo::host().hasFeature(CpuFeatures::X86::kBMI2);
    return has;
}

}  // namespace

void Region::set_constant(unsigned r, std::uint64_t value) {
    if (r == Hart::kDiscard) return;
    const Gp to = target(r, kC);
    if (value == 0)
        a_.xor_(to.r32(), to.r32());
    else
        a_.mov(to, value);
    set(r, to);
}

void Region::move(unsigned to, unsigned from) {
    if (to == Hart::kDiscard) return;
    if (homed(to))
        copy(home(to), from);
    else
        set(to, use(from, kA));
}

void Region::binary(const Insn& i, x86::Inst::Id id, bool commutes) {
    if (i.rd == Hart::kDiscard) return;
    if (id == x86::Inst::kIdAdd && (i.rs1 == 0 || i.rs2 == 0)) {
        move(i.rd, i.rs1 == 0 ? i.rs2 : i.rs1);
        return;
    }
    if (id == x86::Inst::kIdAdd && homed(i.rd) && homed(i.rs1) && homed(i.rs2) && i.rd != i.rs1 &&
        i.rd != i.rs2) {
        a_.lea(home(i.rd), x86::ptr(home(i.rs1), home(i.rs2)));
        return;
    }
    const bool swapped = commutes && i.rd == i.rs2;
    const unsigned first = swapped ? i.rs2 : i.rs1, second = swapped ? i.rs1 : i.rs2;
    // The second one must not be lost before it is used.
    const Gp to = i.rd == second && i.rd != first ? kA : target(i.rd, kA);
    const Operand with = source(second);
    copy(to, first);
    a_.emit(id, to, with);
    set(i.rd, to);
}

void Region::with_immediate(const Insn& i, x86::Inst::Id id) {
    if (i.rd == Hart::kDiscard) return;
    const bool adds = id == x86::Inst::kIdAdd;
    if (adds && i.imm == 0) {
        move(i.rd, i.rs1);
        return;
    }
    if (adds && i.rs1 == 0) {
        set_constant(i.rd, static_cast<std::uint64_t>(static_cast<std::int64_t>(i.imm)));
        return;
    }
    const Gp to = target(i.rd, kA);
    if (adds && homed(i.rs1) && i.rd != i.rs1) {
        a_.lea(to, x86::ptr(home(i.rs1), i.imm));
    } else {
        copy(to, i.rs1);
        a_.emit(id, to, imm(i.imm));
    }
    set(i.rd, to);
}

void Region::word(const Insn& i, x86::Inst::Id id) {
    if (i.rd == Hart::kDiscard) return;
    const Operand with = source32(i.rs2);
    a_.mov(kA.r32(), use(i.rs1, kA).r32());
    a_.emit(id, kA.r32(), with);
    set32(i.rd, kA);
}

void Region::word_with_immediate(const Insn& i, x86::Inst::Id id) {
    if (i.rd == Hart::kDiscard) return;
    const Gp from = use(i.rs1, kA);
    if (id == x86::Inst::kIdAdd) {
        if (i.imm == 0) {
            set32(i.rd, from);
            return;
        }
        a_.lea(kA.r32(), x86::ptr(from, i.imm));
    } else {
        if (from != kA) a_.mov(kA.r32(), from.r32());
        a_.emit(id, kA.r32(), imm(i.imm));
    }
    set32(i.rd, kA);
}

// The host masks the amount as the guest does.
void Region::shift(const Insn& i, x86::Inst::Id id, x86::Inst::Id without_flags, bool is_word) {
    if (i.rd == Hart::kDiscard) return;
    const auto sized = [&](const Gp& r) { return is_word ? Gp(r.r32()) : r; };
    const Gp to = is_word ? kA : target(i.rd, kA);
    if (host_shifts_without_flags()) {
        const Gp amount = use(i.rs2, kC);
        a_.emit(without_flags, sized(to), sized(use(i.rs1, kA)), sized(amount));
    } else {
        copy(kC, i.rs2);
        copy(kA, i.rs1);
        a_.emit(id, sized(kA), x86::cl);
        if (!is_word && to != kA) a_.mov(to, kA);
    }
    if (is_word)
        set32(i.rd, kA);
    else
        set(i.rd, to);
}

void Region::high_product(const Insn& i, bool is_signed) {
    if (i.rd == Hart::kDiscard) return;
    const Gp& d = home(kGuestOfD);
    copy(kA, i.rs1);
    const Gp with = use(i.rs2, kC);
    a_.mov(slot(kGuestOfD), d);
    if (is_signed)
        a_.imul(with);
    else
        a_.mul(with);
    a_.mov(kA, d);
    a_.mov(d, slot(kGuestOfD));
    set(i.rd, kA);
}

void Region::compare(const Insn& i, bool immediate, bool is_signed) {
    if (i.rd == Hart::kDiscard) return;
    const Gp x = use(i.rs1, kA);
    if (immediate)
        a_.cmp(x, i.imm);
    else
        a_.emit(x86::Inst::kIdCmp, x, source(i.rs2));
    if (is_signed)
        a_.setl(kA.r8());
    else
        a_.setb(kA.r8());
    const Gp to = target(i.rd, kA);
    a_.movzx(to.r32(), kA.r8());
    set(i.rd, to);
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
    const Gp& d = home(kGuestOfD);
    a_.mov(slot(kGuestOfD), d);
    if (!is_signed) {
        a_.xor_(d.r32(), d.r32());
        a_.div(sized(kC));
    } else if (is_word) {
        a_.cdq();
        a_.idiv(kC.r32());
    } else {
        a_.cqo();
        a_.idiv(kC);
    }
    if (remainder) a_.mov(kA, d);
    a_.mov(d, slot(kGuestOfD));
    if (is_word)
        set32(i.rd, kA);
    else
        set(i.rd, kA);
    a_.bind(back);
}

void Region::call_fallback(const Block& block, const Insn& i, Op op) {
    calls_.push_back({a_.newLabel(), {&block, &i, fallbacks_[static_cast<std::size_t>(op)]}});
    a_.lea(kC, x86::ptr(calls_.back().place));
    a_.call(imm(stubs_.fallback));
}

/// Two instructions that compilers write for want of one; false if they are none. The value between
/// them is not seen.
bool Region::pair(const Insn& first, Op op, const Insn& second, Op second_op) {
    if (op != Op::slli || first.rd == Hart::kDiscard) return false;
    if (second.rd != first.rd || second.rs1 != first.rd) return false;
    const bool is_signed = second_op == Op::srai;
    if (!is_signed && second_op != Op::srli) return false;
    const Gp from = use(first.rs1, kA), to = target(first.rd, kA);
    const int more = second.imm - first.imm;
    if (first.imm == 32 && !is_signed) {
        a_.mov(to.r32(), from.r32());
        if (more < 0) a_.shl(to, -more);
        if (more > 0) a_.shr(to.r32(), more);
    } else if (first.imm == 48 && more == 0) {
        if (is_signed)
            a_.movsx(to, from.r16());
        else
            a_.movzx(to.r32(), from.r16());
    } else if (first.imm == 56 && more == 0 && is_signed) {
        a_.movsx(to, from.r8());
    } else {
        return false;
    }
    set(first.rd, to);
    return true;
}

/// Emits one instruction that does not end its block.
bool Region::instruction(const Block& block, const Insn& i, Op op) {
    using enum x86::Inst::Id;
    switch (op) {
        case Op::lui:
            set_constant(i.rd, static_cast<std::uint64_t>(static_cast<std::int64_t>(i.imm)));
            return true;
        case Op::auipc:
            set_constant(i.rd, block.pc + i.block_offset() +
                                   static_cast<std::uint64_t>(static_cast<std::int64_t>(i.imm)));
            return true;
        case Op::addi: with_immediate(i, kIdAdd); return true;
        case Op::xori: with_immediate(i, kIdXor); return true;
        case Op::ori: with_immediate(i, kIdOr); return true;
        case Op::andi: with_immediate(i, kIdAnd); return true;
        case Op::slli: with_immediate(i, kIdShl); return true;
        case Op::srli: with_immediate(i, kIdShr); return true;
        case Op::srai: with_immediate(i, kIdSar); return true;
        case Op::add: binary(i, kIdAdd, true); return true;
        case Op::sub: binary(i, kIdSub, false); return true;
        case Op::xor_: binary(i, kIdXor, true); return true;
        case Op::or_: binary(i, kIdOr, true); return true;
        case Op::and_: binary(i, kIdAnd, true); return true;
        case Op::mul: binary(i, kIdImul, true); return true;
        case Op::sll: shift(i, kIdShl, kIdShlx, false); return true;
        case Op::srl: shift(i, kIdShr, kIdShrx, false); return true;
        case Op::sra: shift(i, kIdSar, kIdSarx, false); return true;
        case Op::slt: compare(i, false, true); return true;
        case Op::sltu: compare(i, false, false); return true;
        case Op::slti: compare(i, true, true); return true;
        case Op::sltiu: compare(i, true, false); return true;
        case Op::addw: word(i, kIdAdd); return true;
        case Op::subw: word(i, kIdSub); return true;
        case Op::mulw: word(i, kIdImul); return true;
        case Op::addiw: word_with_immediate(i, kIdAdd); return true;
        case Op::slliw: word_with_immediate(i, kIdShl); return true;
        case Op::srliw: word_with_immediate(i, kIdShr); return true;
        case Op::sraiw: word_with_immediate(i, kIdSar); return true;
        case Op::sllw: shift(i, kIdShl, kIdShlx, true); return true;
        case Op::srlw: shift(i, kIdShr, kIdShrx, true); return true;
        case Op::sraw: shift(i, kIdSar, kIdSarx, true); return true;
        case Op::mulh: high_product(i, true); return true;
        case Op::mulhu: high_product(i, false); return true;
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
