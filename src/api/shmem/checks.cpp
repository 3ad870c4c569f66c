#include <cstdint>
#include <cstdio>
#include <string>

#include "api/shmem/export.hpp"
#include "base/error.hpp"
#include "base/os.hpp"
#include "core/job/job.hpp"
#include "core/reach/far.hpp"

namespace isthmus::shmem {

bool has_finalized() {
    // Relaxed: written by this PE.
    return !forked_child && job.header &&
           job.status().state.load(std::memory_order_relaxed) == PeState::finalized;
}

void require_running(const char* routine) {
    if (job.header && window.pes != 0 && attached()) [[likely]]
        return;
    if (forked_child)
        fail(routine,
             "called in a forked child, which is no PE; only the parent may call OpenSHMEM");
    fail(routine, has_finalized() ? "called after shmem_finalize" : "called before shmem_init");
}

void advise(const char* routine, const std::string& what) {
    if (job.checked && job.me == 0) say_from(routine, what);
}

void refuse_count(std::size_t elements, std::size_t unit, const char* routine) {
    fail(routine, std::to_string(elements) +
                      (unit == 1 ? " bytes" : " elements of " + std::to_string(unit) + " bytes") +
                      " are more than any symmetric memory holds");
}

operation::Target checked_target(const void* address, std::size_t bytes, int pe,
                                 const char* routine) {
    require_running(routine);
    if (pe < 0 || pe >= job.pes)
        fail(routine,
             "pe " + std::to_string(pe) + " is out of range 0.." + std::to_string(job.pes - 1));
    if (job.checked && bytes != 0) {
        if (const Text why = why_not_symmetric(address, bytes); !why.empty()) fail(routine, why);
    }
    return operation::find_and_serve(address, pe);
}

void check_reachable(const char* routine, const void* variables, std::size_t bytes) {
    require_running(routine);
    if (const Text reason = why_not_symmetric(variables, bytes); !reason.empty())
        fail(routine, reason);
}

int checked_context_pe(shmem_ctx_t context, int pe, const char* routine) {
    require_running(routine);
    if (context == SHMEM_CTX_INVALID) fail(routine, "the context is SHMEM_CTX_INVALID");
    if (!context->live) fail(routine, "the context has been destroyed");
    if (context->team->slot < 0) fail(routine, "the context's team has been destroyed");
    if (pe < 0 || pe >= context->team->size)
        fail(routine, "pe " + std::to_string(pe) + " is out of range 0.." +
                          std::to_string(context->team->size - 1) + " of the context's team");
    return context->team->world_pe(pe);
}

void check_overlap(const void* dest, const void* source, std::size_t bytes, const char* routine) {
    const auto to = reinterpret_cast<std::uintptr_t>(dest);
    const auto from = reinterpret_cast<std::uintptr_t>(source);
    if (!job.checked || to == from || bytes == 0) return;
    const std::uintptr_t distance = to > from ? to - from : from - to;
    if (distance < bytes)
        fail(routine, "source and dest overlap: they are " + std::to_string(distance) +
                          " bytes apart and " + std::to_string(bytes) + " bytes long");
}

void check_private(const void* address, std::size_t bytes, const char* side, const char* routine) {
    if (!job.checked || os::is_mapped(address, bytes)) return;
    if (address == nullptr) fail(routine, std::string(side) + " is null");
    fail(routine, std::string(side) + " " + hexadecimal(address) + " with its " +
                      std::to_string(bytes) + " bytes is not memory of this PE, or not all of it");
}

}  // namespace isthmus::shmem
