#include "core/arena.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <string>

#include "base/error.hpp"
#include "base/os.hpp"
#include "base/settings.hpp"
#include "core/far.hpp"
#include "core/heap.hpp"
#include "core/host.hpp"
#include "core/window.hpp"

namespace isthmus {
namespace {

std::mutex guard;
Heap blocks;

std::uintptr_t arena_base() {
    return heap_base() + window_stride() / 4 * 3;
}

std::uint64_t wanted_size() {
    const std::uint64_t largest = window_stride() / 4;
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

void map_or_fail(int pe, std::uint64_t length) {
    char* const place = translate(reinterpret_cast<char*>(arena_base()), pe);
    const std::uint64_t offset = region(pe) + (arena_base() - heap_base());
    if (os::map_shared(place, length, memory_file(pe), offset, false)) return;
    fail("isthmus_init", "cannot map the arena of PE " + std::to_string(pe) + " (" +
                             format_size(length) + "): " + std::strerror(errno) +
                             "; lower ISTHMUS_ARENA_SIZE or raise the limit of address space "
                             "(ulimit -v)");
}

}  // namespace

void open_arena() {
    if (far::present)
        fail("isthmus_init",
             "the native interface serves the PEs of one host so far, and this job "
             "has PEs that only the transport reaches");
    if (job.arena.size == 0) {
        const std::uint64_t length = wanted_size();
        job.status().arena_size.store(length, std::memory_order_relaxed);
        start_barrier();
        for (int pe = 0; pe < job.pes; ++pe)
            map_or_fail(pe, job.header->pe[pe].arena_size.load(std::memory_order_relaxed));
        job.arena = {arena_base(), length};
    }
    const std::lock_guard lock(guard);
    if (blocks.range().size == 0) blocks.reset(job.arena);  // not at an inner initialisation
}

void close_arena() {
    const std::lock_guard lock(guard);
    blocks.reset({});
    if (job.arena.size != 0)
        os::discard(job.file, job_file_offset(job.arena.begin), job.arena.size);
}

void* arena_allocate(std::uint64_t size) {
    const std::lock_guard lock(guard);
    return blocks.allocate(os::page_up(size), os::page_size());
}

void arena_release(void* block) {
    const std::lock_guard lock(guard);
    const std::uint64_t size = blocks.block_size(block);
    // The next owner of these pages expects zeros, and memory goes back to the system.
    os::discard(job.file, job_file_offset(reinterpret_cast<std::uintptr_t>(block)), size);
    blocks.release(block);
}

std::uint64_t arena_free_bytes() {
    const std::lock_guard lock(guard);
    return blocks.free_bytes();
}

std::uint64_t arena_size() {
    return job.arena.size;
}

std::uint64_t job_file_offset(std::uintptr_t address) {
    return region(job.me) + (address - heap_base());
}

bool adopt_pages(void* pages, std::uint64_t size, void* block) {
    std::memcpy(block, pages, size);
    return os::map_shared(pages, size, job.file,
                          job_file_offset(reinterpret_cast<std::uintptr_t>(block)), true);
}

bool return_pages(void* pages, std::uint64_t size) {
    void* const copy =
        mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (copy == MAP_FAILED) return false;
    std::memcpy(copy, pages, size);
    return mremap(copy, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, pages) == pages;
}

}  // namespace isthmus
