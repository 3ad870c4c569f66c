// Floating point by the host's own, where the result is sure to be the same: its rounding mode,
// no flag to raise that is not raised, a result well inside the range. All else is the fallback's,
// as it is in the interpreter (Context::host_mode).
#include <type_traits>

#include "sim/hart/region_x86.hpp"
#include "sim/hart/soft_float.hpp"

namespace isthmus::sim::x86_64 {

namespace {
using Single = soft_float::Single;
using Double = soft_float::Double;
template <class F>
constexpr bool kIsSingle = std::is_same_v<F, Single>;

const x86::Xmm kX = x86::xmm0, kY = x86::xmm1, kZ = x86::xmm2;

Mem low_of(unsigned r) {
    return x86::dword_ptr(kHart, kFOffset + 8 * static_cast<int>(r));
}
Mem high_of(unsigned r) {
    return x86::dword_ptr(kHart, kFOffset + 8 * static_cast<int>(r) + 4);
}
Mem all_of(unsigned r) {
    return x86::qword_ptr(kHart, kFOffset + 8 * static_cast<int>(r));
}

constexpr int kDynamic = 7;

bool host_fuses() {
    static const bool has = CpuInfo::host().hasFeature(CpuFeatures::X86::kFMA);
    return has;
}

bool may_round_as_host(const Insn& i) {
    return i.imm == soft_float::kNearestEven || i.imm == kDynamic;
}
}  // namespace

// A binary32 value that is not boxed is another one.
template <class F>
void Region::operand(const x86::Xmm& to, unsigned r, const Label& otherwise) {
    if constexpr (kIsSingle<F>) {
        a_.cmp(high_of(r), -1);
        a_.jne(otherwise);
        a_.movss(to, low_of(r));
    } else {
        a_.movsd(to, all_of(r));
    }
}

// xmm0 becomes the result if it is neither near the ends of its range nor special. An operand that
// is special makes such a result; no other flag than inexact comes with any else.
template <class F>
void Region::checked_result(const Insn& i, const Label& otherwise) {
    constexpr int kMax = soft_float::Layout<F>::kMaxExponent;
    if constexpr (kIsSingle<F>) {
        a_.movd(kA.r32(), kX);
        a_.lea(kC.r32(), x86::ptr(kA, kA));
    } else {
        a_.movq(kA, kX);
        a_.lea(kC, x86::ptr(kA, kA));
    }
    if constexpr (kIsSingle<F>)
        a_.shr(kC.r32(), F::kFraction + 1);
    else
        a_.shr(kC, F::kFraction + 1);
    a_.sub(kC.r32(), 2);
    a_.cmp(kC.r32(), kMax - 2);
    a_.jae(otherwise);
    if constexpr (kIsSingle<F>) {
        a_.mov(low_of(i.rd), kA.r32());
        a_.mov(high_of(i.rd), -1);
    } else {
        a_.mov(all_of(i.rd), kA);
    }
}

void Region::check_rounding(const Insn& i, const Label& otherwise) {
    if (i.imm == kDynamic) {
        a_.cmp(x86::dword_ptr(kHart, kModeOffset), soft_float::kNearestEven);
        a_.jne(otherwise);
    }
    a_.test(x86::byte_ptr(kHart, kFlagsOffset), soft_float::kInexact);
    a_.jz(otherwise);
}

template <class F, class To, class Operation>
bool Region::arithmetic(const Block& block, const Insn& i, Op op, unsigned operands,
                        Operation operation) {
    if (!may_round_as_host(i)) return false;
    const Label back = a_.newLabel();
    const Label otherwise = cold(block, i, op, back);
    check_rounding(i, otherwise);
    operand<F>(kX, i.rs1, otherwise);
    if (operands > 1) operand<F>(kY, i.rs2, otherwise);
    if (operands > 2) operand<F>(kZ, i.rs3, otherwise);
    operation();
    checked_result<To>(i, otherwise);
    a_.bind(back);
    return true;
}

template <class F>
void Region::load_float(const Block& block, const Insn& i, Op op) {
    const Label back = a_.newLabel();
    const Mem at = host_memory(i, sizeof(typename F::Bits), kLoads, cold(block, i, op, back));
    if constexpr (kIsSingle<F>) {
        a_.mov(kA.r32(), at);
        a_.mov(low_of(i.rd), kA.r32());
        a_.mov(high_of(i.rd), -1);
    } else {
        a_.mov(kA, at);
        a_.mov(all_of(i.rd), kA);
    }
    a_.bind(back);
}

template <class F>
void Region::store_float(const Block& block, const Insn& i, Op op) {
    const Label back = a_.newLabel();
    const Mem at = host_memory(i, sizeof(typename F::Bits), kStores, cold(block, i, op, back));
    const Gp& value = beside(at);
    if constexpr (kIsSingle<F>) {
        a_.mov(value.r32(), low_of(i.rs2));
        a_.mov(at, value.r32());
    } else {
        a_.mov(value, all_of(i.rs2));
        a_.mov(at, value);
    }
    a_.bind(back);
}

// Only a NaN raises a flag.
template <class F>
void Region::compare_floats(const Block& block, const Insn& i, Op op, bool or_equal, bool equal) {
    const Label back = a_.newLabel();
    const Label otherwise = cold(block, i, op, back);
    operand<F>(kX, i.rs1, otherwise);
    operand<F>(kY, i.rs2, otherwise);
    if constexpr (kIsSingle<F>)
        a_.ucomiss(kY, kX);
    else
        a_.ucomisd(kY, kX);
    a_.jp(otherwise);
    if (equal)
        a_.sete(kA.r8());
    else if (or_equal)
        a_.setae(kA.r8());
    else
        a_.seta(kA.r8());
    a_.movzx(kA.r32(), kA.r8());
    set(i.rd, kA);
    a_.bind(back);
}

// Signed; towards zero or to the nearest. What is out of range is the least integer on the host.
template <class F>
bool Region::to_integer(const Block& block, const Insn& i, Op op, bool wide) {
    const bool cuts = i.imm == soft_float::kTowardZero;
    if (!cuts && i.imm != soft_float::kNearestEven) return false;
    const Label back = a_.newLabel();
    const Label otherwise = cold(block, i, op, back);
    a_.test(x86::byte_ptr(kHart, kFlagsOffset), soft_float::kInexact);
    a_.jz(otherwise);
    operand<F>(kX, i.rs1, otherwise);
    const Gp to = wide ? kA : Gp(kA.r32());
    if constexpr (kIsSingle<F>) {
        if (cuts)
            a_.cvttss2si(to, kX);
        else
            a_.cvtss2si(to, kX);
    } else {
        if (cuts)
            a_.cvttsd2si(to, kX);
        else
            a_.cvtsd2si(to, kX);
    }
    a_.mov(wide ? kC : Gp(kC.r32()), to);
    a_.neg(wide ? kC : Gp(kC.r32()));
    a_.jo(otherwise);
    if (wide)
        set(i.rd, kA);
    else
        set32(i.rd, kA);
    a_.bind(back);
    return true;
}

// A binary64 has every 32-bit integer; all others may have to be rounded.
template <class F>
bool Region::from_integer(const Block& block, const Insn& i, Op op, bool wide, bool is_signed) {
    const bool rounds = wide || kIsSingle<F>;
    const bool is_mode =
        i.imm == kDynamic || i.imm <= static_cast<int>(soft_float::kNearestMaxMagnitude);
    if (rounds ? !may_round_as_host(i) : !is_mode) return false;
    const Label back = a_.newLabel();
    const Label otherwise = cold(block, i, op, back);
    if (rounds) {
        check_rounding(i, otherwise);
    } else if (i.imm == kDynamic) {
        a_.cmp(x86::dword_ptr(kHart, kModeOffset), soft_float::kNearestMaxMagnitude);
        a_.ja(otherwise);
    }
    const Gp from = use(i.rs1, kA);
    a_.xorps(kX, kX);  // else it waits for what was there
    if (wide) {
        if constexpr (kIsSingle<F>)
            a_.cvtsi2ss(kX, from);
        else
            a_.cvtsi2sd(kX, from);
    } else {
        if (is_signed)
            a_.movsxd(kC, from.r32());
        else
            a_.mov(kC.r32(), from.r32());
        if constexpr (kIsSingle<F>)
            a_.cvtsi2ss(kX, kC);
        else
            a_.cvtsi2sd(kX, kC);
    }
    if constexpr (kIsSingle<F>) {
        a_.movss(low_of(i.rd), kX);
        a_.mov(high_of(i.rd), -1);
    } else {
        a_.movsd(all_of(i.rd), kX);
    }
    a_.bind(back);
    return true;
}

bool Region::floating(const Block& block, const Insn& i, Op op) {
    switch (op) {
        case Op::flw: load_float<Single>(block, i, op); return true;
        case Op::fld: load_float<Double>(block, i, op); return true;
        case Op::fsw: store_float<Single>(block, i, op); return true;
        case Op::fsd: store_float<Double>(block, i, op); return true;
        case Op::fadd_s: return arithmetic<Single>(block, i, op, 2, [&] { a_.addss(kX, kY); });
        case Op::fsub_s: return arithmetic<Single>(block, i, op, 2, [&] { a_.subss(kX, kY); });
        case Op::fmul_s: return arithmetic<Single>(block, i, op, 2, [&] { a_.mulss(kX, kY); });
        case Op::fdiv_s: return arithmetic<Single>(block, i, op, 2, [&] { a_.divss(kX, kY); });
        case Op::fsqrt_s: return arithmetic<Single>(block, i, op, 1, [&] { a_.sqrtss(kX, kX); });
        case Op::fadd_d: return arithmetic<Double>(block, i, op, 2, [&] { a_.addsd(kX, kY); });
        case Op::fsub_d: return arithmetic<Double>(block, i, op, 2, [&] { a_.subsd(kX, kY); });
        case Op::fmul_d: return arithmetic<Double>(block, i, op, 2, [&] { a_.mulsd(kX, kY); });
        case Op::fdiv_d: return arithmetic<Double>(block, i, op, 2, [&] { a_.divsd(kX, kY); });
        case Op::fsqrt_d: return arithmetic<Double>(block, i, op, 1, [&] { a_.sqrtsd(kX, kX); });
        case Op::fmadd_s:
            return host_fuses() &&
                   arithmetic<Single>(block, i, op, 3, [&] { a_.vfmadd213ss(kX, kY, kZ); });
        case Op::fmsub_s:
            return host_fuses() &&
                   arithmetic<Single>(block, i, op, 3, [&] { a_.vfmsub213ss(kX, kY, kZ); });
        case Op::fnmsub_s:
            return host_fuses() &&
                   arithmetic<Single>(block, i, op, 3, [&] { a_.vfnmadd213ss(kX, kY, kZ); });
        case Op::fnmadd_s:
            return host_fuses() &&
                   arithmetic<Single>(block, i, op, 3, [&] { a_.vfnmsub213ss(kX, kY, kZ); });
        case Op::fmadd_d:
            return host_fuses() &&
                   arithmetic<Double>(block, i, op, 3, [&] { a_.vfmadd213sd(kX, kY, kZ); });
        case Op::fmsub_d:
            return host_fuses() &&
                   arithmetic<Double>(block, i, op, 3, [&] { a_.vfmsub213sd(kX, kY, kZ); });
        case Op::fnmsub_d:
            return host_fuses() &&
                   arithmetic<Double>(block, i, op, 3, [&] { a_.vfnmadd213sd(kX, kY, kZ); });
        case Op::fnmadd_d:
            return host_fuses() &&
                   arithmetic<Double>(block, i, op, 3, [&] { a_.vfnmsub213sd(kX, kY, kZ); });
        case Op::fcvt_s_d:
            return arithmetic<Double, Single>(block, i, op, 1, [&] { a_.cvtsd2ss(kX, kX); });
        case Op::flt_s: compare_floats<Single>(block, i, op, false, false); return true;
        case Op::fle_s: compare_floats<Single>(block, i, op, true, false); return true;
        case Op::feq_s: compare_floats<Single>(block, i, op, false, true); return true;
        case Op::flt_d: compare_floats<Double>(block, i, op, false, false); return true;
        case Op::fle_d: compare_floats<Double>(block, i, op, true, false); return true;
        case Op::feq_d: compare_floats<Double>(block, i, op, false, true); return true;
        case Op::fcvt_w_s: return to_integer<Single>(block, i, op, false);
        case Op::fcvt_l_s: return to_integer<Single>(block, i, op, true);
        case Op::fcvt_w_d: return to_integer<Double>(block, i, op, false);
        case Op::fcvt_l_d: return to_integer<Double>(block, i, op, true);
        case Op::fcvt_s_w: return from_integer<Single>(block, i, op, false, true);
        case Op::fcvt_s_wu: return from_integer<Single>(block, i, op, false, false);
        case Op::fcvt_s_l: return from_integer<Single>(block, i, op, true, true);
        case Op::fcvt_d_w: return from_integer<Double>(block, i, op, false, true);
        case Op::fcvt_d_wu: return from_integer<Double>(block, i, op, false, false);
        case Op::fcvt_d_l: return from_integer<Double>(block, i, op, true, true);
        case Op::fsgnj_d:
        case Op::fsgnjn_d:
        case Op::fsgnjx_d:
            a_.mov(kA, all_of(i.rs1));
            if (i.rs1 == i.rs2) {
                if (op == Op::fsgnjn_d) a_.btc(kA, 63);
                if (op == Op::fsgnjx_d) a_.btr(kA, 63);
            } else {
                a_.mov(kC, all_of(i.rs2));
                if (op == Op::fsgnjn_d) a_.not_(kC);
                a_.shr(kC, 63);
                a_.shl(kC, 63);
                if (op != Op::fsgnjx_d) a_.btr(kA, 63);
                a_.xor_(kA, kC);
            }
            a_.mov(all_of(i.rd), kA);
            return true;
        case Op::fmv_x_d:
            if (i.rd == Hart::kDiscard) return true;
            a_.mov(kA, all_of(i.rs1));
            set(i.rd, kA);
            return true;
        case Op::fmv_d_x: a_.mov(all_of(i.rd), use(i.rs1, kA)); return true;
        case Op::fmv_x_w:
            if (i.rd == Hart::kDiscard) return true;
            a_.movsxd(kA, low_of(i.rs1));
            set(i.rd, kA);
            return true;
        case Op::fmv_w_x:
            a_.mov(low_of(i.rd), use(i.rs1, kA).r32());
            a_.mov(high_of(i.rd), -1);
            return true;
        default: return false;
    }
}

}  // namespace isthmus::sim::x86_64
