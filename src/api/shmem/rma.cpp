// Remote memory access (9.6): one element, and contiguous blocks.
//
// Budgets on one host, entry to return: p and g 9 instructions, put of 8 bytes 20. The nbi forms
// are the same operations there: a store has left the source when the instruction is done. To other
// hosts they leave under way what cannot be copied aside, until quiet.
#include "api/shmem/export.hpp"
#include "api/shmem/put_word.hpp"
#include "base/seen_memory.hpp"
#include "core/copy/copy.hpp"
#include "core/job/fetch_watch.hpp"
#include "core/job/job.hpp"
#include "core/reach/far.hpp"
#include "core/reach/operation.hpp"
#include "core/wait/wait.hpp"

using namespace isthmus;
using namespace isthmus::shmem;

namespace {

constexpr std::size_t kBulk = 2048;  // from here on a call is noted, for the report of a death

using Transfer = void(operation::Target there, void* dest, const void* source, std::size_t bytes,
                      int pe, const char* routine, far::Channel* on);

// Everything that the fast path leaves out, so that it needs no stack frame.
template <Transfer& kPut = operation::put>
[[gnu::noinline]] void put_checked(void* dest, const void* source, std::size_t bytes, int pe,
                                   const char* routine, far::Channel* on = far::road) {
    if (bytes > kMostBytes) refuse_count(bytes, 1, routine);
    const auto there = checked_target(dest, bytes, pe, routine);
    fetch_watch::did_otherwise();
    if (there || bytes >= kBulk) note(Routine::put);
    if (job.checked) check_sides(seen_here(there, dest, pe), source, bytes, "source", routine);
    kPut(there, dest, source, bytes, pe, routine, on);
}
[[gnu::noinline]] void put_closely(void* dest, const void* source, std::size_t bytes, int pe,
                                   const char* routine) {
    if (!far::put_otherwise(dest, source, bytes, pe)) put_checked(dest, source, bytes, pe, routine);
}
// Short blocks of checked mode, as the program passes those whose length it knows.
[[gnu::always_inline]] inline bool passes_short(const void* there, const void* here,
                                                std::size_t bytes, int pe) {
    return isthmus_checks_short(reinterpret_cast<std::uintptr_t>(there),
                                reinterpret_cast<std::uintptr_t>(here), bytes, pe) != 0;
}
// No bytes: whatever the addresses are.
inline bool passes_nothing(std::size_t bytes, int pe) {
    return bytes == 0 && isthmus_checks_caller(ISTHMUS_WINDOW_SLOT(pe)) &&
           static_cast<std::uint32_t>(pe) < window.pes;
}
[[gnu::noinline]] void put_otherwise(void* dest, const void* source, std::size_t bytes, int pe,
                                     const char* routine) {
    if (passes_short(dest, source, bytes, pe)) {
        transferring = routine;
        return copy(translate(dest, pe), source, bytes);
    }
    char* const there = may_pass() ? find_block(dest, source, bytes, pe) : nullptr;
    if (!there) {
        if (passes_nothing(bytes, pe)) return;
        return put_closely(dest, source, bytes, pe, routine);
    }
    note(Routine::put);
    transferring = routine;
    copy(there, source, bytes);
}
// `on`: the channel of one that is left under way.
template <auto& kGet = operation::get, typename... On>
[[gnu::noinline]] void get_closely(void* dest, const void* source, std::size_t bytes, int pe,
                                   const char* routine, On... on) {
    if (bytes > kMostBytes) refuse_count(bytes, 1, routine);
    const auto there = checked_target(source, bytes, pe, routine);
    if (there || bytes >= kBulk) note(Routine::get);
    if (job.checked) check_sides(seen_here(there, source, pe), dest, bytes, "dest", routine);
    kGet(there, dest, source, bytes, pe, routine, on...);
    fetch_watch::fetched_block(source, pe, dest, bytes);
}

template <auto& kGet = operation::get, typename... On>
[[gnu::noinline]] void get_checked(void* dest, const void* source, std::size_t bytes, int pe,
                                   const char* routine, On... on) {
    if (passes_short(source, dest, bytes, pe)) {
        transferring = routine;
        return copy(dest, translate(source, pe), bytes);
    }
    char* const there = may_pass() ? find_block(source, dest, bytes, pe) : nullptr;
    if (!there) {
        if (passes_nothing(bytes, pe)) return;
        return get_closely<kGet>(dest, source, bytes, pe, routine, on...);
    }
    note(Routine::get);
    transferring = routine;
    copy(dest, there, bytes);
}

// To PEs of other hosts. Up to the road's call 24 instructions, the window's test included; what is
// needed behind the call lies in the frame, so that nothing is saved and restored. `offset` is that
// of `dest` in the heap, if it lies there: the caller works it out where the road's call takes it.
[[gnu::noinline]] void put_far(void* dest, const void* source, std::size_t bytes, int pe,
                               std::uint64_t offset, const char* routine) {
    // One comparison for 0 bytes, too.
    if (bytes - 1 >= far::express.call.longest || offset > far::express.last) [[unlikely]]
        return put_otherwise(dest, source, bytes, pe, routine);
    struct {
        void* dest;
        const void* source;
        std::size_t bytes;
        int pe;
    } volatile frame{dest, source, bytes, pe};
    if (!far::is_taken(source, bytes, offset, static_cast<std::uint32_t>(pe))) [[unlikely]]
        far::put_again(frame.dest, frame.source, frame.bytes, frame.pe);
    far::mark_written(frame.pe);
}

// Of kBulk bytes and more: there is time to look at the length.
inline void enter_bulk(Routine kind, std::size_t bytes, const char* routine) {
    note(kind);
    if (bytes > kMostBytes) [[unlikely]]
        refuse_count(bytes, 1, routine);
}

// In the routine itself, whatever the compiler thinks of its length: a fault is told by the
// routine's symbol.
[[gnu::always_inline]] inline void copy_here(void* dest, const void* source, std::size_t bytes) {
    copy_block(dest, source, bytes, copy_long);
}

[[gnu::always_inline]] inline void put_near(void* dest, const void* source, std::size_t bytes,
                                            int pe, const char* routine) {
    if (bytes >= kBulk) [[unlikely]]
        enter_bulk(Routine::put, bytes, routine);
    copy_here(translate(dest, pe), source, bytes);
}

[[gnu::always_inline]] inline void put(void* dest, const void* source, std::size_t bytes, int pe,
                                       const char* routine) {
    if (!reaches(pe)) [[unlikely]]
        return put_far(dest, source, bytes, pe, far::offset_in_heap(far::express, dest), routine);
    put_near(dest, source, bytes, pe, routine);
}

// Short ones are copied aside, as those that block.
[[gnu::noinline]] void put_nbi_far(void* dest, const void* source, std::size_t bytes, int pe,
                                   const char* routine) {
    if (bytes >= kBulk || far::view.is_late)
        return put_checked<operation::put_nbi>(dest, source, bytes, pe, routine);
    put_otherwise(dest, source, bytes, pe, routine);
}

[[gnu::always_inline]] inline void put_nbi(void* dest, const void* source, std::size_t bytes,
                                           int pe, const char* routine) {
    if (!reaches(pe)) [[unlikely]]
        return put_nbi_far(dest, source, bytes, pe, routine);
    put_near(dest, source, bytes, pe, routine);
}

[[gnu::always_inline]] inline void get_near(void* dest, const void* source, std::size_t bytes,
                                            int pe, const char* routine) {
    if (bytes >= kBulk) [[unlikely]]
        enter_bulk(Routine::get, bytes, routine);
    copy_here(dest, translate(source, pe), bytes);
}

[[gnu::always_inline]] inline void get(void* dest, const void* source, std::size_t bytes, int pe,
                                       const char* routine) {
    if (!reaches(pe)) [[unlikely]]
        return get_checked(dest, source, bytes, pe, routine);
    get_near(dest, source, bytes, pe, routine);
}

[[gnu::always_inline]] inline void get_nbi(void* dest, const void* source, std::size_t bytes,
                                           int pe, const char* routine) {
    if (!reaches(pe)) [[unlikely]]
        return get_checked<operation::get_nbi>(dest, source, bytes, pe, routine,
                                               static_cast<far::Channel*>(far::road));
    get_near(dest, source, bytes, pe, routine);
}

// In a context beside the default one, on its channel.
[[gnu::noinline]] void put_far_on(const far::OwnChannel& on, void* dest, const void* source,
                                  std::size_t bytes, int pe, const char* routine) {
    if (!on.put_short(dest, source, bytes, pe) &&
        !far::put_otherwise_on(*on.get(), dest, source, bytes, pe)) [[unlikely]]
        put_checked(dest, source, bytes, pe, routine, on.get());
}
[[gnu::noinline]] void put_nbi_far_on(const far::OwnChannel& on, void* dest, const void* source,
                                      std::size_t bytes, int pe, const char* routine) {
    // Short ones are copied aside, as those of the default context.
    if (bytes < kBulk && !far::view.is_late)
        return put_far_on(on, dest, source, bytes, pe, routine);
    put_checked<operation::put_nbi>(dest, source, bytes, pe, routine, on.get());
}

// In a context: what is far is issued on its channel, and true. What is near goes the default way.
template <auto& kPutFar>
[[gnu::always_inline]] inline bool put_on_channel(shmem_ctx_t ctx, void* dest, const void* source,
                                                  std::size_t bytes, int pe, const char* routine) {
    if (ctx == SHMEM_CTX_DEFAULT || reaches(pe)) [[likely]]
        return false;
    kPutFar(static_cast<OwnContext*>(ctx)->channel, dest, source, bytes, pe, routine);
    return true;
}
[[gnu::always_inline]] inline void put_in(shmem_ctx_t ctx, void* dest, const void* source,
                                          std::size_t bytes, int pe, const char* routine) {
    const ContextPe there(ctx, pe, routine);
    if (!put_on_channel<put_far_on>(ctx, dest, source, bytes, there, routine))
        put(dest, source, bytes, there, routine);
}
[[gnu::always_inline]] inline void put_nbi_in(shmem_ctx_t ctx, void* dest, const void* source,
                                              std::size_t bytes, int pe, const char* routine) {
    const ContextPe there(ctx, pe, routine);
    if (!put_on_channel<put_nbi_far_on>(ctx, dest, source, bytes, there, routine))
        put_nbi(dest, source, bytes, there, routine);
}
// A get is complete when it returns, and waits for nothing else.
[[gnu::always_inline]] inline void get_in(shmem_ctx_t ctx, void* dest, const void* source,
                                          std::size_t bytes, int pe, const char* routine) {
    get(dest, source, bytes, ContextPe(ctx, pe, routine), routine);
}
[[gnu::always_inline]] inline void get_nbi_in(shmem_ctx_t ctx, void* dest, const void* source,
                                              std::size_t bytes, int pe, const char* routine) {
    const ContextPe there(ctx, pe, routine);
    if (ctx != SHMEM_CTX_DEFAULT && !reaches(there)) [[unlikely]]
        return get_checked<operation::get_nbi>(dest, source, bytes, there, routine,
                                               channel_of(ctx));
    get_nbi(dest, source, bytes, there, routine);
}

template <typename T>
[[gnu::noinline]] void put_element_checked(T* dest, T value, int pe, const char* routine) {
    const auto there = checked_target(dest, sizeof(T), pe, routine);
    fetch_watch::did_otherwise();
    if (there) {
        *reinterpret_cast<volatile T*>(*there) = value;
        return;
    }
    operation::put(there, dest, &value, sizeof(T), pe, routine);
}
template <typename T>
[[gnu::noinline]] void put_element_closely(T* dest, T value, const char* routine,
                                           std::uint64_t to) {
    const auto pe = static_cast<int>(to);
    if (!far::put_otherwise(dest, &value, sizeof(T), pe))
        put_element_checked(dest, value, pe, routine);
}
// Two functions, so that what checked mode passes needs no frame.
template <typename T>
[[gnu::noinline]] void put_element_otherwise(T* dest, T value, const char* routine,
                                             std::uint64_t to) {
    if (char* const word = find_word<sizeof(T)>(dest, static_cast<int>(to)))
        *reinterpret_cast<volatile T*>(word) = value;
    else
        put_element_closely(dest, value, routine, to);
}
// To PEs of other hosts. Up to the road's call 17 instructions, the window's test included (16
// by put_word.hpp).
template <typename T>
inline void put_element_far(T* dest, T value, std::uint64_t to, const char* routine) {
    if (!far::put_word(dest, value, to)) [[unlikely]]
        put_element_otherwise(dest, value, routine, to);
}
template <typename T>
[[gnu::noinline]] T get_element_closely(const T* source, int pe, const char* routine) {
    const auto there = checked_target(source, sizeof(T), pe, routine);
    T value;
    if (there)
        value = *reinterpret_cast<const volatile T*>(*there);
    else
        operation::get(there, &value, source, sizeof(T), pe, routine);
    fetch_watch::fetched(fetch_watch::Answer::fetches, source, pe, value);
    return value;
}
template <typename T>
[[gnu::noinline]] T get_element_checked(const T* source, int pe, const char* routine) {
    if (const char* const word = find_word<sizeof(T)>(source, pe))
        return *reinterpret_cast<const volatile T*>(word);
    return get_element_closely(source, pe, routine);
}

template <typename T>
inline T get_element_far(const T* source, int pe, const char* routine) {
    T value;
    if (far::get_word(source, value, pe)) [[likely]]
        return value;
    return get_element_checked(source, pe, routine);
}

template <typename T>
inline void put_element(T* dest, T value, int pe, const char* routine) {
    const std::uint64_t to = far::fourth_argument(pe);
    if (!reaches(pe)) [[unlikely]]
        return put_element_far(dest, value, to, routine);
    *const_cast<volatile T*>(translate(dest, pe)) = value;
}
template <typename T>
inline void put_element_in(shmem_ctx_t ctx, T* dest, T value, int pe, const char* routine) {
    const ContextPe there(ctx, pe, routine);
    if (ctx != SHMEM_CTX_DEFAULT && !reaches(there)) [[unlikely]]
        return put_far_on(static_cast<OwnContext*>(ctx)->channel, dest, &value, sizeof(T), there,
                          routine);
    put_element<T>(dest, value, there, routine);
}
template <typename T>
inline T get_element(const T* source, int pe, const char* routine) {
    if (!reaches(pe)) [[unlikely]]
        return get_element_far(source, pe, routine);
    return *const_cast<const volatile T*>(translate(source, pe));
}

}  // namespace

#define PUT_WORD_OTHERWISE(BYTES, BITS)                                                     \
    void shmem::isthmus_put_word_otherwise_##BYTES(void* dest, std::uint64_t value,         \
                                                   const char* routine, std::uint64_t pe) { \
        put_element_otherwise(static_cast<std::uint##BITS##_t*>(dest),                      \
                              static_cast<std::uint##BITS##_t>(value), routine, pe);        \
    }
PUT_WORD_OTHERWISE(1, 8)
PUT_WORD_OTHERWISE(2, 16)
PUT_WORD_OTHERWISE(4, 32)
PUT_WORD_OTHERWISE(8, 64)

SHMEM_RMA_INTEGERS(PUT_WORD)

#define PUT_ELEMENT(T, N)                                       \
    ISTHMUS_API void pshmem_##N##_p(T* dest, T value, int pe) { \
        put_element(dest, value, pe, "shmem_" #N "_p");         \
    }
SHMEM_FLOATING_TYPES(PUT_ELEMENT)

#define ELEMENT(T, N)                                                                \
    ISTHMUS_API T pshmem_##N##_g(const T* source, int pe) {                          \
        return get_element(source, pe, "shmem_" #N "_g");                            \
    }                                                                                \
    ISTHMUS_API void pshmem_ctx_##N##_p(shmem_ctx_t ctx, T* dest, T value, int pe) { \
        put_element_in(ctx, dest, value, pe, "shmem_ctx_" #N "_p");                  \
    }                                                                                \
    ISTHMUS_API T pshmem_ctx_##N##_g(shmem_ctx_t ctx, const T* source, int pe) {     \
        return get_element<T>(source, ContextPe(ctx, pe, "shmem_ctx_" #N "_g"),      \
                              "shmem_ctx_" #N "_g");                                 \
    }                                                                                \
    SHMEM_TABLE_ELEMENT(ISTHMUS_ALIAS, T, N)
SHMEM_RMA_TYPES(ELEMENT)

namespace {

using Routine4 = void(void* dest, const void* source, std::size_t count, int pe);

// What the program would pass by itself if it knew the length. False: the routine is to look at it.
[[gnu::always_inline]] inline bool pass(void* to, const void* from, const void* there,
                                        const void* here, std::size_t count, std::size_t unit,
                                        int pe, void (*routine)()) {
    if (count > ISTHMUS_CHECKS_GRANULE || !passes_short(there, here, count * unit, pe))
        return false;
    transferring = nullptr;
    transferring_routine = routine;
    copy(to, from, count * unit);
    return true;
}
// The same for longer ones, so that short ones need no frame.
[[gnu::noinline]] void put_long(void* dest, const void* source, std::size_t count, int pe,
                                unsigned unit, void (*routine)()) {
    if (passes_nothing(count, pe)) return;
    char* const there = count > kMostPassing || count * unit <= ISTHMUS_CHECKS_GRANULE
                            ? nullptr
                            : find_block(dest, source, count * unit, pe);
    if (!there) return reinterpret_cast<Routine4*>(routine)(dest, source, count, pe);
    note(Routine::put);
    transferring = nullptr;
    transferring_routine = routine;
    copy(there, source, count * unit);
}
[[gnu::noinline]] void get_long(void* dest, const void* source, std::size_t count, int pe,
                                unsigned unit, void (*routine)()) {
    if (passes_nothing(count, pe)) return;
    char* const there = count > kMostPassing || count * unit <= ISTHMUS_CHECKS_GRANULE
                            ? nullptr
                            : find_block(source, dest, count * unit, pe);
    if (!there) return reinterpret_cast<Routine4*>(routine)(dest, source, count, pe);
    note(Routine::get);
    transferring = nullptr;
    transferring_routine = routine;
    copy(dest, there, count * unit);
}
}  // namespace

ISTHMUS_API void isthmus_checks_put(void* dest, const void* source, std::size_t count, int pe,
                                    unsigned unit, void (*routine)()) {
    if (!pass(translate(dest, pe), source, dest, source, count, unit, pe, routine)) [[unlikely]]
        put_long(dest, source, count, pe, unit, routine);
}
ISTHMUS_API void isthmus_checks_get(void* dest, const void* source, std::size_t count, int pe,
                                    unsigned unit, void (*routine)()) {
    if (!pass(dest, translate(source, pe), source, dest, count, unit, pe, routine)) [[unlikely]]
        get_long(dest, source, count, pe, unit, routine);
}

// P: type of the pointers; OPERATION: put or get; IN_CONTEXT: the same in a context; UNIT: bytes of
// an element.
#define BLOCK(P, NAME, OPERATION, IN_CONTEXT, UNIT)                                              \
    ISTHMUS_API void pshmem_##NAME(P* dest, const P* source, size_t nelems, int pe) {            \
        OPERATION(dest, source, saturated_bytes(nelems, UNIT), pe, "shmem_" #NAME);              \
    }                                                                                            \
    ISTHMUS_API void pshmem_ctx_##NAME(shmem_ctx_t ctx, P* dest, const P* source, size_t nelems, \
                                       int pe) {                                                 \
        IN_CONTEXT(ctx, dest, source, saturated_bytes(nelems, UNIT), pe, "shmem_ctx_" #NAME);    \
    }
#define BLOCKS(P, PUT, GET, UNIT)                  \
    BLOCK(P, PUT, put, put_in, UNIT)               \
    BLOCK(P, GET, get, get_in, UNIT)               \
    BLOCK(P, PUT##_nbi, put_nbi, put_nbi_in, UNIT) \
    BLOCK(P, GET##_nbi, get_nbi, get_nbi_in, UNIT) \
    SHMEM_TABLE_BLOCK_(ISTHMUS_ALIAS, P, PUT, GET)

#define TYPED_BLOCKS(T, N) BLOCKS(T, N##_put, N##_get, sizeof(T))
SHMEM_RMA_TYPES(TYPED_BLOCKS)
#define SIZED_BLOCKS(BITS) BLOCKS(void, put##BITS, get##BITS, (BITS) / 8)
SHMEM_ELEMENT_SIZES(SIZED_BLOCKS)
BLOCKS(void, putmem, getmem, 1)
