// Linear put and get, atomics, fence (isthmus/operation.h). The short ones are inlined from the
// header; here are their slow ways and the others.
#include <atomic>

#include "api/isthmus/export.hpp"
#include "core/copy/copy.hpp"
#include "core/segments/far_segment.hpp"
#include "core/segments/segment.hpp"
#include "core/wait/event.hpp"

using namespace isthmus;
using namespace isthmus::native;

namespace {

// What a far PE is asked for.
struct Asked {
    far::AtomicKind kind;
    std::int64_t operand = 0;
    std::int64_t compare = 0;
};

// Why not; or, of a far segment, asks its owner.
template <typename T>
[[gnu::cold, gnu::noinline]] int atomic_otherwise(const Segment& segment, std::uint64_t offset,
                                                  std::uint32_t right, const Asked& asked,
                                                  Kept kept, T* result, Event* event,
                                                  const char* routine) {
    if (const int status =
            refuse_access(segment, offset, sizeof(T), right, ISTHMUS_ATOMICS, sizeof(T), routine))
        return status;
    const far::Atomic atomic{asked.kind, sizeof(T), static_cast<std::uint64_t>(asked.operand),
                             static_cast<std::uint64_t>(asked.compare)};
    const std::uint64_t before = atomic_far(segment, offset, atomic, kept, routine);
    if (result) *result = static_cast<T>(before);
    complete(event);
    return ISTHMUS_OK;
}

// Checks, does, wakes, completes. `Operation` maps (T* word) to the word's value before; `asked` is
// the same for a far one.
template <typename T, typename Operation>
inline int atomic(const Segment& segment, std::uint64_t offset, std::uint32_t right,
                  const Asked& asked, Kept kept, T* result, Event* event, const char* routine,
                  Operation&& operation) {
    const bool legal = (segment.access & (ISTHMUS_ATOMICS | right)) == (ISTHMUS_ATOMICS | right) &&
                       offset % sizeof(T) == 0 && segment.size >= sizeof(T) &&
                       offset <= segment.size - sizeof(T) && !is_stale(segment);
    if (!legal) [[unlikely]]
        return atomic_otherwise<T>(segment, offset, right, asked, kept, result, event, routine);
    const T before = operation(reinterpret_cast<T*>(segment.base + offset));
    if (result) *result = before;
    if (right & ISTHMUS_WRITE) wake_owner(segment);
    complete(event);
    return ISTHMUS_OK;
}

// Sequentially consistent, all of them: partners are all others (docs/ordering.md).
template <typename T>
T fetch_minimum(T* word, T value) {
    T seen = __atomic_load_n(word, __ATOMIC_SEQ_CST);
    while (value < seen && !__atomic_compare_exchange_n(word, &seen, value, true, __ATOMIC_SEQ_CST,
                                                        __ATOMIC_SEQ_CST)) {
    }
    return seen;
}
template <typename T>
T fetch_maximum(T* word, T value) {
    T seen = __atomic_load_n(word, __ATOMIC_SEQ_CST);
    while (value > seen && !__atomic_compare_exchange_n(word, &seen, value, true, __ATOMIC_SEQ_CST,
                                                        __ATOMIC_SEQ_CST)) {
    }
    return seen;
}

#define ADD(word, value)  __atomic_fetch_add(word, value, __ATOMIC_SEQ_CST)
#define AND(word, value)  __atomic_fetch_and(word, value, __ATOMIC_SEQ_CST)
#define OR(word, value)   __atomic_fetch_or(word, value, __ATOMIC_SEQ_CST)
#define XOR(word, value)  __atomic_fetch_xor(word, value, __ATOMIC_SEQ_CST)
#define SWAP(word, value) __atomic_exchange_n(word, value, __ATOMIC_SEQ_CST)

template <typename T>
T store(T* word, T value) {
    __atomic_store_n(word, value, __ATOMIC_SEQ_CST);
    return value;
}

// What is no plain put to a near segment: to a far one, refused, or checked.
[[gnu::cold, gnu::noinline]] int put_slowly(const void* local, const Segment& segment,
                                            std::uint64_t offset, std::uint64_t size,
                                            Event* event) {
    const char* routine = "isthmus_put";
    const auto [way, status] = check_transfer(segment, offset, size, ISTHMUS_WRITE, local, routine);
    if (way == TransferWay::refused) return status;
    if (way == TransferWay::road) {
        put_far(segment, offset, local, size, routine);
    } else {
        copy(segment.base + offset, local, size);
        wake_owner(segment);
    }
    complete(event);
    return ISTHMUS_OK;
}
[[gnu::noinline]] int put_otherwise(const void* local, const Segment& segment, std::uint64_t offset,
                                    std::uint64_t size, Event* event) {
    const auto& to = segment.short_put;
    const auto put_short = [&] {
        return to.end != 0 &&
               far::put_express(local, size, segment.owner, {to.address + offset, to.key});
    };
    const auto put_any = [&] {
        return far::put_otherwise(home_of(segment) + offset, local, size, segment.owner);
    };
    if (!takes_far(segment, offset, size, ISTHMUS_WRITE | ISTHMUS_TRANSFERS) ||
        !(put_short() || put_any())) [[unlikely]]
        return put_slowly(local, segment, offset, size, event);
    complete(event);
    return ISTHMUS_OK;
}

[[gnu::cold, gnu::noinline]] int get_otherwise(void* local, const Segment& segment,
                                               std::uint64_t offset, std::uint64_t size,
                                               Event* event) {
    get_far(local, segment, offset, size, event, "isthmus_get");
    return ISTHMUS_OK;
}

[[gnu::cold, gnu::noinline]] int fence_otherwise(const Segment& segment, Event* event) {
    if (const int status = refuse_access(segment, 0, 0, 0, ISTHMUS_FAR, 1, "isthmus_fence"))
        return status;
    fence_far(event);
    return ISTHMUS_OK;
}

}  // namespace

ISTHMUS_API int isthmus_put_slow(const void* local, const isthmus_segment* segment, uint64_t offset,
                                 uint64_t size, isthmus_event* event) {
    if (!takes_transfer(*segment, offset, size, ISTHMUS_WRITE)) [[unlikely]]
        return put_otherwise(local, *segment, offset, size, event);
    copy(segment->base + offset, local, size);
    wake_owner(*segment);
    complete(event);
    return ISTHMUS_OK;
}

// For pointers to it, other languages, and programs that are not optimised.
ISTHMUS_API int isthmus_put(const void* local, const isthmus_segment* segment, uint64_t offset,
                            uint64_t size, isthmus_event* event)
    __attribute__((alias("isthmus_put_slow")));

ISTHMUS_API void isthmus_note_written(int pe) {
    far::note_written(pe);
}

ISTHMUS_API int isthmus_get_slow(void* local, const isthmus_segment* segment, uint64_t offset,
                                 uint64_t size, isthmus_event* event) {
    const auto [way, status] =
        check_transfer(*segment, offset, size, ISTHMUS_READ, local, "isthmus_get");
    if (way == TransferWay::road) return get_otherwise(local, *segment, offset, size, event);
    if (way == TransferWay::refused) return status;
    copy(local, segment->base + offset, size);
    // Gets from one segment are ordered among each other: nothing on x86-64, a barrier on Arm.
    std::atomic_thread_fence(std::memory_order_acquire);
    complete(event);
    return ISTHMUS_OK;
}

ISTHMUS_API int isthmus_get(void* local, const isthmus_segment* segment, uint64_t offset,
                            uint64_t size, isthmus_event* event)
    __attribute__((alias("isthmus_get_slow")));

ISTHMUS_API int isthmus_fence(const isthmus_segment* segment, isthmus_event* event) {
    if (!segment->base || is_stale(*segment)) [[unlikely]]  // zeroed: has no generation to look at
        return fence_otherwise(*segment, event);
    std::atomic_thread_fence(std::memory_order_seq_cst);
    complete(event);
    return ISTHMUS_OK;
}

ISTHMUS_API int isthmus_wake(const isthmus_segment* segment) {
    wake_owner(*segment);
    return ISTHMUS_OK;
}

// NAME: routine; SLOW: its symbol; T; OPERATION(word, value); ASKED: its kind.
#define POSTED(SYMBOL, NAME, T, OPERATION, ASKED)                                               \
    ISTHMUS_API int SYMBOL(const isthmus_segment* segment, uint64_t offset, T value) {          \
        return atomic<T>(*segment, offset, ISTHMUS_READ_WRITE, {far::AtomicKind::ASKED, value}, \
                         Kept::posted, nullptr, nullptr, NAME,                                  \
                         [value](T* word) { return OPERATION(word, value); });                  \
    }
#define FETCHING(SYMBOL, NAME, T, OPERATION, ASKED)                                             \
    ISTHMUS_API int SYMBOL(const isthmus_segment* segment, uint64_t offset, T value, T* result, \
                           isthmus_event* event) {                                              \
        return atomic<T>(*segment, offset, ISTHMUS_READ_WRITE, {far::AtomicKind::ASKED, value}, \
                         Kept::fetched, result, event, NAME,                                    \
                         [value](T* word) { return OPERATION(word, value); });                  \
    }
#define BOTH_WIDTHS(KIND, NAME, OPERATION, ASKED)                          \
    KIND(isthmus_##NAME, "isthmus_" #NAME, std::int64_t, OPERATION, ASKED) \
    KIND(isthmus_##NAME##32, "isthmus_" #NAME "32", std::int32_t, OPERATION, ASKED)

POSTED(isthmus_postadd_slow, "isthmus_postadd", std::int64_t, ADD, add)
POSTED(isthmus_postadd32, "isthmus_postadd32", std::int32_t, ADD, add)
FETCHING(isthmus_fetchadd_slow, "isthmus_fetchadd", std::int64_t, ADD, add)
FETCHING(isthmus_fetchadd32, "isthmus_fetchadd32", std::int32_t, ADD, add)
BOTH_WIDTHS(POSTED, postmin, fetch_minimum, minimum)
BOTH_WIDTHS(POSTED, postmax, fetch_maximum, maximum)
BOTH_WIDTHS(POSTED, postand, AND, bit_and)
BOTH_WIDTHS(POSTED, postor, OR, bit_or)
BOTH_WIDTHS(POSTED, postxor, XOR, bit_xor)
BOTH_WIDTHS(FETCHING, swap, SWAP, swap)
BOTH_WIDTHS(FETCHING, fetchmin, fetch_minimum, minimum)
BOTH_WIDTHS(FETCHING, fetchmax, fetch_maximum, maximum)
BOTH_WIDTHS(FETCHING, fetchand, AND, bit_and)
BOTH_WIDTHS(FETCHING, fetchor, OR, bit_or)
BOTH_WIDTHS(FETCHING, fetchxor, XOR, bit_xor)

// Poke needs the right to write only; peek the right to read only.
#define POKE(SYMBOL, NAME, T)                                                            \
    ISTHMUS_API int SYMBOL(const isthmus_segment* segment, uint64_t offset, T value) {   \
        return atomic<T>(*segment, offset, ISTHMUS_WRITE, {far::AtomicKind::set, value}, \
                         Kept::posted, nullptr, nullptr, NAME,                           \
                         [value](T* word) { return store(word, value); });               \
    }
POKE(isthmus_poke_slow, "isthmus_poke", std::int64_t)
POKE(isthmus_poke32, "isthmus_poke32", std::int32_t)

#define READERS(SUFFIX, T)                                                                        \
    ISTHMUS_API int isthmus_peek##SUFFIX(const isthmus_segment* segment, uint64_t offset,         \
                                         T* result, isthmus_event* event) {                       \
        return atomic<T>(*segment, offset, ISTHMUS_READ, {far::AtomicKind::fetch}, Kept::fetched, \
                         result, event, "isthmus_peek" #SUFFIX,                                   \
                         [](T* word) { return __atomic_load_n(word, __ATOMIC_SEQ_CST); });        \
    }                                                                                             \
    ISTHMUS_API int isthmus_fetchclear##SUFFIX(const isthmus_segment* segment, uint64_t offset,   \
                                               T* result, isthmus_event* event) {                 \
        return atomic<T>(*segment, offset, ISTHMUS_READ_WRITE, {far::AtomicKind::swap},           \
                         Kept::fetched, result, event, "isthmus_fetchclear" #SUFFIX,              \
                         [](T* word) { return SWAP(word, T{0}); });                               \
    }                                                                                             \
    ISTHMUS_API int isthmus_compare_swap##SUFFIX(const isthmus_segment* segment, uint64_t offset, \
                                                 T expected, T value, T* result,                  \
                                                 isthmus_event* event) {                          \
        return atomic<T>(*segment, offset, ISTHMUS_READ_WRITE,                                    \
                         {far::AtomicKind::compare_swap, value, expected}, Kept::fetched, result, \
                         event, "isthmus_compare_swap" #SUFFIX, [=](T* word) {                    \
                             T before = expected;                                                 \
                             __atomic_compare_exchange_n(word, &before, value, false,             \
                                                         __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);     \
                             return before;                                                       \
                         });                                                                      \
    }
READERS(, std::int64_t)
READERS(32, std::int32_t)
