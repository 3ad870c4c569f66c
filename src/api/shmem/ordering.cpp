// Memory ordering (9.12). On one host a put is a store: it is complete when it is visible, and the
// processor says when that is.
//
// Budgets, entry to return: quiet 4 instructions, fence 3; with PEs on other hosts and nothing
// outstanding, 11.
#include <atomic>

#include "api/shmem/export.hpp"
#include "base/error.hpp"
#include "core/job/job.hpp"
#include "core/reach/far.hpp"

using namespace isthmus;
using namespace isthmus::shmem;

namespace {

// Checked mode: the one thread that may call, where all PEs are on this host.
inline bool is_sole_caller() {
    return checked_window.thread == this_thread() && !far::present;
}

[[gnu::cold, gnu::noinline]] void quiet_otherwise(const char* routine) {
    if (!is_sole_caller()) {
        require_running(routine);
        far::quiet();
        far::serve_by_call();
    }
    std::atomic_thread_fence(std::memory_order_seq_cst);
}
[[gnu::cold, gnu::noinline]] void fence_otherwise(const char* routine) {
    if (!is_sole_caller()) {
        require_running(routine);
        far::fence();
        far::serve_by_call();
    }
    std::atomic_thread_fence(std::memory_order_acq_rel);
}

#if defined(__x86_64__)
// One compare with memory; the compiler makes a load and a test of it.
inline bool window_is_not_all() {
    bool closed;
    __asm__("cmpl $0, %1" : "=@ccz"(closed) : "m"(window.sole));
    return closed;
}
#else
inline bool window_is_not_all() {
    return window.sole == 0;
}
#endif

// Sequentially consistent: a get after quiet must not overtake the puts before it.
inline void quiet(const char* routine) {
    if (window_is_not_all()) [[unlikely]] {
        if (!far::is_quiet()) return quiet_otherwise(routine);
    }
    std::atomic_thread_fence(std::memory_order_seq_cst);
}

// Puts become visible in the order of the program on x86-64; elsewhere the fence makes them.
inline void fence(const char* routine) {
    if (window_is_not_all()) [[unlikely]] {
        if (!far::is_fenced()) return fence_otherwise(routine);
    }
    std::atomic_thread_fence(std::memory_order_acq_rel);
}

// False if there is nothing to order: the standard lets a program call these without asking whether
// it has a context.
inline bool has_context(shmem_ctx_t ctx, const char* routine) {
    if (ctx == SHMEM_CTX_DEFAULT) return true;
    if (ctx == SHMEM_CTX_INVALID) return false;
    const ContextPe any(ctx, 0, routine);  // looks at the context
    return true;
}

// Of PEs of the team. Waits for none but these.
void quiet_pes(shmem_ctx_t context, const int* target_pes, std::size_t npes, const char* routine) {
    const isthmus_team& team = *context->team;
    if (job.checked || window.sole == 0) require_running(routine);
    for (std::size_t i = 0; i < npes; ++i) {
        if (static_cast<unsigned>(target_pes[i]) >= static_cast<unsigned>(team.size)) [[unlikely]]
            refuse(routine, "pe " + std::to_string(target_pes[i]) + " is out of range 0.." +
                                std::to_string(team.size - 1));
    }
    if (npes == 0) return;
    if (far::Channel* const channel = channel_of(context)) {
        const far::OnRoad on_road(routine);
        constexpr std::size_t kAtATime = 64;
        int pes[kAtATime];
        for (std::size_t done = 0; done < npes;) {
            std::size_t count = 0;
            for (; count < kAtATime && done < npes; ++count, ++done)
                pes[count] = team.world_pe(target_pes[done]);
            channel->quiet(pes, count);
        }
    }
    far::serve_by_call();
    std::atomic_thread_fence(std::memory_order_seq_cst);
}

}  // namespace

ISTHMUS_API void pshmem_quiet(void) {
    quiet("shmem_quiet");
}
ISTHMUS_API void pshmem_fence(void) {
    fence("shmem_fence");
}

ISTHMUS_API void pshmem_ctx_quiet(shmem_ctx_t ctx) {
    if (!has_context(ctx, "shmem_ctx_quiet")) return;
    if (ctx == SHMEM_CTX_DEFAULT) return quiet("shmem_ctx_quiet");
    if (far::Channel* const channel = channel_of(ctx)) {
        const far::OnRoad on_road("shmem_ctx_quiet");
        channel->quiet();
    }
    far::serve_by_call();
    std::atomic_thread_fence(std::memory_order_seq_cst);
}

ISTHMUS_API void pshmem_ctx_fence(shmem_ctx_t ctx) {
    if (!has_context(ctx, "shmem_ctx_fence")) return;
    if (ctx == SHMEM_CTX_DEFAULT) return fence("shmem_ctx_fence");
    if (far::Channel* const channel = channel_of(ctx)) {
        const far::OnRoad on_road("shmem_ctx_fence");
        channel->fence();
    }
    far::serve_by_call();
    std::atomic_thread_fence(std::memory_order_acq_rel);
}

ISTHMUS_API void pshmem_pe_quiet(const int* target_pes, size_t npes) {
    quiet_pes(SHMEM_CTX_DEFAULT, target_pes, npes, "shmem_pe_quiet");
}

ISTHMUS_API void pshmem_ctx_pe_quiet(shmem_ctx_t ctx, const int* target_pes, size_t npes) {
    if (has_context(ctx, "shmem_ctx_pe_quiet"))
        quiet_pes(ctx, target_pes, npes, "shmem_ctx_pe_quiet");
}

SHMEM_TABLE_ORDERING(ISTHMUS_ALIAS)

// Cache control, deprecated since 1.3: caches are coherent.
ISTHMUS_API void pshmem_set_cache_inv(void) {
    check_thread_if_running("shmem_set_cache_inv");
}
ISTHMUS_API void pshmem_set_cache_line_inv(void*) {
    check_thread_if_running("shmem_set_cache_line_inv");
}
ISTHMUS_API void pshmem_clear_cache_inv(void) {
    check_thread_if_running("shmem_clear_cache_inv");
}
ISTHMUS_API void pshmem_clear_cache_line_inv(void*) {
    check_thread_if_running("shmem_clear_cache_line_inv");
}
ISTHMUS_API void pshmem_udcflush(void) {
    check_thread_if_running("shmem_udcflush");
}
ISTHMUS_API void pshmem_udcflush_line(void*) {
    check_thread_if_running("shmem_udcflush_line");
}
SHMEM_TABLE_CACHE(ISTHMUS_ALIAS)
