// What a PE that waits for nothing of ours fetches again and again, for the stall report: programs
// that poll by shmem_g, shmem_atomic_fetch, short gets or shmem_signal_fetch, and those that try to
// compare and swap.
//
// Nothing is counted on the short ways. Operations are noted where they go the way that looks at
// them closely, and somebody asks: in checked mode, whose shorter way is closed meanwhile, over a
// road to other hosts, whose short calls are, and the window (shown_window.hpp): in a job of one
// host by who asks, in a job of several by the PE's own thread of the road. After some of them it
// is open again, or after long enough.
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

// PEs of this host ask by PeStatus::unasked: it may be theirs, or this, which is never 0.
inline const std::atomic<std::uint32_t> nobody_asks = 1;
inline std::atomic<const std::atomic<std::uint32_t>*> unasked = &nobody_asks;
// Asked by a PE of another host.
inline std::atomic<bool> is_watched = false;
inline bool is_on() {
    constexpr auto kRelaxed = std::memory_order_relaxed;
    return unasked.load(kRelaxed)->load(kRelaxed) == 0 || is_watched.load(kRelaxed);
}

// From now on others can ask; `limit` is that of what passes in checked mode.
void let_ask(std::uint32_t limit);
// The short calls over a road, which are to be noted as well, until forget(). Closed before the
// window and open behind it: what a closed window refuses would go over the road, though it is
// near.
struct FarWays {
    void (*close)();
    void (*open)();
};
void watch_far(const FarWays& ways);
inline std::atomic<const FarWays*> far_ways = nullptr;
// Nobody can ask any more. (Here, for the window knows nothing of who looks through it; and without
// a lock, which a forked child might find held.)
inline void forget() {
    constexpr auto kRelaxed = std::memory_order_relaxed;
    unasked.store(&nobody_asks, kRelaxed);
    far_ways.store(nullptr, kRelaxed);
    is_watched.store(false, kRelaxed);
}
// This PE is to be watched from now on. From any thread.
void begin();
// Now and then, from the thread of a road: has a PE of this host asked, is it time to close the
// window as well, or is a look too old?
void look();
// From an operation on the long way: is anything closed for nobody?
void open_again();
// From whoever calls the library: whoever asks.
void open_at_once();

[[gnu::cold, gnu::noinline]] void note(Answer kind, const void* address, int pe, int width,
                                       std::uint64_t value);

// From the ways that look closely. Relaxed: plain information.
template <typename T>
inline void fetched(Answer kind, const void* address, int pe, const T& value) {
    if (!is_on()) [[likely]]
        return;
    std::uint64_t bits = 0;
    if constexpr (sizeof(T) <= 8) __builtin_memcpy(&bits, &value, sizeof value);
    note(kind, address, pe, width_of<T>(), bits);
}
// A block, of which nobody knows the type.
inline void fetched_block(const void* address, int pe, const void* here, std::size_t bytes) {
    if (!is_on()) [[likely]]
        return;
    std::uint64_t bits = 0;
    const bool is_word = std::has_single_bit(bytes) && bytes <= sizeof bits;
    if (is_word) __builtin_memcpy(&bits, here, bytes);
    note(Answer::fetches, address, pe, is_word ? -static_cast<int>(bytes) : 0, bits);
}
// Anything else.
inline void did_otherwise() {
    if (is_on()) [[unlikely]]
        note(Answer::varied, nullptr, -1, 0, 0);
}

}  // namespace isthmus::fetch_watch
