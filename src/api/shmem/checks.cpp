#include <cstdint>
#include <cstdio>
#include <mutex>
#include <set>
#include <string>

#include "api/shmem/export.hpp"
#include "base/asan.hpp"
#include "base/error.hpp"
#include "base/seen_memory.hpp"
#include "base/this_thread.hpp"
#include "core/job/block_map.hpp"
#include "core/job/guarded_blocks.hpp"
#include "core/job/heap.hpp"
#include "core/job/job.hpp"
#include "core/job/shown_window.hpp"
#include "core/reach/far.hpp"
#include "core/session/session.hpp"
#include "core/wait/in_handler.hpp"

namespace isthmus::shmem {

bool has_finalized() {
    // Relaxed: written by this PE.
    return !forked_child && job.header &&
           job.status().state.load(std::memory_order_relaxed) == PeState::finalized;
}

void require_running(const char* routine) {
    if (job.header && window.pes != 0 && attached()) [[likely]] {
        if (job.checked && !does_caller_pass()) check_thread(routine);
        return;
    }
    if (forked_child)
        refuse(routine,
               "called in a forked child, which is no PE; only the parent may call OpenSHMEM");
    refuse(routine, has_finalized() ? "called after shmem_finalize" : "called before shmem_init");
}

// As often as there are different ones, up to that.
constexpr std::size_t kMostAdvice = 64;

void advise(const char* routine, const std::string& what) {
    if (!job.checked || job.me != 0) return;
    static std::mutex lock;
    static std::set<std::string> said;
    const std::lock_guard guard(lock);
    if (said.size() < kMostAdvice && said.insert(routine + what).second) say_from(routine, what);
}

void refuse_thread(const char* routine) {
    refuse(routine, std::string("called by another thread than the one that initialised, with ") +
                        (session_thread_level() == SHMEM_THREAD_SINGLE ? "SHMEM_THREAD_SINGLE"
                                                                       : "SHMEM_THREAD_FUNNELED") +
                        "; ask shmem_init_thread for SHMEM_THREAD_MULTIPLE");
}

void check_thread_if_running(const char* routine) {
    if (job.checked && session_count() != 0) check_thread(routine);
}

namespace {

// What lies at another PE: `bytes` are at least one.
inline void check_symmetric(const void* address, std::size_t bytes, const char* routine) {
    if (block_map.covers(address, bytes)) [[likely]]
        return;
    if (const Text why = why_not_usable(address, bytes); !why.empty()) refuse(routine, why);
}

// Of static data, where nobody knows more than where all of it ends.
inline bool is_in_data(const void* address, std::size_t bytes) {
    const std::uint64_t offset = reinterpret_cast<std::uintptr_t>(address) - job.data.begin;
    return block_map.is_open() && !asan::is_there() && offset < variables_bytes &&
           bytes <= variables_bytes - offset;
}

}  // namespace

void refuse_count(std::size_t elements, std::size_t unit, const char* routine) {
    refuse(routine, std::to_string(elements) +
                        (unit == 1 ? " bytes" : " elements of " + std::to_string(unit) + " bytes") +
                        " are more than any symmetric memory holds");
}

namespace {

// ISTHMUS_DELAY: this PE's own memory, if operations on it go by the road that is late. Those of a
// signal's handler go at once where it has interrupted a call there, which may hold its locks.
bool is_late_here(const void* address, int pe) {
    return far::view.is_late && pe == job.me && !far::is_marked() &&
           (job.heap.contains(address) || in_static_data(address));
}

char* find_there(const void* address, int pe) {
    return translate(static_cast<char*>(const_cast<void*>(address)), pe);
}

// Of a near PE, longer than a word, in static data, or to be served. Null: to be looked at closely.
[[gnu::noinline]] char* find_passing_more(const void* address, std::size_t bytes, int pe) {
    if (bytes == 0 || !(block_map.covers_any(address, bytes) || is_in_data(address, bytes)) ||
        !is_thread_allowed())
        return nullptr;
    far::serve_by_call();
    return find_there(address, pe);
}

}  // namespace

char* find_passing(const void* address, std::size_t bytes, int pe) {
    if (!is_near(pe) || is_late_here(address, pe)) [[unlikely]]
        return nullptr;
    if (!block_map.covers_short(address, bytes) || !is_thread_allowed() || far::served_by_calls)
        [[unlikely]]
        return find_passing_more(address, bytes, pe);
    return find_there(address, pe);
}

// From the third transfer on the program itself passes it: a fault there tells less than here, so
// that what is used once is left to the library. So is what is longer.
static void let_pass(const void* here, std::size_t bytes) {
    const auto mine = reinterpret_cast<std::uintptr_t>(here);
    const CheckedWindow& checked = checked_window;
    if (bytes <= ISTHMUS_CHECKS_GRANULE && mine - checked.heap >= std::uint64_t{checked.limit}
                                                                      << window.shift)
        passing_pages.add(here, bytes, seen_memory.knows_chunk(here));
}

char* find_block(const void* address, const void* here, std::size_t bytes, int pe) {
    const CheckedWindow& checked = checked_window;
    const auto at = reinterpret_cast<std::uintptr_t>(address);
    const auto mine = reinterpret_cast<std::uintptr_t>(here);
    const std::uint32_t slot = static_cast<std::uint32_t>(pe) ^ window.me;
    if (slot >= checked.limit_now->load(std::memory_order_relaxed) ||
        static_cast<std::uint32_t>(pe) >= checked.pes || bytes - 1 >= kMostPassing ||
        (checked.thread != 0 && checked.thread != this_thread())) [[unlikely]]
        return nullptr;
    // What is longer than a granule is in more than one.
    const auto is_in_block = [bytes](const void* first) {
        if (bytes <= BlockMap::kGranule) return block_map.covers(first, bytes);
        return bytes <= BlockMap::kFew ? block_map.covers_few(first, bytes)
                                       : block_map.covers_any(first, bytes);
    };
    const bool passes = at - checked.heap < checked.heap_size
                            ? is_in_block(address)
                            : at - checked.data < checked.data_size &&
                                  checked.data_size - (at - checked.data) >= bytes;
    const bool mine_passes = mine - checked.heap < checked.heap_size
                                 ? is_in_block(here)
                                 : seen_memory.is_known(here, bytes) ||
                                       (mine - checked.data < checked.data_size &&
                                        checked.data_size - (mine - checked.data) >= bytes);
    const std::uintptr_t there = at + (std::uint64_t{slot} << window.shift);
    // Apart by as many bytes at least, to either side, or the same.
    const std::uintptr_t ahead = there - mine;
    if (!passes || !mine_passes || (ahead != 0 && (ahead < bytes || 0 - ahead < bytes)))
        [[unlikely]]
        return nullptr;
    let_pass(here, bytes);
    return reinterpret_cast<char*>(there);
}

operation::Target look_closely(const void* address, std::size_t bytes, int pe,
                               const char* routine) {
    require_running(routine);
    open_shown_window();
    if (pe < 0 || pe >= job.pes)
        refuse(routine,
               "pe " + std::to_string(pe) + " is out of range 0.." + std::to_string(job.pes - 1));
    if (job.checked && bytes != 0) check_symmetric(address, bytes, routine);
    if (is_late_here(address, pe)) return std::nullopt;
    return operation::find_and_serve(address, pe);
}

void check_reachable(const char* routine, const void* variables, std::size_t bytes) {
    require_running(routine);
    if (is_wait_in_handler()) refuse_wait_in_handler(called(routine));
    if (const Text reason = why_not_usable(variables, bytes); !reason.empty())
        refuse(routine, reason);
}

void check_watched(const char* routine, const void* variables, std::size_t elements,
                   std::size_t width) {
    require_running(routine);
    open_shown_window();
    far::serve_by_call();
    if (!job.checked) return;
    const std::size_t bytes = block_bytes(elements, width, routine);
    if (bytes == 0) return;
    far::require_aligned(variables, static_cast<unsigned>(width), routine);
    if (!is_in_data(variables, bytes)) check_symmetric(variables, bytes, routine);
}

void check_creator(const OwnContext& context, const char* routine) {
    if (job.checked && (context.options & SHMEM_CTX_PRIVATE) != 0 &&
        context.creator != this_thread())
        refuse(routine, "the context is of SHMEM_CTX_PRIVATE, and another thread has created it");
}

namespace {

// The context, if it is this call that takes it and not one around it. Acquire and release: only so
// that a program that takes turns is not told for what the processor reorders.
OwnContext* take(OwnContext& context, const char* routine) {
    check_creator(context, routine);
    if ((context.options & SHMEM_CTX_SERIALIZED) == 0) return nullptr;
    std::uintptr_t user = 0;
    if (context.user.compare_exchange_strong(user, this_thread(), std::memory_order_acquire))
        return &context;
    if (user != this_thread())
        refuse(routine,
               "the context is of SHMEM_CTX_SERIALIZED, and another thread uses it at this moment");
    return nullptr;
}

}  // namespace

void leave_context(OwnContext& context) {
    context.user.store(0, std::memory_order_release);
}

Entered enter_context(shmem_ctx_t context, int pe, const char* routine) {
    require_running(routine);
    if (context == SHMEM_CTX_INVALID) refuse(routine, "the context is SHMEM_CTX_INVALID");
    if (!may_be_handle(context))
        refuse(routine, Text("the context ", InHex(context), " is none that a call has made"));
    if (!context->live)
        refuse(routine, Text("the context ", InHex(context),
                             " has been destroyed, or is none that a call has made"));
    if (context->team->slot < 0) refuse(routine, "the context's team has been destroyed");
    if (pe < 0 || pe >= context->team->size)
        refuse(routine, "pe " + std::to_string(pe) + " is out of range 0.." +
                            std::to_string(context->team->size - 1) + " of the context's team");
    OwnContext* const taken =
        job.checked ? take(*static_cast<OwnContext*>(context), routine) : nullptr;
    return {context->team->world_pe(pe), taken};
}

namespace {

void check_overlap(const void* dest, const void* source, std::size_t bytes, const char* routine) {
    const auto to = reinterpret_cast<std::uintptr_t>(dest);
    const auto from = reinterpret_cast<std::uintptr_t>(source);
    if (to == from || bytes == 0) return;
    const std::uintptr_t distance = to > from ? to - from : from - to;
    if (distance < bytes)
        refuse(routine, "source and dest overlap: they are " + std::to_string(distance) +
                            " bytes apart and " + std::to_string(bytes) + " bytes long");
}

[[noreturn, gnu::cold]] void refuse_private(const void* address, std::size_t bytes,
                                            const char* side, const char* routine) {
    if (address == nullptr) refuse(routine, std::string(side) + " is null");
    refuse(routine, std::string(side) + " " + hexadecimal(address) + " with its " +
                        std::to_string(bytes) +
                        " bytes is not memory of this PE, or not all of it");
}

// What has not been seen yet. The heap's inner part is mapped, but nobody's here, so that it never
// becomes known.
[[gnu::noinline]] void look_at_private(const void* address, std::size_t bytes, const char* side,
                                       const char* routine) {
    if (job.heap.contains(address))
        refuse(routine,
               Text(side, ": address ", InHex(address), " is in front of the symmetric heap, ",
                    heap.range().begin - reinterpret_cast<std::uintptr_t>(address),
                    " bytes before its first block"));
    if (!seen_memory.is_mapped(address, bytes)) refuse_private(address, bytes, side, routine);
}

}  // namespace

void check_private(const void* address, std::size_t bytes, const char* side, const char* routine) {
    transferring = routine;
    if (bytes == 0 || block_map.covers(address, bytes) || is_in_data(address, bytes)) return;
    if (block_map.contains(address)) {
        if (const Text why = why_not_usable(address, bytes); !why.empty())
            refuse(routine, Text(side, ": ", why));
    } else if (!seen_memory.is_known(address, bytes)) {
        look_at_private(address, bytes, side, routine);
    }
    if (const Text why = why_in_no_object(address, bytes); !why.empty()) [[unlikely]]
        refuse(routine, Text(side, *side != '\0' ? ": " : "", why));
}

void check_sides(const char* seen, const void* here, std::size_t bytes, const char* side,
                 const char* routine) {
    check_private(here, bytes, side, routine);
    if (seen) check_overlap(seen, here, bytes, routine);
}

}  // namespace isthmus::shmem
