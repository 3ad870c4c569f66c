/* Operations on segments: linear put and get, atomics of 32 and 64 bits, fence. */
#ifndef ISTHMUS_OPERATION_H
#define ISTHMUS_OPERATION_H

#include <isthmus/segment.h>
#include <isthmus/status.h>
#include <isthmus/window.h>

#ifdef __cplusplus
extern "C" {
#endif
#include <isthmus/warnings_away.inc>

/* Copies `size` bytes from this PE's memory into the segment at `offset`, or back. Size 0 moves
 * nothing and is refused where any other is. What is read and what is written do not overlap, but
 * may be the same; nobody looks, except with ISTHMUS_CHECK=1, which refuses (ARGUMENT) what
 * overlaps at this PE's addresses. That goes for isthmus/geometry.h and isthmus/symmetric.h, too;
 * of a list, each range is compared with itself. Errors: BOUNDS, RIGHTS, PROTOCOL, STALE, before
 * anything moves. */
int isthmus_put(const void* local, const isthmus_segment* segment, uint64_t offset, uint64_t size,
                isthmus_event* event);
int isthmus_get(void* local, const isthmus_segment* segment, uint64_t offset, uint64_t size,
                isthmus_event* event);

int isthmus_put_slow(const void* local, const isthmus_segment* segment, uint64_t offset,
                     uint64_t size, isthmus_event* event);
int isthmus_get_slow(void* local, const isthmus_segment* segment, uint64_t offset, uint64_t size,
                     isthmus_event* event);
void isthmus_note_written(int pe);
int isthmus_wake(const isthmus_segment* segment); /* returns ISTHMUS_OK */

#if defined(__OPTIMIZE__) && !defined(ISTHMUS_NO_INLINE)
/* True if a transfer of [offset, offset + size) is legal and loads and stores do it; never in
 * checked mode. `right`: ISTHMUS_READ or ISTHMUS_WRITE; the bits of access that say so of transfers
 * are 8 higher. */
extern __inline__ __attribute__((gnu_inline, always_inline)) int isthmus_transfer_is_plain(
    const isthmus_segment* segment, uint64_t offset, uint64_t size, uint32_t right) {
    const uint64_t end = segment->transfer_end;
    const int plain =
        offset <= end && end - offset >= size && (segment->access & right << 8) != 0 &&
        /* Relaxed, as everywhere: destroying a segment that is in use is a mistake. */
        __atomic_load_n(segment->generation_now, __ATOMIC_RELAXED) == segment->generation;
    return __builtin_expect(plain, 1) != 0;
}

/* Bytes that do not overlap. Sizes that the compiler knows and that few moves do are inlined, so
 * that words stay whole. */
extern __inline__ __attribute__((gnu_inline, always_inline)) void isthmus_transfer_copy(
    void* to, const void* from, uint64_t size) {
    if (__builtin_constant_p(size) && size <= 16)
        __builtin_memcpy(to, from, size);
    else
        isthmus_window.copy(to, from, size);
}

extern __inline__ __attribute__((gnu_inline, always_inline)) void isthmus_transfer_complete(
    isthmus_event* event) {
    if (!event) return;
    event->address = isthmus_event_issued.address;
    /* Relaxed: another thread begins a get, which is none of this operation's. */
    event->first = __atomic_load_n(&isthmus_event_issued.first, __ATOMIC_RELAXED);
    event->span = ISTHMUS_EVENT_ISSUED_SPAN;
    event->narrow = isthmus_event_issued.narrow;
}

/* Puts of up to 8 bytes, a size that the compiler knows, to another host: straight to the road's
 * call, if the compiler knows that there is no event. Budget: 16 instructions up to it, at a
 * constant offset: the way of this host beside it would take three of them for registers. On this
 * host: 30 for 8 bytes with an event. Others, and what is refused or not taken now, go out of line.
 * Without optimisation the symbol is called. */
extern __inline__ __attribute__((gnu_inline, always_inline)) int isthmus_put(
    const void* local, const isthmus_segment* segment, uint64_t offset, uint64_t size,
    isthmus_event* event) {
    if (__builtin_constant_p(size) && size - 1 < 8 && __builtin_constant_p(!event) && !event) {
        if (offset >= segment->short_put.end)
            return isthmus_put_slow(local, segment, offset, size, event);
        /* Relaxed, as everywhere: destroying a segment that is in use is a mistake. */
        if (__atomic_load_n(segment->generation_now, __ATOMIC_RELAXED) !=
                segment->short_put.generation ||
            segment->short_put.put(segment->short_put.road, local, size, (uint32_t)segment->owner,
                                   segment->short_put.address + offset,
                                   segment->short_put.key) != 0)
            return isthmus_put_slow(local, segment, offset, size, event);
        /* Who takes the mark asks for an answer afterwards, behind this put. Acquire: partner is
         * the release of who sets it first, behind the flag that the fence looks at. */
        if (__builtin_expect(__atomic_load_n(segment->short_put.written, __ATOMIC_ACQUIRE) == 0, 0))
            isthmus_note_written(segment->owner);
        return ISTHMUS_OK;
    }
    if (!isthmus_transfer_is_plain(segment, offset, size, ISTHMUS_WRITE))
        return isthmus_put_slow(local, segment, offset, size, event);
    isthmus_transfer_copy(segment->base + offset, local, size);
    isthmus_transfer_complete(event);
    __asm__ __volatile__("" ::: "memory"); /* sleepers are looked at behind the data */
    if (__builtin_expect(__atomic_load_n(segment->sleepers, __ATOMIC_RELAXED) != 0, 0))
        return isthmus_wake(segment);
    return ISTHMUS_OK;
}

/* Gets on this host; others out of line. */
extern __inline__ __attribute__((gnu_inline, always_inline)) int isthmus_get(
    void* local, const isthmus_segment* segment, uint64_t offset, uint64_t size,
    isthmus_event* event) {
    if (!isthmus_transfer_is_plain(segment, offset, size, ISTHMUS_READ))
        return isthmus_get_slow(local, segment, offset, size, event);
    isthmus_transfer_copy(local, segment->base + offset, size);
    /* Gets from one segment are ordered among each other: nothing on x86-64, a barrier on Arm. */
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    isthmus_transfer_complete(event);
    return ISTHMUS_OK;
}
#endif

/* Completes when all operations that this PE issued to the segment before, on no channel, are
 * visible to everyone: a channel has its own fence. What is issued while `event` is not true yet is
 * not ordered behind them. */
int isthmus_fence(const isthmus_segment* segment, isthmus_event* event);

/* Atomics. `offset` is a multiple of the width. Signed; arithmetic wraps around. A "posted" one has
 * no result and no event: it becomes visible after all earlier puts of this PE to the segment.
 * `result` may be null where the value is not wanted, except for isthmus_fetchadd, which is inlined
 * and does not look: isthmus_postadd is the one without a result.
 * Rights: poke needs WRITE, peek READ; all others read and write, so they need both, the posted
 * ones too: isthmus_postadd on a segment that others may only write is RIGHTS. Errors: BOUNDS (a
 * misaligned offset too), RIGHTS, PROTOCOL, STALE, before anything moves.
 * Memory order: all are sequentially consistent, partners are all others, so that atomics of one PE
 * on a segment are seen in their order (docs/ordering.md). */

int isthmus_postadd_slow(const isthmus_segment* segment, uint64_t offset, int64_t value);
int isthmus_poke_slow(const isthmus_segment* segment, uint64_t offset, int64_t value);

/* True if a 64-bit atomic at `offset` is legal and nobody has to be woken. */
static __inline__ int isthmus_atomic_is_plain(const isthmus_segment* segment, uint64_t offset) {
    const int plain =
        offset < segment->atomic_end && (offset & 7) == 0 &&
        __atomic_load_n(segment->generation_now, __ATOMIC_RELAXED) == segment->generation;
    return __builtin_expect(plain, 1) != 0;
}

/* Posted 64-bit add. Budget: 15 instructions. */
static __inline__ int isthmus_postadd(const isthmus_segment* segment, uint64_t offset,
                                      int64_t value) {
    if (!isthmus_atomic_is_plain(segment, offset))
        return isthmus_postadd_slow(segment, offset, value);
    __atomic_fetch_add((int64_t*)(void*)(segment->base + offset), value, __ATOMIC_SEQ_CST);
    if (__builtin_expect(__atomic_load_n(segment->sleepers, __ATOMIC_RELAXED) != 0, 0))
        isthmus_wake(segment);
    return ISTHMUS_OK;
}

/* Posted 64-bit store. */
static __inline__ int isthmus_poke(const isthmus_segment* segment, uint64_t offset, int64_t value) {
    if (!isthmus_atomic_is_plain(segment, offset)) return isthmus_poke_slow(segment, offset, value);
    __atomic_store_n((int64_t*)(void*)(segment->base + offset), value, __ATOMIC_SEQ_CST);
    if (__builtin_expect(__atomic_load_n(segment->sleepers, __ATOMIC_RELAXED) != 0, 0))
        isthmus_wake(segment);
    return ISTHMUS_OK;
}

int isthmus_fetchadd_slow(const isthmus_segment* segment, uint64_t offset, int64_t value,
                          int64_t* result, isthmus_event* event);

/* Adds and returns the value before, in *result, which must be there. Budget: 20 instructions. */
__attribute__((nonnull(4))) static __inline__ int isthmus_fetchadd(const isthmus_segment* segment,
                                                                   uint64_t offset, int64_t value,
                                                                   int64_t* result,
                                                                   isthmus_event* event) {
    if (event || !isthmus_atomic_is_plain(segment, offset))
        return isthmus_fetchadd_slow(segment, offset, value, result, event);
    *result =
        __atomic_fetch_add((int64_t*)(void*)(segment->base + offset), value, __ATOMIC_SEQ_CST);
    if (__builtin_expect(__atomic_load_n(segment->sleepers, __ATOMIC_RELAXED) != 0, 0))
        isthmus_wake(segment);
    return ISTHMUS_OK;
}

/* The remaining ones, out of line: NAME for 64 bits, NAME32 for 32. */
#define ISTHMUS_POSTED_OPERATIONS(X) \
    X(postmin) /* signed minimum */  \
    X(postmax)                       \
    X(postand)                       \
    X(postor)                        \
    X(postxor)
#define ISTHMUS_FETCHING_OPERATIONS(X) \
    X(swap)                            \
    X(fetchmin)                        \
    X(fetchmax)                        \
    X(fetchand)                        \
    X(fetchor)                         \
    X(fetchxor)
#define ISTHMUS_DECLARE_POSTED(NAME)                                                    \
    int isthmus_##NAME(const isthmus_segment* segment, uint64_t offset, int64_t value); \
    int isthmus_##NAME##32(const isthmus_segment* segment, uint64_t offset, int32_t value);
#define ISTHMUS_DECLARE_FETCHING(NAME)                                                     \
    int isthmus_##NAME(const isthmus_segment* segment, uint64_t offset, int64_t value,     \
                       int64_t* result, isthmus_event* event);                             \
    int isthmus_##NAME##32(const isthmus_segment* segment, uint64_t offset, int32_t value, \
                           int32_t* result, isthmus_event* event);
ISTHMUS_POSTED_OPERATIONS(ISTHMUS_DECLARE_POSTED)
ISTHMUS_FETCHING_OPERATIONS(ISTHMUS_DECLARE_FETCHING)
#undef ISTHMUS_DECLARE_POSTED
#undef ISTHMUS_DECLARE_FETCHING

int isthmus_postadd32(const isthmus_segment* segment, uint64_t offset, int32_t value);
int isthmus_poke32(const isthmus_segment* segment, uint64_t offset, int32_t value);
int isthmus_fetchadd32(const isthmus_segment* segment, uint64_t offset, int32_t value,
                       int32_t* result, isthmus_event* event);

/* Reads. */
int isthmus_peek(const isthmus_segment* segment, uint64_t offset, int64_t* result,
                 isthmus_event* event);
int isthmus_peek32(const isthmus_segment* segment, uint64_t offset, int32_t* result,
                   isthmus_event* event);
/* Reads and sets to zero, as one. */
int isthmus_fetchclear(const isthmus_segment* segment, uint64_t offset, int64_t* result,
                       isthmus_event* event);
int isthmus_fetchclear32(const isthmus_segment* segment, uint64_t offset, int32_t* result,
                         isthmus_event* event);
/* Stores `value` if the word equals `expected`; *result is the word before. */
int isthmus_compare_swap(const isthmus_segment* segment, uint64_t offset, int64_t expected,
                         int64_t value, int64_t* result, isthmus_event* event);
int isthmus_compare_swap32(const isthmus_segment* segment, uint64_t offset, int32_t expected,
                           int32_t value, int32_t* result, isthmus_event* event);

#include <isthmus/warnings_back.inc>
#ifdef __cplusplus
}
#endif
#endif
