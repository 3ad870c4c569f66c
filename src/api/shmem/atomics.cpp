// Atomics (9.7). On one host the processor does them; every order is acquire and release, so that
// a fetched value guards what was put before it was set.
//
// Budget, entry to return: 10 instructions, the locked one included.
#include <bit>
#include <cstdint>
#include <type_traits>

#include "api/shmem/closed_window.hpp"
#include "api/shmem/export.hpp"
#include "base/error.hpp"
#include "base/seen_memory.hpp"
#include "core/job/fetch_watch.hpp"
#include "core/reach/far.hpp"
#include "core/reach/operation.hpp"

using namespace isthmus;
using namespace isthmus::shmem;
using far::AtomicKind;

namespace {

// Floating types move as the integer of their size.
template <typename T>
struct WordOf {
    using Type = T;
};
template <>
struct WordOf<float> {
    using Type = std::uint32_t;
};
template <>
struct WordOf<double> {
    using Type = std::uint64_t;
};
template <typename T>
using Word = typename WordOf<T>::Type;

template <typename T>
inline Word<T>* word(const T* dest, int pe) {
    return reinterpret_cast<Word<T>*>(translate(const_cast<T*>(dest), pe));
}

// What the window's test refuses: checked mode, PEs beside the aligned block, and far PEs.
template <typename T>
far::Atomic describe(AtomicKind kind, T value, T cond) {
    using Bits = std::make_unsigned_t<Word<T>>;
    return {kind, sizeof(T), std::bit_cast<Bits>(value), std::bit_cast<Bits>(cond)};
}
// Nothing if checked mode has to look more closely, or is not on. An acquire and release.
template <AtomicKind kind, typename T>
[[gnu::always_inline]] inline bool perform_checked(const T* dest, T value, T cond, int pe,
                                                   T& before) {
    using Bits = std::make_unsigned_t<Word<T>>;
    char* const there = find_word<sizeof(T), sizeof(T)>(dest, pe);
    if (!there) [[unlikely]]
        return false;
    if constexpr (kind == AtomicKind::set) {
        // Release: partner is whoever fetches or waits for it.
        __atomic_store_n(reinterpret_cast<Bits*>(there), std::bit_cast<Bits>(value),
                         __ATOMIC_RELEASE);
        return true;
    }
    std::uint64_t word = 0;
    transport::perform_on(reinterpret_cast<Bits*>(there), describe(kind, value, cond), word);
    before = std::bit_cast<T>(static_cast<Bits>(word));
    return true;
}
constexpr fetch_watch::Answer answer_for(AtomicKind kind) {
    return kind == AtomicKind::fetch          ? fetch_watch::Answer::fetches
           : kind == AtomicKind::compare_swap ? fetch_watch::Answer::swaps
                                              : fetch_watch::Answer::varied;
}
template <typename T>
[[gnu::noinline]] T fetch_closely(AtomicKind kind, const T* dest, T value, T cond, int pe,
                                  const char* routine) {
    const auto there = checked_target(dest, sizeof(T), pe, routine);
    const far::Atomic atomic = describe(kind, value, cond);
    const std::uint64_t before = is_window_closed_for(pe)
                                     ? operation::perform_near(*there, atomic)
                                     : operation::fetch_atomic(there, dest, pe, atomic, routine);
    const T result = std::bit_cast<T>(static_cast<Word<T>>(before));
    fetch_watch::fetched(answer_for(kind), dest, pe, result);
    return result;
}
template <AtomicKind kind, typename T>
[[gnu::noinline]] T fetch_checked(const T* dest, T value, T cond, int pe, const char* routine) {
    T before;
    if (perform_checked<kind>(dest, value, cond, pe, before)) [[likely]]
        return before;
    return fetch_closely(kind, dest, value, cond, pe, routine);
}
// To PEs of other hosts. Up to the road's call 45 instructions, the window's test included.
template <AtomicKind kind, typename T>
[[gnu::noinline]] T fetch_far(const T* dest, T value, T cond, int pe, const char* routine) {
    using Bits = std::make_unsigned_t<Word<T>>;
    Bits before = 0;
    if (far::fetch_word<kind>(reinterpret_cast<const Bits*>(dest), std::bit_cast<Bits>(value),
                              std::bit_cast<Bits>(cond), before, pe)) [[likely]]
        return std::bit_cast<T>(before);
    return fetch_checked<kind>(dest, value, cond, pe, routine);
}
template <typename T>
[[gnu::noinline]] void post_closely(AtomicKind kind, T* dest, T value, int pe, const char* routine,
                                    shmem_ctx_t ctx) {
    fetch_watch::did_otherwise();
    const auto there = checked_target(dest, sizeof(T), pe, routine);
    if (is_window_closed_for(pe)) {
        operation::perform_near(*there, describe(kind, value, T{}));
        return;
    }
    operation::post_atomic(there, dest, pe, describe(kind, value, T{}), routine, channel_of(ctx));
}

template <AtomicKind kind, typename T>
[[gnu::noinline]] void post_checked(T* dest, T value, int pe, const char* routine,
                                    shmem_ctx_t ctx) {
    T before;
    if (!perform_checked<kind>(dest, value, T{}, pe, before))
        post_closely(kind, dest, value, pe, routine, ctx);
}

// apply() returns what was there; post() does the same for those who do not ask. of() describes a
// call by its operands.
struct Fetch {
    template <typename T>
    static far::Atomic of(const T*) {
        return describe(AtomicKind::fetch, T{}, T{});
    }
    template <typename T>
    [[gnu::always_inline]] static T apply(const T* source, int pe, const char* routine) {
        if (!reaches(pe)) [[unlikely]]
            return fetch_far<AtomicKind::fetch>(source, T{}, T{}, pe, routine);
        return std::bit_cast<T>(__atomic_load_n(word(source, pe), __ATOMIC_ACQUIRE));
    }
};
struct Swap {
    template <typename T>
    static far::Atomic of(const T*, T value) {
        return describe(AtomicKind::swap, value, T{});
    }
    template <typename T>
    [[gnu::always_inline]] static T apply(T* dest, T value, int pe, const char* routine) {
        if (!reaches(pe)) [[unlikely]]
            return fetch_far<AtomicKind::swap>(dest, value, T{}, pe, routine);
        return std::bit_cast<T>(
            __atomic_exchange_n(word(dest, pe), std::bit_cast<Word<T>>(value), __ATOMIC_ACQ_REL));
    }
};
struct Set {
    template <typename T>
    static void post(T* dest, T value, int pe, const char* routine,
                     shmem_ctx_t ctx = SHMEM_CTX_DEFAULT) {
        if (!reaches(pe)) [[unlikely]]
            return post_checked<AtomicKind::set>(dest, value, pe, routine, ctx);
        __atomic_store_n(word(dest, pe), std::bit_cast<Word<T>>(value), __ATOMIC_RELEASE);
    }
};
struct CompareSwap {
    template <typename T>
    static far::Atomic of(const T*, T cond, T value) {
        return describe(AtomicKind::compare_swap, value, cond);
    }
    template <typename T>
    [[gnu::always_inline]] static T apply(T* dest, T cond, T value, int pe, const char* routine) {
        if (!reaches(pe)) [[unlikely]]
            return fetch_far<AtomicKind::compare_swap>(dest, value, cond, pe, routine);
        __atomic_compare_exchange_n(word(dest, pe), &cond, value, false, __ATOMIC_ACQ_REL,
                                    __ATOMIC_ACQUIRE);
        return cond;
    }
};
// The builtins wrap around; signed overflow is defined for atomics.
#define FETCHING(NAME, KIND, BUILTIN)                                                          \
    struct NAME {                                                                              \
        template <typename T>                                                                  \
        static far::Atomic of(const T*, T value) {                                             \
            return describe(AtomicKind::KIND, value, T{});                                     \
        }                                                                                      \
        template <typename T>                                                                  \
        [[gnu::always_inline]] static T apply(T* dest, T value, int pe, const char* routine) { \
            if (!reaches(pe)) [[unlikely]]                                                     \
                return fetch_far<AtomicKind::KIND>(dest, value, T{}, pe, routine);             \
            return BUILTIN(word(dest, pe), value, __ATOMIC_ACQ_REL);                           \
        }                                                                                      \
        template <typename T>                                                                  \
        static void post(T* dest, T value, int pe, const char* routine,                        \
                         shmem_ctx_t ctx = SHMEM_CTX_DEFAULT) {                                \
            if (!reaches(pe)) [[unlikely]]                                                     \
                return post_checked<AtomicKind::KIND>(dest, value, pe, routine, ctx);          \
            BUILTIN(word(dest, pe), value, __ATOMIC_ACQ_REL);                                  \
        }                                                                                      \
    };
FETCHING(Add, add, __atomic_fetch_add)
FETCHING(And, bit_and, __atomic_fetch_and)
FETCHING(Or, bit_or, __atomic_fetch_or)
FETCHING(Xor, bit_xor, __atomic_fetch_xor)

// Which of the two writes comes last is left open.
template <typename T>
inline bool is_apart(const T* fetch, const char* word) {
    return reinterpret_cast<std::uintptr_t>(fetch) - reinterpret_cast<std::uintptr_t>(word) +
               sizeof(T) - 1 >=
           2 * sizeof(T) - 1;
}
// Checked mode, in a few instructions: where the result goes is known to be this PE's, and no part
// of the word; which is looked at by whoever changes it. Where all calls are to come to the library
// none of that is known.
template <typename T>
inline bool may_receive(const T* fetch, const char* word) {
    const auto here = reinterpret_cast<std::uintptr_t>(fetch);
    if (!may_pass() || isthmus_checks.pages == nullptr || !is_apart(fetch, word)) return false;
    const std::uint64_t mine = here - isthmus_checks.heap;
    if (mine < isthmus_checks.size) return isthmus_checks_in_use(mine, sizeof(T)) != 0;
    // Relaxed: each stands for itself.
    const std::uintptr_t page =
        __atomic_load_n(isthmus_checks.pages + (here >> ISTHMUS_CHECKS_PAGE) % ISTHMUS_CHECKS_PAGES,
                        __ATOMIC_RELAXED);
    return (here ^ page) <= (std::uintptr_t{1} << ISTHMUS_CHECKS_PAGE) - sizeof(T);
}

[[gnu::cold, gnu::noinline]] void refuse_fetch_on_dest(const char* routine) {
    refuse(routine, "fetch and dest overlap: the word that is changed and its former value");
}

// Checked mode looks at both places before the word is changed; with ISTHMUS_DELAY the result comes
// as late as it may.
template <typename Operation, typename T, typename Object, typename... Operands>
[[gnu::noinline]] void fetch_nbi_closely(shmem_ctx_t ctx, T* fetch, int pe, const char* routine,
                                         Object* dest, Operands... operands) {
    const char* const passing = may_pass() ? find_block(dest, fetch, sizeof(T), pe) : nullptr;
    if (!passing || !is_apart(fetch, passing)) {
        const auto there = checked_target(dest, sizeof(T), pe, routine);
        if (job.checked) check_private(fetch, sizeof(T), "fetch", routine);
        const char* const seen = seen_here(there, dest, pe);
        if (job.checked && seen && !is_apart(fetch, seen)) refuse_fetch_on_dest(routine);
        if (far::view.is_late)
            return operation::fetch_atomic_nbi(there, dest, pe, Operation::of(dest, operands...),
                                               fetch, routine, channel_of(ctx));
    }
    transferring = routine;
    *fetch = Operation::template apply<T>(dest, operands..., pe, routine);
}
// The same, in a few instructions if nothing is wrong.
template <typename Operation, typename T, typename Object, typename... Operands>
[[gnu::noinline]] void fetch_nbi_otherwise(shmem_ctx_t ctx, T* fetch, int pe, const char* routine,
                                           Object* dest, Operands... operands) {
    using Bits = std::make_unsigned_t<Word<T>>;
    char* const there = find_word<sizeof(T), sizeof(T)>(dest, pe);
    if (!there || !may_receive(fetch, there)) [[unlikely]]
        return fetch_nbi_closely<Operation>(ctx, fetch, pe, routine, dest, operands...);
    std::uint64_t before = 0;
    transport::perform_on(reinterpret_cast<Bits*>(there), Operation::of(dest, operands...), before);
    transferring = routine;
    *fetch = std::bit_cast<T>(static_cast<Bits>(before));
}
template <typename Operation, typename T, typename Object, typename... Operands>
[[gnu::always_inline]] inline void fetch_nbi(shmem_ctx_t ctx, T* fetch, int pe, const char* routine,
                                             Object* dest, Operands... operands) {
    if (!reaches(pe) && (far::view.is_late || job.checked)) [[unlikely]]
        return fetch_nbi_otherwise<Operation>(ctx, fetch, pe, routine, dest, operands...);
    *fetch = Operation::template apply<T>(dest, operands..., pe, routine);
}

}  // namespace

// Four routines of a fetching operation: with and without context, fetch and fetch_nbi.
#define FETCH_ROUTINES(T, NAME, OPERATION, PARAMETERS, ...)                                       \
    ISTHMUS_API T pshmem_##NAME(SHMEM_UNPACK_ PARAMETERS, int pe) {                               \
        return OPERATION::apply<T>(__VA_ARGS__, pe, "shmem_" #NAME);                              \
    }                                                                                             \
    ISTHMUS_API T pshmem_ctx_##NAME(shmem_ctx_t ctx, SHMEM_UNPACK_ PARAMETERS, int pe) {          \
        return OPERATION::apply<T>(__VA_ARGS__, ContextPe(ctx, pe, "shmem_ctx_" #NAME),           \
                                   "shmem_ctx_" #NAME);                                           \
    }                                                                                             \
    ISTHMUS_API void pshmem_##NAME##_nbi(T* fetch, SHMEM_UNPACK_ PARAMETERS, int pe) {            \
        fetch_nbi<OPERATION>(SHMEM_CTX_DEFAULT, fetch, pe, "shmem_" #NAME "_nbi", __VA_ARGS__);   \
    }                                                                                             \
    ISTHMUS_API void pshmem_ctx_##NAME##_nbi(shmem_ctx_t ctx, T* fetch, SHMEM_UNPACK_ PARAMETERS, \
                                             int pe) {                                            \
        fetch_nbi<OPERATION>(ctx, fetch, ContextPe(ctx, pe, "shmem_ctx_" #NAME "_nbi"),           \
                             "shmem_ctx_" #NAME "_nbi", __VA_ARGS__);                             \
    }
#define VOID_ROUTINES(T, NAME, OPERATION, PARAMETERS, ...)                                  \
    ISTHMUS_API void pshmem_##NAME(SHMEM_UNPACK_ PARAMETERS, int pe) {                      \
        OPERATION::post<T>(__VA_ARGS__, pe, "shmem_" #NAME);                                \
    }                                                                                       \
    ISTHMUS_API void pshmem_ctx_##NAME(shmem_ctx_t ctx, SHMEM_UNPACK_ PARAMETERS, int pe) { \
        OPERATION::post<T>(__VA_ARGS__, ContextPe(ctx, pe, "shmem_ctx_" #NAME),             \
                           "shmem_ctx_" #NAME, ctx);                                        \
    }
#define VALUE_ROUTINES(T, N, OP, OPERATION)                                               \
    FETCH_ROUTINES(T, N##_atomic_fetch_##OP, OPERATION, (T * dest, T value), dest, value) \
    VOID_ROUTINES(T, N##_atomic_##OP, OPERATION, (T * dest, T value), dest, value)

#define EXTENDED(T, N)                                                         \
    FETCH_ROUTINES(T, N##_atomic_fetch, Fetch, (const T* source), source)      \
    VOID_ROUTINES(T, N##_atomic_set, Set, (T * dest, T value), dest, value)    \
    FETCH_ROUTINES(T, N##_atomic_swap, Swap, (T * dest, T value), dest, value) \
    SHMEM_TABLE_AMO_EXTENDED(ISTHMUS_ALIAS, T, N)                              \
    ISTHMUS_API T pshmem_##N##_fetch(const T* source, int pe) {                \
        return Fetch::apply<T>(source, pe, "shmem_" #N "_fetch");              \
    }                                                                          \
    ISTHMUS_API void pshmem_##N##_set(T* dest, T value, int pe) {              \
        Set::post<T>(dest, value, pe, "shmem_" #N "_set");                     \
    }                                                                          \
    ISTHMUS_API T pshmem_##N##_swap(T* dest, T value, int pe) {                \
        return Swap::apply<T>(dest, value, pe, "shmem_" #N "_swap");           \
    }                                                                          \
    SHMEM_TABLE_AMO_EXTENDED_DEPRECATED(ISTHMUS_ALIAS, T, N)
SHMEM_STANDARD_AMO_TYPES(EXTENDED)
SHMEM_FLOATING_AMO_TYPES(EXTENDED)

ISTHMUS_API long pshmem_swap(long* dest, long value, int pe) {
    return Swap::apply<long>(dest, value, pe, "shmem_swap");
}
SHMEM_TABLE_AMO_LONG(ISTHMUS_ALIAS)

#define STANDARD(T, N)                                                                         \
    FETCH_ROUTINES(T, N##_atomic_compare_swap, CompareSwap, (T * dest, T cond, T value), dest, \
                   cond, value)                                                                \
    FETCH_ROUTINES(T, N##_atomic_fetch_inc, Add, (T * dest), dest, static_cast<T>(1))          \
    VOID_ROUTINES(T, N##_atomic_inc, Add, (T * dest), dest, static_cast<T>(1))                 \
    VALUE_ROUTINES(T, N, add, Add)                                                             \
    SHMEM_TABLE_AMO_STANDARD(ISTHMUS_ALIAS, T, N)                                              \
    ISTHMUS_API T pshmem_##N##_cswap(T* dest, T cond, T value, int pe) {                       \
        return CompareSwap::apply<T>(dest, cond, value, pe, "shmem_" #N "_cswap");             \
    }                                                                                          \
    ISTHMUS_API T pshmem_##N##_finc(T* dest, int pe) {                                         \
        return Add::apply<T>(dest, static_cast<T>(1), pe, "shmem_" #N "_finc");                \
    }                                                                                          \
    ISTHMUS_API void pshmem_##N##_inc(T* dest, int pe) {                                       \
        Add::post<T>(dest, static_cast<T>(1), pe, "shmem_" #N "_inc");                         \
    }                                                                                          \
    ISTHMUS_API T pshmem_##N##_fadd(T* dest, T value, int pe) {                                \
        return Add::apply<T>(dest, value, pe, "shmem_" #N "_fadd");                            \
    }                                                                                          \
    ISTHMUS_API void pshmem_##N##_add(T* dest, T value, int pe) {                              \
        Add::post<T>(dest, value, pe, "shmem_" #N "_add");                                     \
    }                                                                                          \
    SHMEM_TABLE_AMO_STANDARD_DEPRECATED(ISTHMUS_ALIAS, T, N)
SHMEM_STANDARD_AMO_TYPES(STANDARD)

#define BITWISE(T, N)              \
    VALUE_ROUTINES(T, N, and, And) \
    VALUE_ROUTINES(T, N, or, Or)   \
    VALUE_ROUTINES(T, N, xor, Xor) \
    SHMEM_TABLE_AMO_BITWISE(ISTHMUS_ALIAS, T, N)
SHMEM_BITWISE_AMO_TYPES(BITWISE)
