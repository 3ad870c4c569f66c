#include "core/segments/arena.hpp"

#include <isthmus/segment.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/lasting.hpp"
#include "base/os.hpp"
#include "core/job/arena_layout.hpp"
#include "core/job/heap.hpp"
#include "core/job/shown_window.hpp"
#include "core/job/window.hpp"
#include "core/reach/far.hpp"
#include "core/segments/directory.hpp"
#include "core/wait/status.hpp"

namespace isthmus {
namespace {

std::mutex guard;
Lasting<Heap> block_heap;
constinit Heap& blocks = *block_heap;

// The word of a page: the access of the segment there, whether the segment begins on it, and how
// many of its bytes are the segment's; or 0. Written by the owner. Relaxed: who knows of a segment
// has synchronised with whoever made it.
using PageWord = ArenaPageWord;
constexpr std::uint32_t kKept =
    ISTHMUS_READ_WRITE | ISTHMUS_TRANSFERS | ISTHMUS_ATOMICS | ISTHMUS_ALLOCATOR | ISTHMUS_QUEUE;
constexpr PageWord kFirstPage = 1u << 7;
constexpr int kUsedShift = 8;
static_assert(kKept < kFirstPage && kFirstPage < 1u << kUsedShift);

// As an address of this PE.
PageWord* page_word_at(std::uintptr_t address, int pe) {
    const std::uint64_t length = job.header->pe[pe].arena_size.load(std::memory_order_relaxed);
    auto* const table = reinterpret_cast<PageWord*>(arena_base() + length);
    return table + (address - arena_base()) / os::page_size();
}

PageWord* page_word(std::uintptr_t address, int pe) {
    return translate(page_word_at(address, pe), pe);
}

void describe_pages(void* block, std::uint64_t size, std::uint32_t access) {
    PageWord* word = page_word(reinterpret_cast<std::uintptr_t>(block), job.me);
    PageWord first = kFirstPage;
    for (std::uint64_t left = size; left != 0; ++word, first = 0) {
        const std::uint64_t used = std::min<std::uint64_t>(left, os::page_size());
        __atomic_store_n(word, static_cast<PageWord>(used << kUsedShift) | first | (access & kKept),
                         __ATOMIC_RELAXED);
        left -= used;
    }
}

void forget_pages(void* block, std::uint64_t size) {
    PageWord* const first = page_word(reinterpret_cast<std::uintptr_t>(block), job.me);
    for (std::uint64_t page = 0; page < size / os::page_size(); ++page)
        __atomic_store_n(first + page, 0, __ATOMIC_RELAXED);
}

}  // namespace

void begin_arena() {
    const std::lock_guard lock(guard);
    if (blocks.range().size != 0) return;  // an inner initialisation; other threads are at work
    blocks.reset(job.arena);
    open_directory();
    keep_window();
    job.native = true;
}

void end_arena() {
    const std::lock_guard lock(guard);
    blocks.reset({});
    job.native = false;
    if (job.arena.size != 0) discard_pages(job.arena.begin, arena_mapping_size(job.arena.size));
}

void* arena_allocate(std::uint64_t size, std::uint32_t access) {
    const std::lock_guard lock(guard);
    void* const block = blocks.allocate(os::page_up(size), os::page_size());
    if (block) describe_pages(block, size, access);
    return block;
}

void arena_release(void* block) {
    const std::lock_guard lock(guard);
    const std::uint64_t size = blocks.block_size(block);
    forget_pages(block, size);
    // The next owner of these pages expects zeros, and memory goes back to the system.
    discard_pages(reinterpret_cast<std::uintptr_t>(block), size);
    blocks.release(block);
}

std::uint64_t arena_free_bytes() {
    const std::lock_guard lock(guard);
    return blocks.free_bytes();
}

std::uint64_t arena_size() {
    return job.arena.size;
}

bool is_in_arena(const void* address, std::uint64_t size, int pe) {
    const Range arena{job.arena.begin,
                      job.header->pe[pe].arena_size.load(std::memory_order_relaxed)};
    return arena.contains(address) &&
           size <= arena.end() - reinterpret_cast<std::uintptr_t>(address);
}

std::uint32_t arena_access(const void* address, std::uint64_t size, int pe) {
    const auto begin = reinterpret_cast<std::uintptr_t>(address);
    const std::uintptr_t last_byte = begin + (size == 0 ? 0 : size - 1);
    const PageWord* first = page_word(begin, pe);
    const PageWord* last = page_word(last_byte, pe);
    std::vector<PageWord> fetched;
    if (!is_near(pe)) {
        const char* routine = "isthmus_symmetric_put";
        whole(routine, [&] { fetched.resize(static_cast<std::size_t>(last - first) + 1); });
        far::get(fetched.data(), page_word_at(begin, pe), fetched.size() * sizeof(PageWord), pe,
                 routine);
        first = fetched.data();
        last = &fetched.back();
    }
    PageWord word = 0;
    for (const PageWord* page = first; page <= last; ++page) {
        word = __atomic_load_n(page, __ATOMIC_RELAXED);
        if (word == 0 || (page != first && (word & kFirstPage) != 0)) return 0;
    }
    // Of the last page only can a part be nobody's, and one segment has one access.
    const std::uint64_t end = last_byte % os::page_size() + (size == 0 ? 0 : 1);
    return end <= word >> kUsedShift ? word & kKept : 0;
}

bool adopt_pages(void* pages, std::uint64_t size, void* block) {
    require_job_file("isthmus_segment_create");
    std::memcpy(block, pages, size);
    return os::map_shared(pages, size, job.file,
                          job_file_offset(reinterpret_cast<std::uintptr_t>(block)), true);
}

bool return_pages(void* pages, std::uint64_t size, const void* block) {
    // Fresh pages become part of the mapping beside them. Pages that were filled elsewhere and
    // moved here would stay a mapping of their own for ever, and a process may have only so many.
    if (mmap(pages, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) !=
        MAP_FAILED) {
        std::memcpy(pages, block, size);
        return true;
    }
    // The kernel looks for room first; but it may have taken the old pages away.
    const int reason = errno;
    if (job_file_is_open() &&
        !os::map_shared(pages, size, job.file,
                        job_file_offset(reinterpret_cast<std::uintptr_t>(block)), true))
        fail("isthmus_segment_destroy",
             "the memory at " + hexadecimal(pages) + " is lost: " + std::strerror(errno));
    errno = reason;
    return false;
}

void allow_execution(const std::vector<Range>& pages) {
    // Security modules and mounts may forbid it, for shared memory at least. The program then finds
    // out by a fault, as include/isthmus/segment.h says.
    for (const Range& range : pages)
        mprotect(reinterpret_cast<void*>(range.begin), range.size,
                 PROT_READ | PROT_WRITE | PROT_EXEC);
}

}  // namespace isthmus
