// Symmetric memory (isthmus/symmetric.h).
#include <bit>
#include <cstring>
#include <iterator>
#include <mutex>
#include <string_view>

#include "api/isthmus/export.hpp"
#include "base/error.hpp"
#include "base/os.hpp"
#include "core/copy/copy.hpp"
#include "core/job/guarded_blocks.hpp"
#include "core/job/heap.hpp"
#include "core/job/private_memory.hpp"
#include "core/reach/far.hpp"
#include "core/reach/far_store.hpp"
#include "core/reach/operation.hpp"
#include "core/segments/arena.hpp"
#include "core/segments/segment.hpp"
#include "core/teams/collective.hpp"
#include "core/wait/event.hpp"
#include "core/wait/sleep.hpp"
#include "core/wait/status.hpp"

using namespace isthmus;
using namespace isthmus::native;

namespace {

constexpr std::uint64_t kStandardAlignment = 16;
constexpr std::uint64_t kLargestAlignment = 4096;

int refuse_pe(const char* routine, int pe) {
    return refuse(ISTHMUS_ARGUMENT, routine, "pe ", pe, " is out of range 0..", job.pes - 1);
}

int refuse_no_segment(const void* address, std::uint64_t size, int pe, const char* routine) {
    return refuse(ISTHMUS_BOUNDS, routine, "no segment of PE ", pe, " has all of the ", size,
                  " bytes at ", InHex(address),
                  ": it ends before them, was destroyed, or was never made there");
}

// Segments' memory is symmetric in this sense too: the same arithmetic leads to it. What they
// refuse is refused on this road as well.
int check_in_arena(const void* address, std::uint64_t size, int pe, std::uint32_t right,
                   std::uint32_t kind, const char* routine) {
    const std::uint32_t access = arena_access(address, size, pe);
    if (access == 0) return refuse_no_segment(address, size, pe, routine);
    if ((access & kind) == 0)
        return refuse(
            ISTHMUS_PROTOCOL, routine, "the segment of PE ", pe, " at ", InHex(address),
            kind == ISTHMUS_ATOMICS ? " does not accept atomics" : " does not accept put and get");
    if ((access & right) != right && pe != job.me)
        return refuse(
            ISTHMUS_RIGHTS, routine, "the segment of PE ", pe, " at ", InHex(address),
            (right & ~access & ISTHMUS_WRITE) != 0 ? " may not be written" : " may not be read");
    return ISTHMUS_OK;
}

// 0 if [address, address + size) of `pe` can be operated on.
int check_remote(const void* address, std::uint64_t size, int pe, std::uint32_t right,
                 const char* routine) {
    require_session(routine);
    if (pe < 0 || pe >= job.pes) return refuse_pe(routine, pe);
    if (is_in_arena(address, size, pe))
        return check_in_arena(address, size, pe, right, ISTHMUS_TRANSFERS, routine);
    const Text why = why_not_usable(address, size);
    return why.empty() ? ISTHMUS_OK : refuse(ISTHMUS_BOUNDS, routine, why);
}

// 0 if a copy between the two, of which the second is of `pe`, is legal.
int check(const void* local, const void* address, std::uint64_t size, int pe, std::uint32_t right,
          const char* routine) {
    if (const int status = check_remote(address, size, pe, right, routine)) return status;
    // With ISTHMUS_DELAY a PE is far from itself, and its memory is its memory.
    if (job.checked && (is_near(pe) || pe == job.me) &&
        overlap(local, is_near(pe) ? translate(address, pe) : address, size))
        return refuse_overlap(routine);
    return ISTHMUS_OK;
}

// Zeros, of which whole pages take none of the system's memory. What is less than this is soon
// touched anyway, and written faster than asked for.
constexpr std::uint64_t kWorthDiscarding = std::uint64_t{1} << 20;
void clear(void* block, std::uint64_t size) {
    const auto begin = reinterpret_cast<std::uintptr_t>(block);
    const std::uintptr_t first = os::page_up(begin);
    const std::uintptr_t last = os::page_down(begin + size);
    if (size < kWorthDiscarding || !discard_pages(first, last - first)) {
        std::memset(block, 0, size);
        return;
    }
    std::memset(block, 0, first - begin);
    std::memset(reinterpret_cast<void*>(last), 0, begin + size - last);
}

[[gnu::cold, gnu::noinline]] void fence_otherwise() {
    require_session("isthmus_symmetric_fence");
    far::quiet();
    std::atomic_thread_fence(std::memory_order_seq_cst);
}

// The way of words that are not in the heap of a far PE.
template <typename T>
[[gnu::cold, gnu::noinline]] void store_otherwise(T* dest, T value, std::uint64_t to) {
    constexpr std::string_view kRoutine = "isthmus_symmetric_put";
    if (isthmus_symmetric_put(dest, &value, sizeof(T), static_cast<int>(to), nullptr) == ISTHMUS_OK)
        return;
    std::string_view text = last_refusal();
    text.remove_prefix(kRoutine.size() + 2);  // ": "
    fail(kRoutine, text);
}

}  // namespace

ISTHMUS_API int isthmus_symmetric_malloc(void** block, uint64_t size, uint64_t alignment) {
    const char* routine = begin(Routine::native_symmetric_malloc);
    count_allocation();
    *block = nullptr;
    if (alignment == 0) alignment = kStandardAlignment;
    return whole(routine, [&]() -> int {
        check_agreement(routine, "size", size);
        check_agreement(routine, "alignment", alignment);
        // Behind the agreement: all are refused, or the job ends.
        if (!std::has_single_bit(alignment) || alignment > kLargestAlignment)
            return refuse(ISTHMUS_ARGUMENT, routine, "alignment ", alignment,
                          " is not a power of two up to ", kLargestAlignment);
        if (size == 0) return ISTHMUS_OK;
        {
            const std::lock_guard lock(heap_guard);
            *block =
                job.checked ? guarded::allocate(size, alignment) : heap.allocate(size, alignment);
            if (!*block) return refuse(ISTHMUS_NO_MEMORY, routine, no_room_text(size));
        }
        clear(*block, size);
        barrier_world();  // nobody puts before everybody has zeroed
        return ISTHMUS_OK;
    });
}

ISTHMUS_API int isthmus_symmetric_free(void* block) {
    const char* routine = begin(Routine::native_symmetric_free);
    count_allocation();
    return whole(routine, [&]() -> int {
        check_agreement(routine, "the block", block ? heap.offset_of(block) : kNull);
        if (!block) return ISTHMUS_OK;
        barrier_world();
        const std::lock_guard lock(heap_guard);
        if (job.checked ? guarded::release(routine, block) : heap.release(block)) return ISTHMUS_OK;
        return refuse(
            ISTHMUS_ARGUMENT, routine,
            "the address is not the beginning of a block of the symmetric heap: ",
            heap.range().contains(block) ? heap.describe(block) : Text("it lies outside the heap"));
    });
}

ISTHMUS_API void* isthmus_symmetric_address(const void* address, int pe) {
    require_session("isthmus_symmetric_address");
    const bool exists =
        is_near(pe) && ((is_in_arena(address, 1, pe) && arena_access(address, 1, pe) != 0) ||
                        is_symmetric(address, 1));
    return exists ? guarded::point_at(address, pe) : nullptr;
}

ISTHMUS_API int isthmus_symmetric_put(void* dest, const void* source, uint64_t size, int pe,
                                      isthmus_event* event) {
    const char* routine = "isthmus_symmetric_put";
    if (const int status = check(source, dest, size, pe, ISTHMUS_WRITE, routine)) return status;
    const operation::Target there = operation::find_and_serve(dest, pe);
    operation::put(there, dest, source, size, pe, routine);
    if (there) wake(pe);
    complete(event);
    return ISTHMUS_OK;
}

ISTHMUS_API int isthmus_symmetric_get(void* dest, const void* source, uint64_t size, int pe,
                                      isthmus_event* event) {
    const char* routine = "isthmus_symmetric_get";
    if (const int status = check(dest, source, size, pe, ISTHMUS_READ, routine)) return status;
    const operation::Target there = operation::find_and_serve(source, pe);
    // Constants are here.
    if (!there && event && far::is_published(source, size)) {
        Flight flight(*event);
        far::begin_get(dest, source, size, pe, flight.pending(), routine);
        return ISTHMUS_OK;
    }
    // References read what they wrote, as elements that are sorted do.
    if (!there) far::order_puts();
    operation::get(there, dest, source, size, pe, routine);
    // As isthmus_get: gets from one PE are ordered among each other.
    std::atomic_thread_fence(std::memory_order_acquire);
    complete(event);
    return ISTHMUS_OK;
}

ISTHMUS_API int isthmus_symmetric_atomic(void* word, int pe, isthmus_atomic_kind kind, int width,
                                         int64_t operand, int64_t compare, int64_t* before) {
    const char* routine = "isthmus_symmetric_atomic";
    require_session(routine);
    constexpr far::AtomicKind kKinds[] = {far::AtomicKind::fetch,        far::AtomicKind::swap,
                                          far::AtomicKind::compare_swap, far::AtomicKind::add,
                                          far::AtomicKind::bit_and,      far::AtomicKind::bit_or,
                                          far::AtomicKind::bit_xor};
    if (static_cast<std::size_t>(kind) >= std::size(kKinds))
        return refuse(ISTHMUS_ARGUMENT, routine, "kind ", static_cast<int>(kind),
                      " is out of range 0..", std::size(kKinds) - 1);
    if (width != 4 && width != 8)
        return refuse(ISTHMUS_ARGUMENT, routine, "a width of ", width, " bytes is neither 4 nor 8");
    if (pe < 0 || pe >= job.pes) return refuse_pe(routine, pe);
    const auto bytes = static_cast<std::uint64_t>(width);
    if (reinterpret_cast<std::uintptr_t>(word) % bytes != 0)
        return refuse(ISTHMUS_ARGUMENT, routine, "address ", InHex(word), " is not a multiple of ",
                      width);
    if (is_in_arena(word, bytes, pe)) {
        const std::uint32_t right =
            kind == ISTHMUS_ATOMIC_FETCH ? ISTHMUS_READ : ISTHMUS_READ | ISTHMUS_WRITE;
        if (const int status = check_in_arena(word, bytes, pe, right, ISTHMUS_ATOMICS, routine))
            return status;
    } else if (const Text why = why_not_usable(word, bytes); !why.empty()) {
        return refuse(ISTHMUS_BOUNDS, routine, why);
    }
    const far::Atomic atomic{kKinds[kind], static_cast<std::uint8_t>(width),
                             static_cast<std::uint64_t>(operand),
                             static_cast<std::uint64_t>(compare)};
    const operation::Target there = operation::find_and_serve(word, pe);
    if (!there) far::order_puts();
    const std::uint64_t seen = operation::fetch_atomic(there, word, pe, atomic, routine);
    if (before)
        *before = width == 4 ? static_cast<std::int32_t>(seen) : static_cast<std::int64_t>(seen);
    return ISTHMUS_OK;
}

ISTHMUS_API void isthmus_symmetric_store32(std::uint32_t* dest, std::uint32_t value, int pe) {
    const std::uint64_t to = far::fourth_argument(pe);
    if (!far::put_word(dest, value, to)) [[unlikely]]
        store_otherwise(dest, value, to);
}
ISTHMUS_API void isthmus_symmetric_store64(std::uint64_t* dest, std::uint64_t value, int pe) {
    const std::uint64_t to = far::fourth_argument(pe);
    if (!far::put_word(dest, value, to)) [[unlikely]]
        store_otherwise(dest, value, to);
}

namespace {

// A word at an offset in the heap that the express way does not take.
template <typename T, void store(T*, T, int)>
void store_by_address(void* /*road*/, T value, const std::uint64_t* /*keys*/, std::uint64_t pe,
                      std::uintptr_t offset) {
    store(reinterpret_cast<T*>(isthmus_window.heap + offset), value, static_cast<int>(pe));
}

[[gnu::constructor(101)]] void set_stores() {
    far::set_stores_by_address({store_by_address<std::uint32_t, isthmus_symmetric_store32>,
                                store_by_address<std::uint64_t, isthmus_symmetric_store64>});
}

}  // namespace

ISTHMUS_API void isthmus_symmetric_fence(void) {
    if (window.sole == 0 && !far::is_quiet()) [[unlikely]]
        return fence_otherwise();
    std::atomic_thread_fence(std::memory_order_seq_cst);
}
