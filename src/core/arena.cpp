#include "core/arena.hpp"

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
#include "base/settings.hpp"
#include "core/collective.hpp"
#include "core/directory.hpp"
#include "core/exchange.hpp"
#include "core/far.hpp"
#include "core/heap.hpp"
#include "core/host.hpp"
#include "core/status.hpp"
#include "core/window.hpp"

namespace isthmus {
namespace {

std::mutex guard;
Lasting<Heap> block_heap;
constinit Heap& blocks = *block_heap;

std::uintptr_t arena_base() {
    return heap_base() + window_stride() / 4 * 3;
}

// Behind each arena lies a word for each of its pages: the access of the segment there, whether the
// segment begins on it, and how many of its bytes are the segment's; or 0. Written by the owner.
// Relaxed: who knows of a segment has synchronised with whoever made it.
using PageWord = std::uint32_t;
constexpr std::uint32_t kKept =
    ISTHMUS_READ_WRITE | ISTHMUS_TRANSFERS | ISTHMUS_ATOMICS | ISTHMUS_ALLOCATOR | ISTHMUS_QUEUE;
constexpr PageWord kFirstPage = 1u << 7;
constexpr int kUsedShift = 8;
static_assert(kKept < kFirstPage && kFirstPage < 1u << kUsedShift);

std::uint64_t table_size(std::uint64_t arena) {
    return os::page_up(arena / os::page_size() * sizeof(PageWord));
}

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

std::uint64_t wanted_size() {
    const std::uint64_t room = arena_room();
    const std::uint64_t largest = room - table_size(room);
    std::uint64_t wanted = os::page_up(size(Setting::arena_size, os::memory_size()));
    if (value(Setting::arena_size).origin == SettingOrigin::standard) {
        // Nobody asked: as much as fits, an eighth of a limited address space for all PEs' arenas.
        const std::uint64_t share =
            os::address_space_limit() / 8 / static_cast<std::uint64_t>(job.pes);
        wanted = std::min({wanted, os::page_down(share),
                           os::under_valgrind() ? std::uint64_t{256} << 20 : largest});
    }
    return std::clamp(wanted, std::uint64_t{os::page_size()}, largest);
}

void map_or_fail(int pe, std::uint64_t arena) {
    const std::uint64_t length = arena_mapping_size(arena);
    char* const place = translate(reinterpret_cast<char*>(arena_base()), pe);
    const std::uint64_t offset = region(pe) + (arena_base() - heap_base());
    if (os::map_shared(place, length, memory_file(pe), offset, false)) return;
    fail("isthmus_init", "cannot map the arena of PE " + std::to_string(pe) + " (" +
                             format_size(length) + "): " + std::strerror(errno) +
                             "; lower ISTHMUS_ARENA_SIZE or raise the limit of address space "
                             "(ulimit -v)");
}

// The PEs of other hosts have other headers: what this one must know of theirs is filled in.
void fill_in_far_sizes() {
    const std::uint64_t mine = job.arena.size;
    std::vector<std::uint64_t> sizes(static_cast<std::size_t>(job.pes));
    gather(&mine, sizeof mine, sizes.data());
    for (int pe = 0; pe < job.pes; ++pe) {
        if (!job.host.test(static_cast<std::size_t>(pe)))
            job.header->pe[pe].arena_size.store(sizes[static_cast<std::size_t>(pe)],
                                                std::memory_order_relaxed);
    }
}

}  // namespace

std::uint64_t arena_mapping_size(std::uint64_t arena) {
    return arena + table_size(arena);
}

std::uint64_t arena_room() {
    return window_stride() / 4;
}

void open_arena() {
    if (job.arena.size == 0) {
        const std::uint64_t length = wanted_size();
        job.status().arena_size.store(length, std::memory_order_relaxed);
        // What others ask of each other is answered before anybody stops in the process manager.
        if (far::present) barrier_world();
        start_barrier();
        require_job_file("isthmus_init");
        for (int pe = 0; pe < job.pes; ++pe) {
            if (is_near(pe))
                map_or_fail(pe, job.header->pe[pe].arena_size.load(std::memory_order_relaxed));
        }
        job.arena = {arena_base(), length};
        if (far::present) {
            fill_in_far_sizes();
            far::publish_arena();
        }
    }
    const std::lock_guard lock(guard);
    if (blocks.range().size != 0) return;  // an inner initialisation; other threads are at work
    blocks.reset(job.arena);
    open_directory();
    job.native = true;
}

void close_arena() {
    const std::lock_guard lock(guard);
    blocks.reset({});
    job.native = false;
    if (job.arena.size != 0)
        discard_pages(job.arena.begin, job.arena.size + table_size(job.arena.size));
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
