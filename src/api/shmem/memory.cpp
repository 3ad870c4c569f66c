// Memory management (9.3). Every routine here is a collective over all PEs: barriers make sure that
// nobody puts into memory that another PE does not have yet, or no longer has.
#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>
#include <limits>
#include <mutex>
#include <string>

#include "api/shmem/export.hpp"
#include "api/shmem/turn.hpp"
#include "base/error.hpp"
#include "core/copy/copy.hpp"
#include "core/job/block_map.hpp"
#include "core/job/guarded_blocks.hpp"
#include "core/job/heap.hpp"
#include "core/job/job.hpp"
#include "core/job/private_memory.hpp"
#include "core/reach/far.hpp"
#include "core/teams/collective.hpp"
#include "core/wait/wait.hpp"

namespace isthmus::shmem {
namespace {

// A call, as long as it lasts: all PEs meet in it, unless it asks for nothing.
class HeapCall {
  public:
    HeapCall(Routine routine, bool meets, const char* old_name = nullptr)
        : name(old_name ? (begin(routine), old_name) : begin(routine)),
          number_(meets ? count_allocation() : 0),
          turn_(isthmus_team_world, routine) {}

    // The last barrier of the call.
    void meet() const {
        barrier_world();
        require_allocation_of_all(name, number_);
    }

    const char* const name;

  private:
    const std::uint64_t number_;
    const Turn turn_;
};

void* allocate_plain(std::uint64_t size, std::uint64_t alignment) {
    return heap.allocate(size, alignment);
}

using Allocate = void*(std::uint64_t size, std::uint64_t alignment);

template <Allocate& kAllocate>
void* allocate_by(const HeapCall& call, std::uint64_t size, std::uint64_t alignment) {
    if (size == 0) return nullptr;
    void* block = nullptr;
    {
        const std::lock_guard lock(heap_guard);
        block = kAllocate(size, alignment);
        if (!block && job.me == 0) say_from(call.name, no_room_text(size, alignment));
    }
    call.meet();
    return block;
}

[[gnu::cold, gnu::noinline]] void* allocate_checked(const HeapCall& call, std::uint64_t size,
                                                    std::uint64_t alignment) {
    check_agreement(call.name, "size", size);
    check_agreement(call.name, "alignment", alignment);
    return allocate_by<guarded::allocate>(call, size, alignment);
}

void* allocate(const HeapCall& call, std::uint64_t size, std::uint64_t alignment) {
    if (job.checked) [[unlikely]]
        return allocate_checked(call, size, alignment);
    return allocate_by<allocate_plain>(call, size, alignment);
}

// Bytes of the block; ends the job if there is none at this address.
std::uint64_t require_block(const char* routine, void* block) {
    const std::lock_guard lock(heap_guard);
    if (const std::uint64_t bytes = heap.block_size(block); bytes != 0) return bytes;
    refuse(routine, Text("address ", InHex(block),
                         " is not the beginning of a block of the symmetric heap: ",
                         heap.range().contains(block) ? heap.describe(block)
                                                      : Text("it lies outside the heap")));
}

void release(void* block) {
    const std::lock_guard lock(heap_guard);
    heap.release(block);
}

// Checked mode: all PEs name the same block, or none.
[[gnu::cold, gnu::noinline]] std::uint64_t require_same_block(const char* routine, void* block) {
    const std::uint64_t bytes = block ? require_block(routine, block) : 0;
    check_agreement(routine, "the block", block ? heap.offset_of(block) : kNull);
    return bytes;
}

[[gnu::cold, gnu::noinline]] void free_checked(const HeapCall& call, void* block) {
    require_same_block(call.name, block);
    call.meet();
    if (!block) return;
    const std::lock_guard lock(heap_guard);
    guarded::release(call.name, block);
}

// True if it has stayed in its place.
bool resize_checked(const HeapCall& call, void* block, std::uint64_t old_size, std::uint64_t size) {
    {
        const std::lock_guard lock(heap_guard);
        if (guarded::moves(std::min(old_size, size))) return false;
    }
    check_agreement(call.name, "size", size);
    {
        const std::lock_guard lock(heap_guard);
        if (!guarded::resize(call.name, block, size)) return false;
    }
    call.meet();
    return true;
}

// Mostly into another block, so that addresses of the old one are found wrong.
[[gnu::cold, gnu::noinline]] void* reallocate_checked(const HeapCall& call, void* old,
                                                      std::uint64_t size) {
    const std::uint64_t old_size = require_same_block(call.name, old);
    if (old && size != 0 && resize_checked(call, old, old_size, size)) return old;
    void* const block = allocate_checked(call, size, 1);
    if (!old || (!block && size != 0)) return block;
    if (block) copy(block, old, old_size < size ? old_size : size);
    call.meet();
    const std::lock_guard lock(heap_guard);
    guarded::release(call.name, old);
    return block;
}

// By both names.
void* allocate_aligned(const HeapCall& call, std::size_t alignment, std::size_t size) {
    // Editions 1.3 and 1.4 of the standard had no limit.
    constexpr std::size_t kMost = ~std::size_t{0} / 2 + 1;
    if (alignment == 0 || alignment > kMost)
        refuse(call.name, "alignment " + std::to_string(alignment) + " is out of range 1..2^63");
    const std::size_t next = std::bit_ceil(alignment);
    if (alignment != next)
        advise(call.name, "alignment " + std::to_string(alignment) +
                              " is not a power of two, which the standard asks for since 1.5; the "
                              "block is aligned to " +
                              std::to_string(next));
    else if (alignment < sizeof(void*))
        advise(call.name, "alignment " + std::to_string(alignment) +
                              " is less than the size of a pointer, which the standard asks for "
                              "since 1.5; the block is aligned to that");
    return allocate(call, size, next);
}

}  // namespace
}  // namespace isthmus::shmem

using namespace isthmus;
using namespace isthmus::shmem;

ISTHMUS_API void* pshmem_malloc(size_t size) {
    const HeapCall call(Routine::malloc, size != 0);
    return allocate(call, size, 1);
}

ISTHMUS_API void* pshmem_malloc_with_hints(size_t size, long hints) {
    const HeapCall call(Routine::malloc_with_hints, size != 0);
    constexpr long kKnown = SHMEM_MALLOC_ATOMICS_REMOTE | SHMEM_MALLOC_SIGNAL_REMOTE;
    if (hints & ~kKnown)
        advise(call.name, "hints " + std::to_string(hints) +
                              " has bits other than SHMEM_MALLOC_ATOMICS_REMOTE and "
                              "SHMEM_MALLOC_SIGNAL_REMOTE, which are ignored");
    if (job.checked) [[unlikely]]
        check_agreement(call.name, "hints", static_cast<std::uint64_t>(hints));
    // All memory serves atomics and signals alike.
    return allocate(call, size, 1);
}

ISTHMUS_API void* pshmem_align(size_t alignment, size_t size) {
    const HeapCall call(Routine::align, size != 0);
    return allocate_aligned(call, alignment, size);
}

ISTHMUS_API void* pshmem_calloc(size_t count, size_t size) {
    const HeapCall call(Routine::calloc, count != 0 && size != 0);
    std::size_t bytes = 0;
    if (__builtin_mul_overflow(count, size, &bytes))
        bytes = std::numeric_limits<std::size_t>::max();
    void* const block = allocate(call, bytes, 1);
    if (!block) return nullptr;
    std::memset(block, 0, bytes);
    call.meet();
    return block;
}

ISTHMUS_API void pshmem_free(void* ptr) {
    const HeapCall call(Routine::free, true);
    if (job.checked) [[unlikely]]
        return free_checked(call, ptr);
    if (ptr) require_block(call.name, ptr);
    call.meet();
    if (ptr) release(ptr);
}

ISTHMUS_API void* pshmem_realloc(void* ptr, size_t size) {
    const HeapCall call(Routine::realloc, ptr || size != 0);
    if (job.checked) [[unlikely]]
        return reallocate_checked(call, ptr, size);
    const std::uint64_t old_size = ptr ? require_block(call.name, ptr) : 0;
    if (!ptr) return allocate(call, size, 1);
    if (size == 0) {
        call.meet();
        release(ptr);
        return nullptr;
    }
    bool in_place = false;
    {
        const std::lock_guard lock(heap_guard);
        in_place = heap.resize(ptr, size);
    }
    if (in_place) {
        call.meet();
        return ptr;
    }
    void* const block = allocate(call, size, 1);
    if (!block) return nullptr;
    copy(block, ptr, old_size < size ? old_size : size);
    call.meet();
    release(ptr);
    return block;
}

// Checked mode: in no block, or in one that was freed. A program may only compute with it, as with
// the end of a block.
[[gnu::cold, gnu::noinline]] static void tell_no_block(const void* address, const char* routine) {
    constexpr int kMost = 8;
    static std::atomic<int> told = 0;
    const Text why = why_not_usable(address, 1);
    if (!why.empty() && told.fetch_add(1, std::memory_order_relaxed) < kMost)
        say_from(called(routine), why.c_str());
}

void* isthmus::shmem::point_at(const void* dest, int pe, const char* routine) {
    if (!is_symmetric(dest, 1)) return nullptr;
    if (job.checked && job.heap.contains(dest) && !block_map.covers(dest, 1)) [[unlikely]]
        tell_no_block(dest, routine);
    return is_near(pe) ? guarded::point_at(dest, pe) : nullptr;
}

ISTHMUS_API void* pshmem_ptr(const void* dest, int pe) {
    require_running("shmem_ptr");
    if (pe < 0 || pe >= job.pes) return nullptr;
    return point_at(dest, pe, "shmem_ptr");
}

// For the profiling library.
ISTHMUS_API void isthmus_heap_use(std::uint64_t* most, std::uint64_t* size) {
    const std::lock_guard lock(heap_guard);
    *most = heap.high_water();
    *size = heap.range().size;
}

SHMEM_TABLE_MEMORY(ISTHMUS_ALIAS)

// Names from before 1.2.
ISTHMUS_API __attribute__((weak)) void* shmalloc(size_t size) {
    return pshmem_malloc(size);
}
ISTHMUS_API __attribute__((weak)) void shfree(void* ptr) {
    pshmem_free(ptr);
}
ISTHMUS_API __attribute__((weak)) void* shrealloc(void* ptr, size_t size) {
    return pshmem_realloc(ptr, size);
}
ISTHMUS_API __attribute__((weak)) void* shmemalign(size_t alignment, size_t size) {
    const HeapCall call(Routine::align, size != 0, "shmemalign");
    return allocate_aligned(call, alignment, size);
}
