// What an instruction's semantics are written in: register access, memory access, floating point,
// remote requests.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "sim/hart/hart.hpp"
#include "sim/hart/observer.hpp"
#include "sim/hart/soft_float.hpp"

namespace isthmus::sim {

/// Registers hold 64 bits; on RV32 the value is kept sign-extended.
template <unsigned kXlen, class Observer>
class Context {
  public:
    using Word = std::conditional_t<kXlen == 64, std::uint64_t, std::uint32_t>;
    using Signed = std::make_signed_t<Word>;
    using Single = soft_float::Single;
    using Double = soft_float::Double;

    Context(Hart& h, Observer& o) : hart(h), observer(o) {}

    Hart& hart;
    Observer& observer;
    std::uint64_t next_pc =
        0;  // set by those instructions that end a block other than by falling through

    Word x(unsigned r) const { return static_cast<Word>(hart.x[r]); }
    Signed sx(unsigned r) const { return static_cast<Signed>(hart.x[r]); }
    static Word imm(const Insn& i) { return static_cast<Word>(static_cast<std::int64_t>(i.imm)); }

    bool set(unsigned rd, Word value) {
        hart.x[rd] =
            static_cast<std::uint64_t>(static_cast<std::int64_t>(static_cast<Signed>(value)));
        return true;
    }
    /// A 32-bit result, sign-extended.
    bool set32(unsigned rd, std::uint32_t value) {
        hart.x[rd] =
            static_cast<std::uint64_t>(static_cast<std::int64_t>(static_cast<std::int32_t>(value)));
        return true;
    }
    Word e(unsigned r) const { return static_cast<Word>(hart.e[r]); }
    bool set_e(unsigned rd, Word value) {
        hart.e[rd] = value;
        return true;
    }

    std::uint64_t address(const Insn& i) const { return static_cast<Word>(x(i.rs1) + imm(i)); }
    bool illegal() { return hart.raise(Cause::illegal, 0); }

    // Local memory.

    template <class T>
    bool load_at(std::uint64_t at, T& value) {
        if (!hart.load(at, value)) [[unlikely]]
            return false;
        if constexpr (Observer::kObserves)
            observer.memory(hart, at, sizeof(T), MemoryKind::load,
                            static_cast<std::uint64_t>(value));
        return true;
    }
    template <class T>
    bool store_at(std::uint64_t at, T value) {
        const bool done = hart.store(at, value);
        if constexpr (Observer::kObserves) {
            if (done || hart.stop == Stop::host_call)
                observer.memory(hart, at, sizeof(T), MemoryKind::store,
                                static_cast<std::uint64_t>(value));
        }
        return done;
    }
    template <class T>
    bool load(const Insn& i) {
        T value;
        if (!load_at(address(i), value)) [[unlikely]]
            return false;
        return set(
            i.rd,
            static_cast<Word>(
                static_cast<std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>>(
                    value)));
    }
    template <class T>
    bool store(const Insn& i) {
        return store_at(address(i), static_cast<T>(hart.x[i.rs2]));
    }

    // Atomics. A reservation is the address and the value read: a store-conditional succeeds while
    // memory still holds that value, as the nodes of a round are the only ones who could have
    // changed it.

    template <class T>
    bool aligned(std::uint64_t at, Cause cause) {
        if (at & (sizeof(T) - 1)) [[unlikely]]
            return hart.raise(cause, at);
        return true;
    }
    template <class T, class Operation>
    bool amo(const Insn& i, Operation operation) {
        const std::uint64_t at = x(i.rs1);
        if (!aligned<T>(at, Cause::store_misaligned)) return false;
        T old;
        if (!hart.load(at, old)) {
            hart.trap = as_store(hart.trap);
            return false;
        }
        const T operand = static_cast<T>(hart.x[i.rs2]);
        const T result = static_cast<T>(operation(old, operand));
        const bool stored = hart.store(at, result);
        if (!stored && hart.stop == Stop::trap) return false;
        if constexpr (Observer::kObserves)
            observer.memory(hart, at, sizeof(T), MemoryKind::atomic,
                            static_cast<std::uint64_t>(result));
        set_sized<T>(i.rd, old);
        return stored;
    }
    template <class T>
    bool load_reserved(const Insn& i) {
        const std::uint64_t at = x(i.rs1);
        if (!aligned<T>(at, Cause::load_misaligned)) return false;
        T value;
        if (!load_at(at, value)) return false;
        hart.reservation_address = at;
        hart.reservation_value = static_cast<std::uint64_t>(value);
        hart.reservation_size = sizeof(T);
        return set_sized<T>(i.rd, value);
    }
    template <class T>
    bool store_conditional(const Insn& i) {
        const std::uint64_t at = x(i.rs1);
        if (!aligned<T>(at, Cause::store_misaligned)) return false;
        const bool reserved = hart.reservation_size == sizeof(T) && hart.reservation_address == at;
        hart.reservation_size = 0;
        if (!reserved) return set(i.rd, 1);
        T current;
        if (!hart.load(at, current)) {
            hart.trap = as_store(hart.trap);
            return false;
        }
        if (static_cast<std::uint64_t>(current) != hart.reservation_value) return set(i.rd, 1);
        if (!store_at(at, static_cast<T>(hart.x[i.rs2]))) return false;
        return set(i.rd, 0);
    }

    // Floating point.

    template <class F>
    typename F::Bits f(unsigned r) const {
        if constexpr (std::is_same_v<F, Single>) {
            const std::uint64_t boxed = hart.f[r];
            return (boxed >> 32) == 0xffffffff ? static_cast<std::uint32_t>(boxed)
                                               : soft_float::Layout<Single>::kNan;
        } else {
            return hart.f[r];
        }
    }
    template <class F>
    bool set_f(unsigned r, typename F::Bits bits) {
        if constexpr (std::is_same_v<F, Single>)
            hart.f[r] = 0xffffffff00000000ull | bits;
        else
            hart.f[r] = bits;
        return true;
    }
    /// The rounding mode of the instruction, the dynamic one resolved; false if it is reserved.
    bool rounding(const Insn& i, unsigned& mode) const {
        mode = i.imm == 7 ? hart.frm : static_cast<unsigned>(i.imm);
        return mode <= soft_float::kNearestMaxMagnitude;
    }
    /// Whether the host's own operation gives the same: its mode, and nothing to record that is not
    /// recorded yet.
    bool host_mode(unsigned mode) const {
        return mode == soft_float::kNearestEven && (hart.fflags & soft_float::kInexact);
    }
    template <class F>
    static constexpr bool well_inside(typename F::Bits a) {
        const auto exponent = (a >> F::kFraction) & soft_float::Layout<F>::kMaxExponent;
        return exponent - 2 < soft_float::Layout<F>::kMaxExponent - 2u;
    }

    template <class F, class Soft, class Native>
    bool binary(const Insn& i, Soft soft, Native native) {
        unsigned mode;
        if (!rounding(i, mode)) [[unlikely]]
            return illegal();
        const auto a = f<F>(i.rs1), b = f<F>(i.rs2);
        if (host_mode(mode) && soft_float::is_ordinary<F>(a) && soft_float::is_ordinary<F>(b))
            [[likely]] {
            using H = typename F::Host;
            const auto r =
                std::bit_cast<typename F::Bits>(native(std::bit_cast<H>(a), std::bit_cast<H>(b)));
            if (well_inside<F>(r)) [[likely]]
                return set_f<F>(i.rd, r);
        }
        return set_f<F>(i.rd, soft(a, b, mode, hart.fflags));
    }
    template <class F>
    bool square_root(const Insn& i) {
        unsigned mode;
        if (!rounding(i, mode)) [[unlikely]]
            return illegal();
        const auto a = f<F>(i.rs1);
        if (host_mode(mode) && soft_float::is_ordinary<F>(a) && !soft_float::sign_of<F>(a))
            [[likely]] {
            using H = typename F::Host;
            return set_f<F>(i.rd, std::bit_cast<typename F::Bits>(
                                      static_cast<H>(std::sqrt(std::bit_cast<H>(a)))));
        }
        return set_f<F>(i.rd, soft_float::sqrt<F>(a, mode, hart.fflags));
    }
    /// a * b + c after flipping the signs asked for.
    template <class F, bool kNegateProduct, bool kNegateAddend>
    bool fused(const Insn& i) {
        unsigned mode;
        if (!rounding(i, mode)) [[unlikely]]
            return illegal();
        using L = soft_float::Layout<F>;
        const auto a = f<F>(i.rs1) ^ (kNegateProduct ? L::kSign : 0), b = f<F>(i.rs2);
        const auto c = f<F>(i.rs3) ^ (kNegateAddend ? L::kSign : 0);
        if (host_mode(mode) && soft_float::is_ordinary<F>(a) && soft_float::is_ordinary<F>(b) &&
            soft_float::is_ordinary<F>(c)) [[likely]] {
            using H = typename F::Host;
            const auto r = std::bit_cast<typename F::Bits>(static_cast<H>(
                std::fma(std::bit_cast<H>(a), std::bit_cast<H>(b), std::bit_cast<H>(c))));
            if (well_inside<F>(r)) [[likely]]
                return set_f<F>(i.rd, r);
        }
        return set_f<F>(i.rd, soft_float::fma<F>(a, b, c, mode, hart.fflags));
    }
    template <class To, class From>
    bool convert(const Insn& i) {
        unsigned mode;
        if (!rounding(i, mode)) [[unlikely]]
            return illegal();
        return set_f<To>(i.rd, soft_float::convert<To, From>(f<From>(i.rs1), mode, hart.fflags));
    }
    template <class F, class Integer>
    bool to_integer(const Insn& i) {
        unsigned mode;
        if (!rounding(i, mode)) [[unlikely]]
            return illegal();
        const std::int64_t value = soft_float::to_integer<F>(
            f<F>(i.rs1), 8 * sizeof(Integer), std::is_signed_v<Integer>, mode, hart.fflags);
        return set(i.rd, static_cast<Word>(value));
    }
    template <class F, class Integer>
    bool from_integer(const Insn& i) {
        unsigned mode;
        if (!rounding(i, mode)) [[unlikely]]
            return illegal();
        const auto value = static_cast<Integer>(hart.x[i.rs1]);
        const bool negative = std::is_signed_v<Integer> && value < 0;
        const auto wide = static_cast<std::uint64_t>(value);
        return set_f<F>(i.rd, soft_float::from_integer<F>(negative, negative ? 0 - wide : wide,
                                                          mode, hart.fflags));
    }
    template <class F>
    bool load_f(const Insn& i) {
        typename F::Bits bits;
        if (!load_at(address(i), bits)) [[unlikely]]
            return false;
        return set_f<F>(i.rd, bits);
    }
    template <class F>
    bool store_f(const Insn& i) {
        return store_at(address(i), static_cast<typename F::Bits>(hart.f[i.rs2]));
    }
    template <class F>
    bool min_max(const Insn& i, bool maximum) {
        return set_f<F>(i.rd,
                        soft_float::min_max<F>(f<F>(i.rs1), f<F>(i.rs2), maximum, hart.fflags));
    }
    template <class F>
    bool compare(const Insn& i, bool or_equal) {
        return set(i.rd,
                   soft_float::less_signaling<F>(f<F>(i.rs1), f<F>(i.rs2), or_equal, hart.fflags));
    }
    /// The sign comes from combining that of rs1 and rs2.
    template <class F, class Combine>
    bool inject_sign(const Insn& i, Combine combine) {
        constexpr auto kSign = soft_float::Layout<F>::kSign;
        const auto a = f<F>(i.rs1), b = f<F>(i.rs2);
        return set_f<F>(i.rd,
                        static_cast<typename F::Bits>((a & ~kSign) | (combine(a, b) & kSign)));
    }

    // xBGAS. Namespace 0 is the own memory and takes the local path.

    bool may_address(unsigned e_register) {
        if (hart.options().strict_e && e_register < 10) [[unlikely]]
            return illegal();
        return true;
    }
    template <class T>
    bool remote_load(const Insn& i, Op op, unsigned e_register, std::uint64_t at,
                     RegisterFile file = RegisterFile::x) {
        if (!may_address(e_register)) return false;
        const Word space = e(e_register);
        if (space == 0) {
            T value;
            if (!load_at(at, value)) return false;
            return file == RegisterFile::e ? set_e(i.rd, static_cast<Word>(value))
                                           : set_sized<T>(i.rd, value);
        }
        RemoteRequest& request = start(RemoteRequest::Kind::load, op, sizeof(T), space, at);
        request.sign_extend = std::is_signed_v<T>;
        request.file = file;
        request.rd = i.rd;
        return leave();
    }
    template <class T>
    bool remote_store(const Insn&, Op op, unsigned e_register, std::uint64_t at,
                      std::uint64_t value) {
        if (!may_address(e_register)) return false;
        const Word space = e(e_register);
        if (space == 0) return store_at(at, static_cast<T>(value));
        start(RemoteRequest::Kind::store, op, sizeof(T), space, at).value = value;
        return leave();
    }
    template <class T>
    bool remote_atomic(const Insn& i, Op op, RemoteRequest::Kind kind) {
        if (!may_address(i.rs1)) return false;
        const std::uint64_t at = x(i.rs1);
        const bool reserves = kind == RemoteRequest::Kind::load_reserved;
        if (!aligned<T>(at, reserves ? Cause::load_misaligned : Cause::store_misaligned))
            return false;
        RemoteRequest& request = start(kind, op, sizeof(T), e(i.rs1), at);
        request.sign_extend = true;
        request.acquire = (i.imm & 2) != 0;
        request.release = (i.imm & 1) != 0;
        request.rd = i.rd;
        request.value = hart.x[i.rs2];
        request.compare = i.rd == Hart::kDiscard ? 0 : hart.x[i.rd];
        return leave();
    }
    bool bulk(const Insn& i, Op op, RemoteRequest::Kind kind, unsigned size) {
        if (!may_address(i.rs2)) return false;
        RemoteRequest& request = start(kind, op, size, e(i.rs2), x(i.rs2));
        request.rd = i.rd;
        request.local = x(i.rs1);
        request.count = x(i.rs3);
        return leave();
    }
    RemoteRequest& start(RemoteRequest::Kind kind, Op op, unsigned size, Word space,
                         std::uint64_t at) {
        hart.remote = RemoteRequest{};
        hart.remote.kind = kind;
        hart.remote.op = op;
        hart.remote.size = static_cast<std::uint8_t>(size);
        hart.remote.name_space = space;
        hart.remote.address = at;
        return hart.remote;
    }
    bool leave() {
        hart.stop = Stop::remote;
        return false;
    }

    /// Register value of a loaded T: extended as its type says.
    template <class T>
    bool set_sized(unsigned rd, T value) {
        if constexpr (std::is_same_v<T, std::uint32_t>) {
            return kXlen == 64 ? set(rd, static_cast<Word>(value)) : set32(rd, value);
        } else {
            return set(rd, static_cast<Word>(
                               static_cast<std::conditional_t<std::is_signed_v<T>, std::int64_t,
                                                              std::uint64_t>>(value)));
        }
    }
};

}  // namespace isthmus::sim
