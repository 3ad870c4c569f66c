// What every file of this face shares: symbols, and the way from arguments to memory.
//
// Hot path: reaches(pe), translate(), access. Everything else is behind checked_target(), which is
// cold, and core/reach/operation.hpp.
#pragma once

#include <shmem.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/this_thread.hpp"
#include "core/job/block_map.hpp"
#include "core/job/team.hpp"
#include "core/job/window.hpp"
#include "core/reach/channel.hpp"
#include "core/reach/operation.hpp"
#include "core/session/session.hpp"
#include "core/wait/wait.hpp"

#define ISTHMUS_API extern "C" __attribute__((visibility("default")))

// shmem_NAME is a weak alias of pshmem_NAME, which the same file defines: a tool may replace it.
#define ISTHMUS_ALIAS(R, NAME, PARAMETERS, ARGUMENTS) \
    ISTHMUS_API R shmem_##NAME PARAMETERS __attribute__((weak, alias("pshmem_" #NAME)));

namespace isthmus::shmem {

// Ends the job with a message if the library is not initialised, and in checked mode if this thread
// may not call it.
void require_running(const char* routine);
// Whether it was, and is no longer.
bool has_finalized();

// The same for the shortest routines, by one test: the window is open while the library is in use,
// but in checked mode.
inline void require_open(const char* routine) {
    if (window.limit == 0) [[unlikely]]
        require_running(routine);
}

// The same as require_running, and notes the call for the reports. Returns the routine's name.
inline const char* begin(Routine routine) {
    require_running(routine_name(routine));
    note(routine);
    return routine_name(routine);
}

// In checked mode PE 0 says what a program should not rely on, though it is accepted here; each
// word once.
[[gnu::cold]] void advise(const char* routine, const std::string& what);

// No operand is longer than a slot of the window.
inline constexpr std::uint64_t kMostBytes = std::uint64_t{1} << ISTHMUS_WINDOW_SHIFT;
[[noreturn, gnu::cold, gnu::noinline]] void refuse_count(std::size_t elements, std::size_t unit,
                                                         const char* routine);

// Bytes of so many elements; the largest number if there is no such number.
inline std::size_t saturated_bytes(std::size_t elements, std::size_t unit) {
    std::size_t bytes = 0;
    return __builtin_mul_overflow(elements, unit, &bytes) ? ~std::size_t{0} : bytes;
}
// The same; ends the job if it is more than there can be.
inline std::size_t block_bytes(std::size_t elements, std::size_t unit, const char* routine) {
    const std::size_t bytes = saturated_bytes(elements, unit);
    if (bytes > kMostBytes) [[unlikely]]
        refuse_count(elements, unit, routine);
    return bytes;
}

// The slow way to an operand at another PE, for whatever the window's test refused: says what is
// wrong with the arguments, or that nothing is, and returns where the operand lies (null where
// there are no bytes and the address is); nothing if only the transport reaches that PE.
[[gnu::cold, gnu::noinline]] operation::Target look_closely(const void* address, std::size_t bytes,
                                                            int pe, const char* routine);
// Checked mode, words: where the word lies if nothing is wrong with it, in some 20 instructions;
// else null, and checked_target() looks more closely. `Unit` is what atomics are aligned to.
template <std::size_t kBytes, std::size_t kUnit = 1>
[[gnu::always_inline]] inline char* find_word(const void* address, int pe) {
    const CheckedWindow& checked = checked_window;
    const auto at = reinterpret_cast<std::uintptr_t>(address);
    const std::uint32_t slot = static_cast<std::uint32_t>(pe) ^ window.me;
    const std::uint64_t from = at - checked.heap;
    constexpr std::uint64_t kGranule = BlockMap::kGranule;
    if (slot >= checked.limit_now->load(std::memory_order_relaxed) ||
        static_cast<std::uint32_t>(pe) >= checked.pes || at % kUnit != 0) [[unlikely]]
        return nullptr;
    if (from < checked.heap_size) [[likely]] {
        if (from % kGranule + kBytes > checked.in_use[from / kGranule]) [[unlikely]]
            return nullptr;
    } else if (at - checked.data >= checked.data_size ||
               checked.data_size - (at - checked.data) < kBytes) {
        return nullptr;
    }
    if (checked.thread != 0 && checked.thread != this_thread()) [[unlikely]]
        return nullptr;
    char* const there = reinterpret_cast<char*>(at + (std::uint64_t{slot} << window.shift));
    if (!there) __builtin_unreachable();  // spares the caller a test
    return there;
}
// The same for a block and this PE's side of it, `here`; longer ones are looked at closely. False
// at once outside checked mode.
inline constexpr std::size_t kMostPassing = 65536;
[[gnu::noinline]] char* find_block(const void* address, const void* here, std::size_t bytes,
                                   int pe);
inline bool may_pass() {
    return checked_window.limit != 0;
}
// Checked mode, in a few instructions: the session runs, and this thread may call.
inline bool does_caller_pass() {
    const CheckedWindow& checked = checked_window;
    return checked.limit != 0 && (checked.thread == 0 || checked.thread == this_thread());
}
// Where the operand lies if checked mode finds nothing wrong with it, words of blocks in a few
// instructions. Null otherwise, and outside checked mode.
[[gnu::noinline]] char* find_passing(const void* address, std::size_t bytes, int pe);
[[gnu::always_inline]] inline operation::Target checked_target(const void* address,
                                                               std::size_t bytes, int pe,
                                                               const char* routine) {
    char* const there = find_passing(address, bytes, pe);
    if (!there) [[unlikely]]
        return look_closely(address, bytes, pe, routine);
    return there;
}

// A wait on memory that no other PE can write would never end: ends the job instead.
[[gnu::cold, gnu::noinline]] void check_reachable(const char* routine, const void* variables,
                                                  std::size_t bytes);

// Whether an object of ours may lie there, by the address alone.
inline bool may_be_handle(const void* handle) {
    const auto at = reinterpret_cast<std::uintptr_t>(handle);
    return at >= 1 << 16 && at % alignof(void*) == 0;
}

// In front of a look at variables that others change, where the window is closed: the library runs,
// and in checked mode they are symmetric, aligned, and in one block. Serves others where only calls
// do.
[[gnu::cold, gnu::noinline]] void check_watched(const char* routine, const void* variables,
                                                std::size_t elements, std::size_t width);

// A context beside the default one: what goes to far PEs is issued on a channel of its own.
struct OwnContext : Context {
    far::OwnChannel channel;
    std::uintptr_t creator = this_thread();
    // Checked mode: the thread whose call uses a serialized context now; 0: none.
    std::atomic<std::uintptr_t> user{0};
};
// Checked mode: a private context is its creator's.
void check_creator(const OwnContext& context, const char* routine);

// A context beside the default one that a call may use, from a look at it on. Ends the job for an
// invalid context or PE, and in checked mode for a thread that may not use it.
struct Entered {
    int pe = 0;                   // its number in the world
    OwnContext* taken = nullptr;  // to be left behind the call
};
[[gnu::cold, gnu::noinline]] Entered enter_context(shmem_ctx_t context, int pe,
                                                   const char* routine);
[[gnu::cold, gnu::noinline]] void leave_context(OwnContext& context);

// The world number of `pe` in the context's team; lives as long as the call that it is for.
class ContextPe {
  public:
    [[gnu::always_inline]] ContextPe(shmem_ctx_t context, int pe, const char* routine)
        : entered_(context == SHMEM_CTX_DEFAULT ? Entered{pe, nullptr}
                                                : enter_context(context, pe, routine)) {}
    ContextPe(const ContextPe&) = delete;
    ContextPe& operator=(const ContextPe&) = delete;
    [[gnu::always_inline]] ~ContextPe() {
        if (entered_.taken) [[unlikely]]
            leave_context(*entered_.taken);
    }
    [[gnu::always_inline]] operator int() const { return entered_.pe; }

  private:
    const Entered entered_;
};
inline far::Channel* channel_of(shmem_ctx_t context) {
    return context == SHMEM_CTX_DEFAULT ? far::road
                                        : static_cast<OwnContext*>(context)->channel.get();
}

// Checked mode: this PE's side of a transfer must be memory, and lie in one block if it lies in the
// heap; `side` is "source" or "dest".
void check_private(const void* address, std::size_t bytes, const char* side, const char* routine);
// Where this PE sees the other side of a transfer, to compare it with its own; null: nowhere. With
// ISTHMUS_DELAY a PE is far from itself, and its memory is its memory.
inline const char* seen_here(operation::Target there, const void* remote, int pe) {
    if (there) return *there;
    return pe == job.me ? static_cast<const char*>(remote) : nullptr;
}
// The same, and it must not overlap in part with what is `seen` of the other side.
void check_sides(const char* seen, const void* here, std::size_t bytes, const char* side,
                 const char* routine);
// Where this PE sees what lies at a PE of the world; null if it does not. Checked mode has a line
// for what is in no block.
void* point_at(const void* dest, int pe, const char* routine);
// Checked mode, before the session ends: a line for each lock that this PE has not cleared.
void tell_held_locks(const char* routine);
// Checked mode: threads call as the level of the session allows.
[[noreturn, gnu::cold, gnu::noinline]] void refuse_thread(const char* routine);
inline bool is_thread_allowed() {
    // Relaxed: written at set-up.
    const std::uintptr_t only = session_thread.load(std::memory_order_relaxed);
    return only == 0 || only == this_thread();
}
inline void check_thread(const char* routine) {
    if (!is_thread_allowed()) [[unlikely]]
        refuse_thread(routine);
}
// The same for what may be called at any time, also before the session and behind it.
void check_thread_if_running(const char* routine);

}  // namespace isthmus::shmem
