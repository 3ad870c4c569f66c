// What every instruction does: one function per operation of the table, named like it. Each returns
// true to go on and false to leave the loop, with Hart::stop saying why; branches return whether
// they are taken.
#pragma once

#include "sim/hart/context.hpp"
#include "sim/isa/atomic.hpp"

namespace isthmus::sim {

template <unsigned kXlen, class Observer>
struct Semantics {
    using C = Context<kXlen, Observer>;
    using I = const Insn&;
    using Word = typename C::Word;
    using Signed = typename C::Signed;
    using Single = soft_float::Single;
    using Double = soft_float::Double;
    using Kind = RemoteRequest::Kind;
    using s8 = std::int8_t;
    using s16 = std::int16_t;
    using s32 = std::int32_t;
    using s64 = std::int64_t;
    using u8 = std::uint8_t;
    using u16 = std::uint16_t;
    using u32 = std::uint32_t;
    using u64 = std::uint64_t;
    static constexpr unsigned kShiftMask = kXlen - 1;

    // I

    static bool lui(C& c, I i) { return c.set(i.rd, C::imm(i)); }
    // While a block runs, next_pc holds its start; rs2 and rs3 hold the distance from there.
    static bool auipc(C& c, I i) {
        return c.set(i.rd, static_cast<Word>(c.next_pc) + i.block_offset() + C::imm(i));
    }
    // The loop knows where jumps go and where they come from; what is left is the register.
    static bool jal(C& c, I i) { return c.set(i.rd, static_cast<Word>(c.next_pc)); }
    static bool jalr(C& c, I i) {
        const Word target = (c.x(i.rs1) + C::imm(i)) & ~Word{1};
        c.set(i.rd, static_cast<Word>(c.next_pc));
        c.next_pc = target;
        return true;
    }
    static bool beq(C& c, I i) { return c.x(i.rs1) == c.x(i.rs2); }
    static bool bne(C& c, I i) { return c.x(i.rs1) != c.x(i.rs2); }
    static bool blt(C& c, I i) { return c.sx(i.rs1) < c.sx(i.rs2); }
    static bool bge(C& c, I i) { return c.sx(i.rs1) >= c.sx(i.rs2); }
    static bool bltu(C& c, I i) { return c.x(i.rs1) < c.x(i.rs2); }
    static bool bgeu(C& c, I i) { return c.x(i.rs1) >= c.x(i.rs2); }
    static bool lb(C& c, I i) { return c.template load<s8>(i); }
    static bool lh(C& c, I i) { return c.template load<s16>(i); }
    static bool lw(C& c, I i) { return c.template load<s32>(i); }
    static bool ld(C& c, I i) { return c.template load<s64>(i); }
    static bool lbu(C& c, I i) { return c.template load<u8>(i); }
    static bool lhu(C& c, I i) { return c.template load<u16>(i); }
    static bool lwu(C& c, I i) { return c.template load<u32>(i); }
    static bool sb(C& c, I i) { return c.template store<u8>(i); }
    static bool sh(C& c, I i) { return c.template store<u16>(i); }
    static bool sw(C& c, I i) { return c.template store<u32>(i); }
    static bool sd(C& c, I i) { return c.template store<u64>(i); }
    static bool addi(C& c, I i) { return c.set(i.rd, c.x(i.rs1) + C::imm(i)); }
    static bool slti(C& c, I i) { return c.set(i.rd, c.sx(i.rs1) < i.imm); }
    static bool sltiu(C& c, I i) { return c.set(i.rd, c.x(i.rs1) < C::imm(i)); }
    static bool xori(C& c, I i) { return c.set(i.rd, c.x(i.rs1) ^ C::imm(i)); }
    static bool ori(C& c, I i) { return c.set(i.rd, c.x(i.rs1) | C::imm(i)); }
    static bool andi(C& c, I i) { return c.set(i.rd, c.x(i.rs1) & C::imm(i)); }
    static bool slli(C& c, I i) { return c.set(i.rd, c.x(i.rs1) << i.imm); }
    static bool srli(C& c, I i) { return c.set(i.rd, c.x(i.rs1) >> i.imm); }
    static bool srai(C& c, I i) { return c.set(i.rd, static_cast<Word>(c.sx(i.rs1) >> i.imm)); }
    static bool add(C& c, I i) { return c.set(i.rd, c.x(i.rs1) + c.x(i.rs2)); }
    static bool sub(C& c, I i) { return c.set(i.rd, c.x(i.rs1) - c.x(i.rs2)); }
    static bool sll(C& c, I i) { return c.set(i.rd, c.x(i.rs1) << (c.x(i.rs2) & kShiftMask)); }
    static bool slt(C& c, I i) { return c.set(i.rd, c.sx(i.rs1) < c.sx(i.rs2)); }
    static bool sltu(C& c, I i) { return c.set(i.rd, c.x(i.rs1) < c.x(i.rs2)); }
    static bool xor_(C& c, I i) { return c.set(i.rd, c.x(i.rs1) ^ c.x(i.rs2)); }
    static bool srl(C& c, I i) { return c.set(i.rd, c.x(i.rs1) >> (c.x(i.rs2) & kShiftMask)); }
    static bool sra(C& c, I i) {
        return c.set(i.rd, static_cast<Word>(c.sx(i.rs1) >> (c.x(i.rs2) & kShiftMask)));
    }
    static bool or_(C& c, I i) { return c.set(i.rd, c.x(i.rs1) | c.x(i.rs2)); }
    static bool and_(C& c, I i) { return c.set(i.rd, c.x(i.rs1) & c.x(i.rs2)); }
    static bool addiw(C& c, I i) { return c.set32(i.rd, w1(c, i) + static_cast<u32>(i.imm)); }
    static bool slliw(C& c, I i) { return c.set32(i.rd, w1(c, i) << i.imm); }
    static bool srliw(C& c, I i) { return c.set32(i.rd, w1(c, i) >> i.imm); }
    static bool sraiw(C& c, I i) {
        return c.set32(i.rd, static_cast<u32>(static_cast<s32>(w1(c, i)) >> i.imm));
    }
    static bool addw(C& c, I i) { return c.set32(i.rd, w1(c, i) + w2(c, i)); }
    static bool subw(C& c, I i) { return c.set32(i.rd, w1(c, i) - w2(c, i)); }
    static bool sllw(C& c, I i) { return c.set32(i.rd, w1(c, i) << (w2(c, i) & 31)); }
    static bool srlw(C& c, I i) { return c.set32(i.rd, w1(c, i) >> (w2(c, i) & 31)); }
    static bool sraw(C& c, I i) {
        return c.set32(i.rd, static_cast<u32>(static_cast<s32>(w1(c, i)) >> (w2(c, i) & 31)));
    }

    static u32 w1(C& c, I i) { return static_cast<u32>(c.hart.x[i.rs1]); }
    static u32 w2(C& c, I i) { return static_cast<u32>(c.hart.x[i.rs2]); }

    // Zicsr, Zifencei, privileged. These run with Hart::pc and Hart::instret exact and next_pc
    // behind the instruction.

    // Every remote access is complete when its instruction is, so a fence has nothing left to wait
    // for; a timing model sees it retire and holds the hart. As a hint (pause) it lets the others
    // go on.
    static bool fence(C& c, I i) {
        if (i.imm == 0x010) [[unlikely]] {
            c.hart.stop = Stop::yield;
            return false;
        }
        return true;
    }
    static bool fence_i(C& c, I) {
        c.hart.flush_code();
        return true;
    }
    static bool ecall(C& c, I) {
        if (c.hart.options().emulate_linux) {
            c.hart.stop = Stop::system_call;
            return false;
        }
        return c.hart.raise(c.hart.privilege == Privilege::machine      ? Cause::machine_call
                            : c.hart.privilege == Privilege::supervisor ? Cause::supervisor_call
                                                                        : Cause::user_call,
                            0);
    }
    static bool ebreak(C& c, I) { return c.hart.raise(Cause::breakpoint, c.hart.pc); }
    static bool mret(C& c, I) {
        if (c.hart.privilege != Privilege::machine) return c.illegal();
        c.hart.return_from_trap();
        c.next_pc = c.hart.csr.mepc;
        return true;
    }
    /// Supervisor mode may do it unless the bit of mstatus keeps it from that; user mode never.
    static bool may_supervise(C& c, u64 trap_bit) {
        const Hart& h = c.hart;
        return h.privilege == Privilege::machine ||
               (h.privilege == Privilege::supervisor && (h.csr.mstatus & trap_bit) == 0);
    }
    static bool sret(C& c, I) {
        if (!may_supervise(c, Hart::kMstatusTsr)) return c.illegal();
        c.hart.return_from_supervisor_trap();
        c.next_pc = c.hart.csr.sepc;
        return true;
    }
    static bool sfence_vma(C& c, I i) {
        if (!may_supervise(c, Hart::kMstatusTvm)) return c.illegal();
        c.hart.fence_translation(i.rs1 == 0 ? Hart::kAll : c.x(i.rs1),
                                 i.rs2 == 0 ? Hart::kAll : c.x(i.rs2));
        return true;
    }
    static bool wfi(C& c, I) {
        if (c.hart.options().supervisor_mode && !may_supervise(c, Hart::kMstatusTw))
            return c.illegal();
        c.hart.stop = Stop::yield;
        return false;
    }
    /// Reads unless the old value is dropped by a plain write, writes unless a set or clear has no
    /// bits to change.
    template <class Modify>
    static bool csr(C& c, I i, bool reads, bool writes, Modify modify) {
        const auto number = static_cast<unsigned>(i.imm) & 0xfff;
        u64 old = 0;
        if ((reads || !writes) && !c.hart.read_csr(number, old)) return c.illegal();
        // Of mip's supervisor bits a set or clear changes what software has written, not the lines.
        const u64 from = number == 0x344 ? c.hart.csr.mip_written : old;
        if (writes && !c.hart.write_csr(number, static_cast<Word>(modify(static_cast<Word>(from)))))
            return c.illegal();
        return c.set(i.rd, static_cast<Word>(old));
    }
    static bool csrrw(C& c, I i) {
        const Word value = c.x(i.rs1);
        return csr(c, i, i.rd != Hart::kDiscard, true, [&](Word) { return value; });
    }
    static bool csrrs(C& c, I i) {
        const Word value = c.x(i.rs1);
        return csr(c, i, true, i.rs1 != 0, [&](Word old) { return old | value; });
    }
    static bool csrrc(C& c, I i) {
        const Word value = c.x(i.rs1);
        return csr(c, i, true, i.rs1 != 0, [&](Word old) { return old & ~value; });
    }
    static bool csrrwi(C& c, I i) {
        return csr(c, i, i.rd != Hart::kDiscard, true, [&](Word) { return Word{i.rs1}; });
    }
    static bool csrrsi(C& c, I i) {
        return csr(c, i, true, i.rs1 != 0, [&](Word old) { return old | i.rs1; });
    }
    static bool csrrci(C& c, I i) {
        return csr(c, i, true, i.rs1 != 0, [&](Word old) { return old & ~Word{i.rs1}; });
    }

    // M

    using Wide = std::conditional_t<kXlen == 64, __int128, s64>;
    using UnsignedWide = std::conditional_t<kXlen == 64, unsigned __int128, u64>;
    static bool mul(C& c, I i) { return c.set(i.rd, c.x(i.rs1) * c.x(i.rs2)); }
    static bool mulh(C& c, I i) {
        return c.set(i.rd, static_cast<Word>((Wide{c.sx(i.rs1)} * Wide{c.sx(i.rs2)}) >> kXlen));
    }
    static bool mulhsu(C& c, I i) {
        return c.set(
            i.rd, static_cast<Word>((Wide{c.sx(i.rs1)} * static_cast<Wide>(c.x(i.rs2))) >> kXlen));
    }
    static bool mulhu(C& c, I i) {
        return c.set(i.rd, static_cast<Word>(
                               (UnsignedWide{c.x(i.rs1)} * UnsignedWide{c.x(i.rs2)}) >> kXlen));
    }
    // Division by zero gives all ones and the dividend; the one overflow gives the dividend and 0.
    template <class S>
    static S quotient(S a, S b) {
        if (b == 0) return S(-1);
        if (std::is_signed_v<S> && b == S(-1))
            return static_cast<S>(0 - static_cast<std::make_unsigned_t<S>>(a));
        return a / b;
    }
    template <class S>
    static S remainder(S a, S b) {
        if (b == 0) return a;
        if (std::is_signed_v<S> && b == S(-1)) return 0;
        return a % b;
    }
    static bool div(C& c, I i) {
        return c.set(i.rd, static_cast<Word>(quotient(c.sx(i.rs1), c.sx(i.rs2))));
    }
    static bool divu(C& c, I i) { return c.set(i.rd, quotient(c.x(i.rs1), c.x(i.rs2))); }
    static bool rem(C& c, I i) {
        return c.set(i.rd, static_cast<Word>(remainder(c.sx(i.rs1), c.sx(i.rs2))));
    }
    static bool remu(C& c, I i) { return c.set(i.rd, remainder(c.x(i.rs1), c.x(i.rs2))); }
    static bool mulw(C& c, I i) { return c.set32(i.rd, w1(c, i) * w2(c, i)); }
    static bool divw(C& c, I i) {
        return c.set32(i.rd, static_cast<u32>(
                                 quotient(static_cast<s32>(w1(c, i)), static_cast<s32>(w2(c, i)))));
    }
    static bool divuw(C& c, I i) { return c.set32(i.rd, quotient(w1(c, i), w2(c, i))); }
    static bool remw(C& c, I i) {
        return c.set32(i.rd, static_cast<u32>(remainder(static_cast<s32>(w1(c, i)),
                                                        static_cast<s32>(w2(c, i)))));
    }
    static bool remuw(C& c, I i) { return c.set32(i.rd, remainder(w1(c, i), w2(c, i))); }

    // A, and the remote atomics: the same operations, shared with the node that serves them.

    static bool lr_w(C& c, I i) { return c.template load_reserved<s32>(i); }
    static bool sc_w(C& c, I i) { return c.template store_conditional<s32>(i); }
    static bool amoswap_w(C& c, I i) { return c.template amo<s32>(i, atomic::swap_<s32>); }
    static bool amoadd_w(C& c, I i) { return c.template amo<s32>(i, atomic::add_<s32>); }
    static bool amoxor_w(C& c, I i) { return c.template amo<s32>(i, atomic::xor_<s32>); }
    static bool amoand_w(C& c, I i) { return c.template amo<s32>(i, atomic::and_<s32>); }
    static bool amoor_w(C& c, I i) { return c.template amo<s32>(i, atomic::or_<s32>); }
    static bool amomin_w(C& c, I i) { return c.template amo<s32>(i, atomic::min_<s32>); }
    static bool amomax_w(C& c, I i) { return c.template amo<s32>(i, atomic::max_<s32>); }
    static bool amominu_w(C& c, I i) { return c.template amo<s32>(i, atomic::minu_<s32>); }
    static bool amomaxu_w(C& c, I i) { return c.template amo<s32>(i, atomic::maxu_<s32>); }
    static bool lr_d(C& c, I i) { return c.template load_reserved<s64>(i); }
    static bool sc_d(C& c, I i) { return c.template store_conditional<s64>(i); }
    static bool amoswap_d(C& c, I i) { return c.template amo<s64>(i, atomic::swap_<s64>); }
    static bool amoadd_d(C& c, I i) { return c.template amo<s64>(i, atomic::add_<s64>); }
    static bool amoxor_d(C& c, I i) { return c.template amo<s64>(i, atomic::xor_<s64>); }
    static bool amoand_d(C& c, I i) { return c.template amo<s64>(i, atomic::and_<s64>); }
    static bool amoor_d(C& c, I i) { return c.template amo<s64>(i, atomic::or_<s64>); }
    static bool amomin_d(C& c, I i) { return c.template amo<s64>(i, atomic::min_<s64>); }
    static bool amomax_d(C& c, I i) { return c.template amo<s64>(i, atomic::max_<s64>); }
    static bool amominu_d(C& c, I i) { return c.template amo<s64>(i, atomic::minu_<s64>); }
    static bool amomaxu_d(C& c, I i) { return c.template amo<s64>(i, atomic::maxu_<s64>); }
    static bool elr_w(C& c, I i) {
        return c.template remote_atomic<s32>(i, Op::elr_w, Kind::load_reserved);
    }
    static bool esc_w(C& c, I i) {
        return c.template remote_atomic<s32>(i, Op::esc_w, Kind::store_conditional);
    }
    static bool eamoswap_w(C& c, I i) {
        return c.template remote_atomic<s32>(i, Op::eamoswap_w, Kind::atomic);
    }
    static bool eamoadd_w(C& c, I i) {
        return c.template remote_atomic<s32>(i, Op::eamoadd_w, Kind::atomic);
    }
    static bool eamoxor_w(C& c, I i) {
        return c.template remote_atomic<s32>(i, Op::eamoxor_w, Kind::atomic);
    }
    static bool eamoand_w(C& c, I i) {
        return c.template remote_atomic<s32>(i, Op::eamoand_w, Kind::atomic);
    }
    static bool eamoor_w(C& c, I i) {
        return c.template remote_atomic<s32>(i, Op::eamoor_w, Kind::atomic);
    }
    static bool eamomin_w(C& c, I i) {
        return c.template remote_atomic<s32>(i, Op::eamomin_w, Kind::atomic);
    }
    static bool eamomax_w(C& c, I i) {
        return c.template remote_atomic<s32>(i, Op::eamomax_w, Kind::atomic);
    }
    static bool eamominu_w(C& c, I i) {
        return c.template remote_atomic<s32>(i, Op::eamominu_w, Kind::atomic);
    }
    static bool eamomaxu_w(C& c, I i) {
        return c.template remote_atomic<s32>(i, Op::eamomaxu_w, Kind::atomic);
    }
    static bool eamocas_w(C& c, I i) {
        return c.template remote_atomic<s32>(i, Op::eamocas_w, Kind::atomic);
    }
    static bool elr_d(C& c, I i) {
        return c.template remote_atomic<s64>(i, Op::elr_d, Kind::load_reserved);
    }
    static bool esc_d(C& c, I i) {
        return c.template remote_atomic<s64>(i, Op::esc_d, Kind::store_conditional);
    }
    static bool eamoswap_d(C& c, I i) {
        return c.template remote_atomic<s64>(i, Op::eamoswap_d, Kind::atomic);
    }
    static bool eamoadd_d(C& c, I i) {
        return c.template remote_atomic<s64>(i, Op::eamoadd_d, Kind::atomic);
    }
    static bool eamoxor_d(C& c, I i) {
        return c.template remote_atomic<s64>(i, Op::eamoxor_d, Kind::atomic);
    }
    static bool eamoand_d(C& c, I i) {
        return c.template remote_atomic<s64>(i, Op::eamoand_d, Kind::atomic);
    }
    static bool eamoor_d(C& c, I i) {
        return c.template remote_atomic<s64>(i, Op::eamoor_d, Kind::atomic);
    }
    static bool eamomin_d(C& c, I i) {
        return c.template remote_atomic<s64>(i, Op::eamomin_d, Kind::atomic);
    }
    static bool eamomax_d(C& c, I i) {
        return c.template remote_atomic<s64>(i, Op::eamomax_d, Kind::atomic);
    }
    static bool eamominu_d(C& c, I i) {
        return c.template remote_atomic<s64>(i, Op::eamominu_d, Kind::atomic);
    }
    static bool eamomaxu_d(C& c, I i) {
        return c.template remote_atomic<s64>(i, Op::eamomaxu_d, Kind::atomic);
    }
    static bool eamocas_d(C& c, I i) {
        return c.template remote_atomic<s64>(i, Op::eamocas_d, Kind::atomic);
    }

    // F and D. Host arithmetic takes over where its result is provably the same (Context::binary).

    static bool flw(C& c, I i) { return c.template load_f<Single>(i); }
    static bool fsw(C& c, I i) { return c.template store_f<Single>(i); }
    static bool fmadd_s(C& c, I i) { return c.template fused<Single, false, false>(i); }
    static bool fmsub_s(C& c, I i) { return c.template fused<Single, false, true>(i); }
    static bool fnmsub_s(C& c, I i) { return c.template fused<Single, true, false>(i); }
    static bool fnmadd_s(C& c, I i) { return c.template fused<Single, true, true>(i); }
    static bool fadd_s(C& c, I i) {
        return c.template binary<Single>(i, soft_float::add<Single>,
                                         [](auto a, auto b) { return a + b; });
    }
    static bool fsub_s(C& c, I i) {
        return c.template binary<Single>(i, soft_float::sub<Single>,
                                         [](auto a, auto b) { return a - b; });
    }
    static bool fmul_s(C& c, I i) {
        return c.template binary<Single>(i, soft_float::mul<Single>,
                                         [](auto a, auto b) { return a * b; });
    }
    static bool fdiv_s(C& c, I i) {
        return c.template binary<Single>(i, soft_float::div<Single>,
                                         [](auto a, auto b) { return a / b; });
    }
    static bool fsqrt_s(C& c, I i) { return c.template square_root<Single>(i); }
    static bool fsgnj_s(C& c, I i) {
        return c.template inject_sign<Single>(i, [](auto, auto b) { return b; });
    }
    static bool fsgnjn_s(C& c, I i) {
        return c.template inject_sign<Single>(i, [](auto, auto b) { return ~b; });
    }
    static bool fsgnjx_s(C& c, I i) {
        return c.template inject_sign<Single>(i, [](auto a, auto b) { return a ^ b; });
    }
    static bool fmin_s(C& c, I i) { return c.template min_max<Single>(i, false); }
    static bool fmax_s(C& c, I i) { return c.template min_max<Single>(i, true); }
    static bool feq_s(C& c, I i) {
        return c.set(i.rd,
                     soft_float::equal_quiet<Single>(c.template f<Single>(i.rs1),
                                                     c.template f<Single>(i.rs2), c.hart.fflags));
    }
    static bool flt_s(C& c, I i) { return c.template compare<Single>(i, false); }
    static bool fle_s(C& c, I i) { return c.template compare<Single>(i, true); }
    static bool fclass_s(C& c, I i) {
        return c.set(i.rd, soft_float::classify<Single>(c.template f<Single>(i.rs1)));
    }
    static bool fcvt_w_s(C& c, I i) { return c.template to_integer<Single, s32>(i); }
    static bool fcvt_s_w(C& c, I i) { return c.template from_integer<Single, s32>(i); }
    static bool fcvt_wu_s(C& c, I i) { return c.template to_integer<Single, u32>(i); }
    static bool fcvt_s_wu(C& c, I i) { return c.template from_integer<Single, u32>(i); }
    static bool fcvt_l_s(C& c, I i) { return c.template to_integer<Single, s64>(i); }
    static bool fcvt_s_l(C& c, I i) { return c.template from_integer<Single, s64>(i); }
    static bool fcvt_lu_s(C& c, I i) { return c.template to_integer<Single, u64>(i); }
    static bool fcvt_s_lu(C& c, I i) { return c.template from_integer<Single, u64>(i); }
    static bool fld(C& c, I i) { return c.template load_f<Double>(i); }
    static bool fsd(C& c, I i) { return c.template store_f<Double>(i); }
    static bool fmadd_d(C& c, I i) { return c.template fused<Double, false, false>(i); }
    static bool fmsub_d(C& c, I i) { return c.template fused<Double, false, true>(i); }
    static bool fnmsub_d(C& c, I i) { return c.template fused<Double, true, false>(i); }
    static bool fnmadd_d(C& c, I i) { return c.template fused<Double, true, true>(i); }
    static bool fadd_d(C& c, I i) {
        return c.template binary<Double>(i, soft_float::add<Double>,
                                         [](auto a, auto b) { return a + b; });
    }
    static bool fsub_d(C& c, I i) {
        return c.template binary<Double>(i, soft_float::sub<Double>,
                                         [](auto a, auto b) { return a - b; });
    }
    static bool fmul_d(C& c, I i) {
        return c.template binary<Double>(i, soft_float::mul<Double>,
                                         [](auto a, auto b) { return a * b; });
    }
    static bool fdiv_d(C& c, I i) {
        return c.template binary<Double>(i, soft_float::div<Double>,
                                         [](auto a, auto b) { return a / b; });
    }
    static bool fsqrt_d(C& c, I i) { return c.template square_root<Double>(i); }
    static bool fsgnj_d(C& c, I i) {
        return c.template inject_sign<Double>(i, [](auto, auto b) { return b; });
    }
    static bool fsgnjn_d(C& c, I i) {
        return c.template inject_sign<Double>(i, [](auto, auto b) { return ~b; });
    }
    static bool fsgnjx_d(C& c, I i) {
        return c.template inject_sign<Double>(i, [](auto a, auto b) { return a ^ b; });
    }
    static bool fmin_d(C& c, I i) { return c.template min_max<Double>(i, false); }
    static bool fmax_d(C& c, I i) { return c.template min_max<Double>(i, true); }
    static bool feq_d(C& c, I i) {
        return c.set(i.rd,
                     soft_float::equal_quiet<Double>(c.template f<Double>(i.rs1),
                                                     c.template f<Double>(i.rs2), c.hart.fflags));
    }
    static bool flt_d(C& c, I i) { return c.template compare<Double>(i, false); }
    static bool fle_d(C& c, I i) { return c.template compare<Double>(i, true); }
    static bool fclass_d(C& c, I i) {
        return c.set(i.rd, soft_float::classify<Double>(c.template f<Double>(i.rs1)));
    }
    static bool fcvt_w_d(C& c, I i) { return c.template to_integer<Double, s32>(i); }
    static bool fcvt_d_w(C& c, I i) { return c.template from_integer<Double, s32>(i); }
    static bool fcvt_wu_d(C& c, I i) { return c.template to_integer<Double, u32>(i); }
    static bool fcvt_d_wu(C& c, I i) { return c.template from_integer<Double, u32>(i); }
    static bool fcvt_l_d(C& c, I i) { return c.template to_integer<Double, s64>(i); }
    static bool fcvt_d_l(C& c, I i) { return c.template from_integer<Double, s64>(i); }
    static bool fcvt_lu_d(C& c, I i) { return c.template to_integer<Double, u64>(i); }
    static bool fcvt_d_lu(C& c, I i) { return c.template from_integer<Double, u64>(i); }
    static bool fcvt_s_d(C& c, I i) { return c.template convert<Single, Double>(i); }
    static bool fcvt_d_s(C& c, I i) { return c.template convert<Double, Single>(i); }
    static bool fmv_x_w(C& c, I i) { return c.set32(i.rd, static_cast<u32>(c.hart.f[i.rs1])); }
    static bool fmv_w_x(C& c, I i) { return c.template set_f<Single>(i.rd, w1(c, i)); }
    static bool fmv_x_d(C& c, I i) { return c.set(i.rd, static_cast<Word>(c.hart.f[i.rs1])); }
    static bool fmv_d_x(C& c, I i) { return c.template set_f<Double>(i.rd, c.hart.x[i.rs1]); }

    // xBGAS

    static bool eaddi(C& c, I i) { return c.set(i.rd, c.e(i.rs1) + C::imm(i)); }
    static bool eaddie(C& c, I i) { return c.set_e(i.rd, c.x(i.rs1) + C::imm(i)); }
    static bool eaddix(C& c, I i) { return c.set_e(i.rd, c.e(i.rs1) + C::imm(i)); }
    static bool elb(C& c, I i) {
        return c.template remote_load<s8>(i, Op::elb, i.rs1, c.address(i));
    }
    static bool erlb(C& c, I i) {
        return c.template remote_load<s8>(i, Op::erlb, i.rs2, c.x(i.rs1));
    }
    static bool elh(C& c, I i) {
        return c.template remote_load<s16>(i, Op::elh, i.rs1, c.address(i));
    }
    static bool erlh(C& c, I i) {
        return c.template remote_load<s16>(i, Op::erlh, i.rs2, c.x(i.rs1));
    }
    static bool elw(C& c, I i) {
        return c.template remote_load<s32>(i, Op::elw, i.rs1, c.address(i));
    }
    static bool erlw(C& c, I i) {
        return c.template remote_load<s32>(i, Op::erlw, i.rs2, c.x(i.rs1));
    }
    static bool eld(C& c, I i) {
        return c.template remote_load<s64>(i, Op::eld, i.rs1, c.address(i));
    }
    static bool erld(C& c, I i) {
        return c.template remote_load<s64>(i, Op::erld, i.rs2, c.x(i.rs1));
    }
    static bool elbu(C& c, I i) {
        return c.template remote_load<u8>(i, Op::elbu, i.rs1, c.address(i));
    }
    static bool erlbu(C& c, I i) {
        return c.template remote_load<u8>(i, Op::erlbu, i.rs2, c.x(i.rs1));
    }
    static bool elhu(C& c, I i) {
        return c.template remote_load<u16>(i, Op::elhu, i.rs1, c.address(i));
    }
    static bool erlhu(C& c, I i) {
        return c.template remote_load<u16>(i, Op::erlhu, i.rs2, c.x(i.rs1));
    }
    static bool erle(C& c, I i) {
        return c.template remote_load<u64>(i, Op::erle, i.rs2, c.x(i.rs1), RegisterFile::e);
    }
    static bool esb(C& c, I i) {
        return c.template remote_store<u8>(i, Op::esb, i.rs1, c.address(i), c.hart.x[i.rs2]);
    }
    static bool ersb(C& c, I i) {
        return c.template remote_store<u8>(i, Op::ersb, i.rs3, c.x(i.rs1), c.hart.x[i.rs2]);
    }
    static bool esh(C& c, I i) {
        return c.template remote_store<u16>(i, Op::esh, i.rs1, c.address(i), c.hart.x[i.rs2]);
    }
    static bool ersh(C& c, I i) {
        return c.template remote_store<u16>(i, Op::ersh, i.rs3, c.x(i.rs1), c.hart.x[i.rs2]);
    }
    static bool esw(C& c, I i) {
        return c.template remote_store<u32>(i, Op::esw, i.rs1, c.address(i), c.hart.x[i.rs2]);
    }
    static bool ersw(C& c, I i) {
        return c.template remote_store<u32>(i, Op::ersw, i.rs3, c.x(i.rs1), c.hart.x[i.rs2]);
    }
    static bool esd(C& c, I i) {
        return c.template remote_store<u64>(i, Op::esd, i.rs1, c.address(i), c.hart.x[i.rs2]);
    }
    static bool ersd(C& c, I i) {
        return c.template remote_store<u64>(i, Op::ersd, i.rs3, c.x(i.rs1), c.hart.x[i.rs2]);
    }
    static bool erse(C& c, I i) {
        return c.template remote_store<u64>(i, Op::erse, i.rs3, c.x(i.rs1), c.hart.e[i.rs2]);
    }
    static bool ele(C& c, I i) {
        u64 value;
        return c.load_at(c.address(i), value) && c.set_e(i.rd, static_cast<Word>(value));
    }
    static bool ese(C& c, I i) { return c.store_at(c.address(i), static_cast<u64>(c.e(i.rs2))); }
    // 128 bits always go the remote way, which serves namespace 0 too.
    static bool elq(C& c, I i) {
        if (!c.may_address(i.rs1)) return false;
        c.start(Kind::load, Op::elq, 16, c.e(i.rs1), c.address(i)).rd = i.rd;
        return c.leave();
    }
    static bool esq(C& c, I i) {
        if (!c.may_address(i.rs1)) return false;
        RemoteRequest& request = c.start(Kind::store, Op::esq, 16, c.e(i.rs1), c.address(i));
        request.value = c.hart.x[i.rs2];
        request.value_high = c.hart.e[i.rs2];
        return c.leave();
    }
    static bool eblb(C& c, I i) { return c.bulk(i, Op::eblb, Kind::bulk_load, 1); }
    static bool ebsb(C& c, I i) { return c.bulk(i, Op::ebsb, Kind::bulk_store, 1); }
    static bool eblh(C& c, I i) { return c.bulk(i, Op::eblh, Kind::bulk_load, 2); }
    static bool ebsh(C& c, I i) { return c.bulk(i, Op::ebsh, Kind::bulk_store, 2); }
    static bool eblw(C& c, I i) { return c.bulk(i, Op::eblw, Kind::bulk_load, 4); }
    static bool ebsw(C& c, I i) { return c.bulk(i, Op::ebsw, Kind::bulk_store, 4); }
    static bool ebld(C& c, I i) { return c.bulk(i, Op::ebld, Kind::bulk_load, 8); }
    static bool ebsd(C& c, I i) { return c.bulk(i, Op::ebsd, Kind::bulk_store, 8); }
};

}  // namespace isthmus::sim
