// The window as the library sees it (include/isthmus/window.h is what programs see).
// Hot path: translate() is one xor, one shift, one add.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "isthmus/checks.h"
#include "isthmus/window.h"

namespace isthmus {

struct Window {
    std::uint32_t me = 0;
    std::uint32_t limit = 0;  // 0: closed (not initialised, finalised, forked child, checked mode)
    std::uint32_t shift = ISTHMUS_WINDOW_SHIFT;
    std::uint32_t pes = 0;         // of the job; 0 unless initialised
    std::uint32_t open_limit = 0;  // what `limit` is when nothing forbids the fast path
    std::uint32_t host_pes = 0;    // PEs mapped on this host, by number
    std::uint32_t sole = 0;        // `limit`, if it reaches all PEs; else 0
};

// Written at set-up only, by one thread; read by all afterwards.
extern Window window __attribute__((visibility("hidden")));

inline const std::atomic<std::uint32_t> nothing_passes = 0;

// What checked mode passes in a few instructions: words of blocks that are in use, and of the
// program's static data, at PEs that are near. All zero, so that nothing passes, where the window
// is closed for another reason, or each call has to serve others. Written as the window.
struct CheckedWindow {
    std::uint32_t limit = 0;  // what the window's would be
    // The same; 0 while others ask what this PE fetches (core/job/fetch_watch.hpp).
    const std::atomic<std::uint32_t>* limit_now = &nothing_passes;
    std::uint32_t pes = 0;
    std::uintptr_t heap = 0;  // the program's part
    std::uint64_t heap_size = 0;
    const std::uint8_t* in_use = nullptr;  // core/job/block_map.hpp
    std::uintptr_t data = 0;
    std::uint64_t data_size = 0;
    std::uintptr_t thread = 0;  // that may call; 0: all
};
extern CheckedWindow checked_window __attribute__((visibility("hidden")));

// This PE's side of transfers, as far as the program passes it by itself (isthmus/checks.h): pages
// that are mapped and lie in nobody's heap. Memory that has been unmapped since may pass, as of
// SeenMemory.
class PassingPages {
  public:
    // Of address space; memory is occupied as pages become known, 8 bytes for each.
    static constexpr std::size_t kBytes = ISTHMUS_CHECKS_PAGES * sizeof(std::uintptr_t);

    // Nothing is known. False and errno if there is no room. There is no way back: a thread may
    // still be looking.
    bool open();
    // All on `address` to `bytes` behind it, at least one, or the whole pages around if
    // `with_chunk`; what other pages have the places of is left to them then.
    void add(const void* address, std::size_t bytes, bool with_chunk);
    const std::uintptr_t* begins() const {
        static_assert(sizeof(std::atomic<std::uintptr_t>) == sizeof(std::uintptr_t) &&
                      std::atomic<std::uintptr_t>::is_always_lock_free);
        return reinterpret_cast<const std::uintptr_t*>(begins_);
    }

  private:
    std::atomic<std::uintptr_t>& place_of(std::uintptr_t number) {
        return begins_[number % ISTHMUS_CHECKS_PAGES];
    }
    std::atomic<std::uintptr_t>* begins_ = nullptr;
};
extern PassingPages passing_pages __attribute__((visibility("hidden")));

inline bool reaches(int pe) {
    return (static_cast<std::uint32_t>(pe) ^ window.me) < window.limit;
}

template <typename T>
inline T* translate(T* address, int pe) {
    const auto slot = static_cast<std::uint64_t>(static_cast<std::uint32_t>(pe) ^ window.me);
    return reinterpret_cast<T*>(reinterpret_cast<std::uintptr_t>(address) + (slot << window.shift));
}

// Where the symmetric heap begins: the same number at every PE, clear of where Linux puts programs
// and libraries. The thread sanitizer allows programs only the lowest 512 GiB.
inline std::uintptr_t heap_base() {
    return window.shift >= 37 ? std::uintptr_t{0x2000'0000'0000} : std::uintptr_t{0x40'0000'0000};
}
inline std::uint64_t window_stride() {
    return std::uint64_t{1} << window.shift;
}
inline int window_slots() {
    return window.shift >= 37 ? 256 : 32;
}

// Opens and closes the fast path, here and in the program.
void open_window();
void close_window();
// What the inlined operations of the program pass by themselves: the same as `checked_window`, or
// nothing.
void open_checks();
void close_checks();

}  // namespace isthmus
