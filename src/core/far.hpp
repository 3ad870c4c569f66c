// Operations on PEs that the window does not reach. Everything here is behind a failed test of the
// window: a job on one host never comes here.
//
// Addresses are this PE's own, as everywhere above: what is at `address` here, at PE `pe`.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "core/window.hpp"
#include "transport/transport.hpp"

namespace isthmus {

// The PE is one of the job and its memory is mapped here. Where the window's test succeeds this is
// true; in checked mode, and where hosts do not hold an aligned power of two of PEs, it is true for
// others as well.
bool is_near(int pe);

namespace far {

using transport::Atomic;
using transport::AtomicKind;

// True if the job has PEs that are not near.
extern bool present __attribute__((visibility("hidden")));

// What the shortest operations need, in one place. Closed (`pes` 0, pointers null) before
// initialisation and after finalisation, in checked mode, and where the window's test refuses PEs
// that are near: then the routines below are asked, which look at everything.
struct View {
    std::uint32_t pes = 0;
    std::uintptr_t heap = 0;
    std::uint64_t heap_size = 0;
    transport::Transport* road = nullptr;
    const std::atomic<int>* before_quiet = nullptr;
    const std::atomic<int>* before_fence = nullptr;
};
extern View view __attribute__((visibility("hidden")));

// A word into the heap of a PE that the window's test has refused. False: ask put().
template <typename T>
inline bool put_word(T* dest, T value, int pe) {
    const std::uint64_t offset = reinterpret_cast<std::uintptr_t>(dest) - view.heap;
    if (static_cast<std::uint32_t>(pe) >= view.pes || offset > view.heap_size - sizeof(T))
        return false;
    view.road->put(pe, {transport::kHeap, offset}, &value, sizeof(T));
    return true;
}
// True if nothing is outstanding that quiet (fence) would see to. Acquire: partner is the release
// with which a transport counts down.
inline bool is_quiet() {
    return view.before_quiet && view.before_quiet->load(std::memory_order_acquire) == 0;
}
inline bool is_fenced() {
    return view.before_fence && view.before_fence->load(std::memory_order_acquire) == 0;
}

// Collective, at initialisation and finalisation. `open` loads the transport that the settings name
// and ends the job with a message if it cannot be had.
void open();
void close();
// In a forked child, which has neither the transport's thread nor its connections.
void abandon();
// What the transport does and how, for people; empty without one.
const char* description();

// Each ends the job with a message if the memory is not symmetric.
void put(void* dest, const void* source, std::size_t bytes, int pe, const char* routine);
void get(void* dest, const void* source, std::size_t bytes, int pe, const char* routine);
std::uint64_t fetch_atomic(const void* word, int pe, const Atomic& atomic, const char* routine);
void post_atomic(void* word, int pe, const Atomic& atomic, const char* routine);
void put_signal(void* dest, const void* source, std::size_t bytes, std::uint64_t* word,
                const Atomic& signal, int pe, const char* routine);
// Do nothing without far PEs.
void fence();
void quiet();
// Helps the transport along where no thread does. From the waits.
void progress();

}  // namespace far

// For what runs at set-up or between teams that reach across hosts: by the window if the PE is
// near, else by the transport.
void fetch_from(void* dest, const void* source, std::size_t bytes, int pe);
void store_to(void* dest, const void* source, std::size_t bytes, int pe);

}  // namespace isthmus
