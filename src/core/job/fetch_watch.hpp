// What a PE that waits for nothing of ours fetches again and again, for the stall report: programs
// that poll by shmem_g, shmem_atomic_fetch, short gets or shmem_signal_fetch, and those that try to
// compare and swap.
//
// Nothing is counted on the short ways. Who is to be watched closes its window for a moment, so
// that each operation goes the way on which checked mode looks at it, and there it is noted; after
// some of them the window is open again. A program reads the window's limit with each operation,
// for it calls the library where the test fails.
#pragma once

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace isthmus::fetch_watch {

// What PeStatus::fetches tells: of an answer the rest stands where a wait would have its own, as
// the PE does not wait: waiting_for the PE, waiting_at the address there, waiting_value and
// waiting_width what came last.
enum class Answer : std::uint32_t {
    none,    // not asked yet, or no operation since
    varied,  // operations on this and that
    fetches,
    swaps
};

// Widths as in WaitTarget: negative of what is signed. Of floating numbers that much more; 0 if the
// value is none of these.
inline constexpr int kFloating = 32;
template <typename T>
constexpr int width_of() {
    constexpr auto kWidth = static_cast<int>(sizeof(T));
    if constexpr (sizeof(T) > 8)
        return 0;
    else if constexpr (std::is_floating_point_v<T>)
        return kFloating + kWidth;
    else if constexpr (std::is_signed_v<T>)
        return -kWidth;
    else
        return kWidth;
}

// What has been found last, for PEs of other hosts: those of this one read it in PeStatus, where
// the next wait writes over it, and a far fetch may be one.
struct Found {
    std::atomic<std::uint64_t> at = 0;
    std::atomic<std::uint64_t> value = 0;
    std::atomic<std::uint32_t> peer = 0;
    std::atomic<std::uint8_t> width = 0;
};
inline Found found;

// This PE is to be watched from now on. From a handler of a signal, or any thread.
void begin();
// What was closed: each 0 if it was so already. Plain words, as those that they are kept of.
struct Closed {
    std::uint32_t window = 0;
    std::uint32_t of_program = 0;
    std::uint32_t checked = 0;
    std::uint32_t checked_of_program = 0;
    std::uint32_t far = 0;
};
inline Closed closed;
inline std::atomic<bool> is_on = false;
// The window has been opened or closed meanwhile: it stays as it is. (Here, for the window knows
// nothing of who looks through it.)
inline void forget() {
    is_on.store(false, std::memory_order_relaxed);
    closed = {};
}
// Of operations on PEs of other hosts: closed in the same way, if not null. Set with the road.
extern std::uint32_t* far_limit __attribute__((visibility("hidden")));

// The signal that asks a PE of this host to begin. By default it does nothing, so that it harms no
// process that has it no more.
int signal_to_begin();
// This PE can be asked, unless the program catches that signal itself.
void catch_signal();

[[gnu::cold, gnu::noinline]] void note(Answer kind, const void* address, int pe, int width,
                                       std::uint64_t value);

// From the ways that look closely. Relaxed: plain information.
template <typename T>
inline void fetched(Answer kind, const void* address, int pe, const T& value) {
    if (!is_on.load(std::memory_order_relaxed)) [[likely]]
        return;
    std::uint64_t bits = 0;
    if constexpr (sizeof(T) <= 8) __builtin_memcpy(&bits, &value, sizeof value);
    note(kind, address, pe, width_of<T>(), bits);
}
// A block, of which nobody knows the type.
inline void fetched_block(const void* address, int pe, const void* here, std::size_t bytes) {
    if (!is_on.load(std::memory_order_relaxed)) [[likely]]
        return;
    std::uint64_t bits = 0;
    const bool is_word = std::has_single_bit(bytes) && bytes <= sizeof bits;
    if (is_word) __builtin_memcpy(&bits, here, bytes);
    note(Answer::fetches, address, pe, is_word ? -static_cast<int>(bytes) : 0, bits);
}
// Anything else.
inline void did_otherwise() {
    if (is_on.load(std::memory_order_relaxed)) [[unlikely]]
        note(Answer::varied, nullptr, -1, 0, 0);
}

}  // namespace isthmus::fetch_watch
