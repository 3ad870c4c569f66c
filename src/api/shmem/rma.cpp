// Remote memory access (9.6): one element, and contiguous blocks.
//
// Budgets on one host, entry to return: p and g 8 instructions, put of 8 bytes 20. The nbi forms
// are the same operations there: a store has left the source when the instruction is done. To other
// hosts they leave under way what cannot be copied aside, until quiet.
#include "api/shmem/export.hpp"
#include "api/shmem/put_word.hpp"
#include "core/copy.hpp"
#include "core/far.hpp"
#include "core/job.hpp"
#include "core/wait.hpp"

using namespace isthmus;
using namespace isthmus::shmem;

namespace {

constexpr std::size_t kBulk = 2048;  // from here on a call is noted, for the report of a death

using FarTransfer = void(void* dest, const void* source, std::size_t bytes, int pe,
                         const char* routine);

// Everything that the fast path leaves out, so that it needs no stack frame.
template <FarTransfer& kFarPut = far::put>
[[gnu::cold, gnu::noinline]] void put_checked(void* dest, const void* source, std::size_t bytes,
                                              int pe, const char* routine) {
    if (bytes > kMostBytes) refuse_count(bytes, 1, routine);
    const auto there = checked_target(dest, bytes, pe, routine);
    if (!there) {
        if (bytes >= kBulk) note(Routine::put);
        return kFarPut(dest, source, bytes, pe, routine);
    }
    note(Routine::put);
    check_private(source, bytes, "source", routine);
    check_overlap(*there, source, bytes, routine);
    copy(*there, source, bytes);
}
[[gnu::noinline]] void put_otherwise(void* dest, const void* source, std::size_t bytes, int pe,
                                     const char* routine) {
    if (!far::put_otherwise(dest, source, bytes, pe)) put_checked(dest, source, bytes, pe, routine);
}
template <FarTransfer& kFarGet = far::get>
[[gnu::cold, gnu::noinline]] void get_checked(void* dest, const void* source, std::size_t bytes,
                                              int pe, const char* routine) {
    if (bytes > kMostBytes) refuse_count(bytes, 1, routine);
    const auto there = checked_target(source, bytes, pe, routine);
    if (!there) {
        if (bytes >= kBulk) note(Routine::get);
        return kFarGet(dest, source, bytes, pe, routine);
    }
    note(Routine::get);
    check_private(dest, bytes, "dest", routine);
    check_overlap(dest, *there, bytes, routine);
    copy(dest, *there, bytes);
}

// To PEs of other hosts. Up to the network's call 24 instructions, the window's test included; what
// is needed behind the call lies in the frame, so that nothing is saved and restored. `gap` has no
// value: it keeps the register free in which the network's call takes the offset.
[[gnu::noinline]] void put_far(void* dest, const void* source, std::size_t bytes, int pe,
                               std::uint64_t gap, const char* routine) {
    __asm__("" ::"r"(gap));  // used, lest the compiler drops it
    std::uint64_t offset = 0;
    // One comparison for 0 bytes, too.
    if (bytes - 1 >= far::express.road.longest || !far::find_in_heap(far::express, dest, offset))
        [[unlikely]]
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
    if (!reaches(pe)) [[unlikely]] {
        std::uint64_t gap;
        __asm__("" : "=r"(gap));
        return put_far(dest, source, bytes, pe, gap, routine);
    }
    put_near(dest, source, bytes, pe, routine);
}

// Short ones are copied aside, as those that block.
[[gnu::noinline]] void put_nbi_far(void* dest, const void* source, std::size_t bytes, int pe,
                                   const char* routine) {
    if (bytes >= kBulk) return put_checked<far::put_nbi>(dest, source, bytes, pe, routine);
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
        return get_checked<far::get_nbi>(dest, source, bytes, pe, routine);
    get_near(dest, source, bytes, pe, routine);
}

template <typename T>
[[gnu::cold, gnu::noinline]] void put_element_checked(T* dest, T value, int pe,
                                                      const char* routine) {
    const auto there = checked_target(dest, sizeof(T), pe, routine);
    if (!there) return far::put(dest, &value, sizeof(T), pe, routine);
    *reinterpret_cast<volatile T*>(*there) = value;
}
template <typename T>
[[gnu::noinline]] void put_element_otherwise(T* dest, T value, const char* routine,
                                             std::uint64_t to) {
    const auto pe = static_cast<int>(to);
    if (!far::put_otherwise(dest, &value, sizeof(T), pe))
        put_element_checked(dest, value, pe, routine);
}
// To PEs of other hosts. Up to the network's call 17 instructions, the window's test included (16
// by put_word.hpp).
template <typename T>
inline void put_element_far(T* dest, T value, std::uint64_t to, const char* routine) {
    if (!far::put_word(dest, value, to)) [[unlikely]]
        put_element_otherwise(dest, value, routine, to);
}
template <typename T>
[[gnu::cold, gnu::noinline]] T get_element_checked(const T* source, int pe, const char* routine) {
    const auto there = checked_target(source, sizeof(T), pe, routine);
    if (there) return *reinterpret_cast<const volatile T*>(*there);
    T value;
    far::get(&value, source, sizeof(T), pe, routine);
    return value;
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
inline T get_element(const T* source, int pe, const char* routine) {
    if (!reaches(pe)) [[unlikely]]
        return get_element_far(source, pe, routine);
    return *const_cast<const volatile T*>(translate(source, pe));
}

}  // namespace

void shmem::isthmus_put_word_otherwise(void* dest, std::uint64_t value, const char* routine,
                                       std::uint64_t pe, std::size_t bytes) {
    const auto put = [&]<typename T>(T* word) {
        put_element_otherwise(word, static_cast<T>(value), routine, pe);
    };
    switch (bytes) {
        case 1: return put(static_cast<std::uint8_t*>(dest));
        case 2: return put(static_cast<std::uint16_t*>(dest));
        case 4: return put(static_cast<std::uint32_t*>(dest));
        default: return put(static_cast<std::uint64_t*>(dest));
    }
}

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
        pe = context_pe(ctx, pe, "shmem_ctx_" #N "_p");                              \
        put_element(dest, value, pe, "shmem_ctx_" #N "_p");                          \
    }                                                                                \
    ISTHMUS_API T pshmem_ctx_##N##_g(shmem_ctx_t ctx, const T* source, int pe) {     \
        pe = context_pe(ctx, pe, "shmem_ctx_" #N "_g");                              \
        return get_element(source, pe, "shmem_ctx_" #N "_g");                        \
    }                                                                                \
    SHMEM_TABLE_ELEMENT(ISTHMUS_ALIAS, T, N)
SHMEM_RMA_TYPES(ELEMENT)

// P: type of the pointers; OPERATION: put or get; UNIT: bytes of an element.
#define BLOCK(P, NAME, OPERATION, UNIT)                                                          \
    ISTHMUS_API void pshmem_##NAME(P* dest, const P* source, size_t nelems, int pe) {            \
        OPERATION(dest, source, saturated_bytes(nelems, UNIT), pe, "shmem_" #NAME);              \
    }                                                                                            \
    ISTHMUS_API void pshmem_ctx_##NAME(shmem_ctx_t ctx, P* dest, const P* source, size_t nelems, \
                                       int pe) {                                                 \
        OPERATION(dest, source, saturated_bytes(nelems, UNIT),                                   \
                  context_pe(ctx, pe, "shmem_ctx_" #NAME), "shmem_ctx_" #NAME);                  \
    }
#define BLOCKS(P, PUT, GET, UNIT)      \
    BLOCK(P, PUT, put, UNIT)           \
    BLOCK(P, GET, get, UNIT)           \
    BLOCK(P, PUT##_nbi, put_nbi, UNIT) \
    BLOCK(P, GET##_nbi, get_nbi, UNIT) \
    SHMEM_TABLE_BLOCK_(ISTHMUS_ALIAS, P, PUT, GET)

#define TYPED_BLOCKS(T, N) BLOCKS(T, N##_put, N##_get, sizeof(T))
SHMEM_RMA_TYPES(TYPED_BLOCKS)
#define SIZED_BLOCKS(BITS) BLOCKS(void, put##BITS, get##BITS, (BITS) / 8)
SHMEM_ELEMENT_SIZES(SIZED_BLOCKS)
BLOCKS(void, putmem, getmem, 1)
