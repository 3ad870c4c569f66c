// Signalling operations (9.8): data, then a word that says that it is there.
#include <cstdint>
#include <string>

#include "api/shmem/closed_window.hpp"
#include "api/shmem/compare.hpp"
#include "api/shmem/export.hpp"
#include "base/error.hpp"
#include "base/seen_memory.hpp"
#include "base/text.hpp"
#include "core/copy/copy.hpp"
#include "core/job/fetch_watch.hpp"
#include "core/reach/operation.hpp"
#include "core/wait/wait.hpp"

using namespace isthmus;
using namespace isthmus::shmem;

namespace {

// The release orders the data before the signal (partner: the acquire in shmem_signal_fetch and
// shmem_signal_wait_until). copy_long has fenced its own streaming stores.
void raise_signal(std::uint64_t* there, std::uint64_t signal, int operation, const char* routine) {
    if (operation == SHMEM_SIGNAL_SET) {
        __atomic_store_n(there, signal, __ATOMIC_RELEASE);
    } else if (operation == SHMEM_SIGNAL_ADD) {
        __atomic_fetch_add(there, signal, __ATOMIC_ACQ_REL);
    } else {
        refuse(routine, "sig_op " + std::to_string(operation) +
                            " is neither SHMEM_SIGNAL_SET nor SHMEM_SIGNAL_ADD");
    }
}

far::Atomic signal_atomic(std::uint64_t signal, int operation, const char* routine) {
    if (operation != SHMEM_SIGNAL_SET && operation != SHMEM_SIGNAL_ADD) {
        std::uint64_t nowhere = 0;
        raise_signal(&nowhere, signal, operation, routine);  // says what is wrong
    }
    return {operation == SHMEM_SIGNAL_SET ? far::AtomicKind::set : far::AtomicKind::add, 8, signal,
            0};
}

[[gnu::noinline]] void signal_checked(std::uint64_t* sig_addr, std::uint64_t signal, int sig_op,
                                      int pe, const char* routine, shmem_ctx_t ctx) {
    // In checked mode, if nothing is wrong with it.
    if (char* const word = find_word<sizeof signal, sizeof signal>(sig_addr, pe))
        return raise_signal(reinterpret_cast<std::uint64_t*>(word), signal, sig_op, routine);
    const auto there = checked_target(sig_addr, sizeof signal, pe, routine);
    fetch_watch::did_otherwise();
    if (is_window_closed_for(pe))
        return raise_signal(translate(sig_addr, pe), signal, sig_op, routine);
    operation::post_atomic(there, sig_addr, pe, signal_atomic(signal, sig_op, routine), routine,
                           channel_of(ctx));
}
inline void update_signal(std::uint64_t* sig_addr, std::uint64_t signal, int sig_op, int pe,
                          const char* routine, shmem_ctx_t ctx = SHMEM_CTX_DEFAULT) {
    if (!reaches(pe)) [[unlikely]]
        return signal_checked(sig_addr, signal, sig_op, pe, routine, ctx);
    raise_signal(translate(sig_addr, pe), signal, sig_op, routine);
}

// Whether the signal is part of the data, which the standard forbids.
bool lies_within(const std::uint64_t* sig_addr, const void* dest, std::size_t bytes) {
    constexpr std::uintptr_t kBefore = sizeof *sig_addr - 1;
    const auto ahead =
        reinterpret_cast<std::uintptr_t>(sig_addr) - reinterpret_cast<std::uintptr_t>(dest);
    return bytes != 0 && ahead + kBefore < bytes + kBefore;
}
[[noreturn, gnu::cold, gnu::noinline]] void refuse_signal_within(std::size_t bytes,
                                                                 const std::uint64_t* sig_addr,
                                                                 const void* dest,
                                                                 const char* routine) {
    refuse(routine, Text("sig_addr ", InHex(sig_addr), " lies in dest (", bytes, " bytes at ",
                         InHex(dest), "); the signal must be no part of the data"));
}

template <auto& kPutSignal>
[[gnu::noinline]] void put_signal_checked(void* dest, const void* source, std::size_t bytes,
                                          std::uint64_t* sig_addr, std::uint64_t signal, int sig_op,
                                          int pe, const char* routine, shmem_ctx_t ctx) {
    // In checked mode, if nothing is wrong with either.
    char* const passed = may_pass() && !lies_within(sig_addr, dest, bytes)
                             ? find_word<sizeof signal, sizeof signal>(sig_addr, pe)
                             : nullptr;
    if (char* const block = passed ? find_block(dest, source, bytes, pe) : nullptr) {
        note(Routine::put_signal);
        transferring = routine;
        copy(block, source, bytes);
        return raise_signal(reinterpret_cast<std::uint64_t*>(passed), signal, sig_op, routine);
    }
    const auto there = checked_target(dest, bytes, pe, routine);
    fetch_watch::did_otherwise();
    if (is_window_closed_for(pe)) {
        copy(*there, source, bytes);
        return raise_signal(translate(sig_addr, pe), signal, sig_op, routine);
    }
    operation::Target word;
    if (there) note(Routine::put_signal);
    // Far signals are looked at by the road, where they lie; in checked mode here, too, for there
    // nobody knows who has sent one.
    if (there || job.checked) word = checked_target(sig_addr, sizeof signal, pe, routine);
    if (job.checked) {
        check_sides(seen_here(there, dest, pe), source, bytes, "source", routine);
        if (lies_within(sig_addr, dest, bytes))
            refuse_signal_within(bytes, sig_addr, dest, routine);
    }
    kPutSignal(there, word, dest, source, bytes, sig_addr, signal_atomic(signal, sig_op, routine),
               pe, routine, channel_of(ctx));
}
template <auto& kPutSignal>
void put_signal(void* dest, const void* source, std::size_t bytes, std::uint64_t* sig_addr,
                std::uint64_t signal, int sig_op, int pe, const char* routine,
                shmem_ctx_t ctx = SHMEM_CTX_DEFAULT) {
    if (!reaches(pe)) [[unlikely]]
        return put_signal_checked<kPutSignal>(dest, source, bytes, sig_addr, signal, sig_op, pe,
                                              routine, ctx);
    copy(translate(dest, pe), source, bytes);
    raise_signal(translate(sig_addr, pe), signal, sig_op, routine);
}

}  // namespace

#define PUT_SIGNAL(P, NAME, UNIT, HOW)                                                             \
    ISTHMUS_API void pshmem_##NAME(P* dest, const P* source, size_t nelems, uint64_t* sig_addr,    \
                                   uint64_t signal, int sig_op, int pe) {                          \
        put_signal<operation::HOW>(dest, source, block_bytes(nelems, UNIT, "shmem_" #NAME),        \
                                   sig_addr, signal, sig_op, pe, "shmem_" #NAME);                  \
    }                                                                                              \
    ISTHMUS_API void pshmem_ctx_##NAME(shmem_ctx_t ctx, P* dest, const P* source, size_t nelems,   \
                                       uint64_t* sig_addr, uint64_t signal, int sig_op, int pe) {  \
        put_signal<operation::HOW>(                                                                \
            dest, source, block_bytes(nelems, UNIT, "shmem_ctx_" #NAME), sig_addr, signal, sig_op, \
            ContextPe(ctx, pe, "shmem_ctx_" #NAME), "shmem_ctx_" #NAME, ctx);                      \
    }

#define TYPED(T, N)                                              \
    PUT_SIGNAL(T, N##_put_signal, sizeof(T), put_signal)         \
    PUT_SIGNAL(T, N##_put_signal_nbi, sizeof(T), put_signal_nbi) \
    SHMEM_TABLE_PUT_SIGNAL(ISTHMUS_ALIAS, T, N)
SHMEM_RMA_TYPES(TYPED)
#define SIZED(BITS)                                                      \
    PUT_SIGNAL(void, put##BITS##_signal, (BITS) / 8, put_signal)         \
    PUT_SIGNAL(void, put##BITS##_signal_nbi, (BITS) / 8, put_signal_nbi) \
    SHMEM_TABLE_PUT_SIGNAL_SIZED(ISTHMUS_ALIAS, BITS)
SHMEM_ELEMENT_SIZES(SIZED)

PUT_SIGNAL(void, putmem_signal, 1, put_signal)
PUT_SIGNAL(void, putmem_signal_nbi, 1, put_signal_nbi)

#define SIGNAL_UPDATE(NAME, OPERATION)                                                       \
    ISTHMUS_API void pshmem_##NAME(uint64_t* sig_addr, uint64_t signal, int pe) {            \
        update_signal(sig_addr, signal, OPERATION, pe, "shmem_" #NAME);                      \
    }                                                                                        \
    ISTHMUS_API void pshmem_ctx_##NAME(shmem_ctx_t ctx, uint64_t* sig_addr, uint64_t signal, \
                                       int pe) {                                             \
        update_signal(sig_addr, signal, OPERATION, ContextPe(ctx, pe, "shmem_ctx_" #NAME),   \
                      "shmem_ctx_" #NAME, ctx);                                              \
    }
SIGNAL_UPDATE(signal_set, SHMEM_SIGNAL_SET)
SIGNAL_UPDATE(signal_add, SHMEM_SIGNAL_ADD)

[[gnu::cold, gnu::noinline]] static std::uint64_t fetch_signal_closely(
    const std::uint64_t* signal) {
    check_watched("shmem_signal_fetch", signal, 1, sizeof *signal);
    const std::uint64_t value = __atomic_load_n(signal, __ATOMIC_ACQUIRE);
    fetch_watch::fetched(fetch_watch::Answer::fetches, signal, job.me, value);
    return value;
}
ISTHMUS_API uint64_t pshmem_signal_fetch(const uint64_t* sig_addr) {
    if (window.limit == 0 && !find_word<sizeof *sig_addr, sizeof *sig_addr>(
                                 sig_addr, static_cast<int>(window.me))) [[unlikely]]
        return fetch_signal_closely(sig_addr);
    return __atomic_load_n(sig_addr, __ATOMIC_ACQUIRE);
}

ISTHMUS_API uint64_t pshmem_signal_wait_until(uint64_t* sig_addr, int cmp, uint64_t cmp_value) {
    if (window.limit == 0) [[unlikely]]
        check_watched("shmem_signal_wait_until", sig_addr, 1, sizeof *sig_addr);
    require_comparison(cmp, "shmem_signal_wait_until");
    std::uint64_t seen = 0;
    const auto done = [&] {
        seen = __atomic_load_n(sig_addr, __ATOMIC_ACQUIRE);
        return compare(seen, cmp, cmp_value);
    };
    if (done()) return seen;
    check_reachable("shmem_signal_wait_until", sig_addr, sizeof seen);
    note(Routine::signal_wait_until);
    wait_for({Routine::signal_wait_until, -1, sig_addr, WaitFor::program, condition_of(cmp),
              sizeof seen, cmp_value},
             done);
    return seen;
}

SHMEM_TABLE_SIGNAL(ISTHMUS_ALIAS)
