// Operations on PEs that the window does not reach. Everything here is behind a failed test of the
// window: a job on one host never comes here.
//
// Addresses are this PE's own, as everywhere above: what is at `address` here, at PE `pe`.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "core/job/job.hpp"
#include "core/job/road.hpp"
#include "core/job/window.hpp"
#include "transport/transport.hpp"

namespace isthmus {

namespace far {

using transport::Atomic;
using transport::AtomicKind;
using transport::Channel;
using transport::Pending;

// What the shortest operations need, in one place. Closed before initialisation and after
// finalisation, in checked mode, and where the window's test refuses PEs that are near: then the
// routines below are asked, which look at everything.
struct View {
    // Of the heap, less the longest word. Closed: nothing lies in it.
    std::uintptr_t heap = ~std::uintptr_t{0};
    std::uint64_t last = 0;
    std::uint32_t pes = 0;
    transport::Transport* road = nullptr;
    transport::ShortCalls::Fetch* fetch = nullptr;
    transport::ShortCalls::Get* get = nullptr;
    void* self = nullptr;  // of these two
    const std::atomic<int>* before_quiet = nullptr;
    const std::atomic<int>* before_fence = nullptr;
    // ISTHMUS_DELAY: what the standard lets the road read late is to be read late, however short.
    bool is_late = false;
};
extern View view __attribute__((visibility("hidden")));

// The same for words that go straight to the road's call; `heap` and `last` close it.
struct Express {
    std::uintptr_t heap = ~std::uintptr_t{0};
    std::uint64_t last = 0;
    transport::ShortCalls call;
};
extern Express express __attribute__((visibility("hidden")));

inline constexpr std::size_t kWord = 16;  // no word is longer

template <typename Open>
inline std::uint64_t offset_in_heap(const Open& from, const void* address) {
    return reinterpret_cast<std::uintptr_t>(address) - from.heap;
}
// Whether the word lies in the heap; its offset there. False also while `from` is closed.
template <typename Open>
inline bool find_in_heap(const Open& from, const void* address, std::uint64_t& offset) {
    offset = offset_in_heap(from, address);
    return offset <= from.last;
}

// What the express way has not been able to send now.
[[gnu::cold, gnu::noinline]] void put_again(const void* dest, const void* source, std::size_t bytes,
                                            int pe);
template <typename T>
[[gnu::cold, gnu::noinline]] void put_word_again(const T* dest, T value, int pe) {
    put_again(dest, &value, sizeof(T), pe);
}
// Behind the first put to a PE since the last quiet.
[[gnu::cold, gnu::noinline]] void note_written(int pe);
// Where the road's call finds this memory of the PE's. False: there is no express way, or the
// memory is not published.
bool find_address(const void* memory, std::size_t bytes, int pe, transport::Address& address);
// By the transport, but not by the express way. False: ask put().
[[gnu::noinline]] bool put_otherwise(void* dest, const void* source, std::size_t bytes, int pe);
// The same on a channel beside the road's. Two functions, for an argument more costs the first
// three instructions.
[[gnu::noinline]] bool put_otherwise_on(Channel& on, void* dest, const void* source,
                                        std::size_t bytes, int pe);

// The express way. Looking up the key checks the PE.
[[gnu::always_inline]] inline bool is_taken(const void* source, std::size_t bytes,
                                            std::uint64_t offset, std::uint64_t pe) {
    const transport::ShortCalls& call = express.call;
    return call.put(call.put_road, source, bytes, pe, offset, call.keys[pe]) == 0;
}
[[gnu::always_inline]] inline void mark_written(int pe) {
    // Acquire: partner is the release of who sets it first, behind the flag that quiet looks at.
    if (express.call.written[pe].load(std::memory_order_acquire) == 0) [[unlikely]]
        note_written(pe);
}
// At an address that find_address() gave, and bytes behind it. False: it is not taken so, or not
// now.
[[gnu::always_inline]] inline bool put_express(const void* source, std::size_t bytes, int pe,
                                               const transport::Address& address) {
    const transport::ShortCalls& call = express.call;
    if (bytes - 1 >= call.longest ||
        call.put(call.put_road, source, bytes, static_cast<std::uint32_t>(pe), address.offset,
                 address.key) != 0) [[unlikely]]
        return false;
    mark_written(pe);
    return true;
}

// A word by the express way; false: it does not lie in the heap, or there is no such way. `to` is
// the PE, in the register in which ShortCalls::Put takes it. What is needed behind the call is
// kept beside the value, so that nothing is saved and restored.
template <typename T>
[[gnu::always_inline]] inline bool put_word(T* dest, T value, std::uint64_t to) {
    std::uint64_t offset = 0;
    if (!find_in_heap(express, dest, offset)) [[unlikely]]
        return false;
    struct {
        T value;
        int pe;
        T* dest;
    } frame{value, static_cast<int>(to), dest};
    if (!is_taken(&frame.value, sizeof(T), offset, to)) [[unlikely]]
        put_word_again(frame.dest, frame.value, frame.pe);
    mark_written(frame.pe);
    return true;
}
// A copy of the PE in that register; a test of the window may then work in the argument's own.
[[gnu::always_inline]] inline std::uint64_t fourth_argument(int pe) {
    auto to = static_cast<std::uint64_t>(static_cast<std::uint32_t>(pe));
#if defined(__x86_64__)
    __asm__("movl %1, %k0" : "=c"(to) : "r"(pe));
#endif
    return to;
}

// False: ask get().
template <typename T>
inline bool get_word(const T* source, T& value, int pe) {
    std::uint64_t offset = 0;
    if (static_cast<std::uint32_t>(pe) >= view.pes || !find_in_heap(view, source, offset))
        [[unlikely]]
        return false;
    view.get(view.self, &value, pe, offset, sizeof(T));
    return true;
}

// An atomic of a word in the heap that returns what it held. False: ask fetch_atomic().
template <AtomicKind kind, typename T>
inline bool fetch_word(const T* word, T operand, T compare, T& before, int pe) {
    std::uint64_t offset = 0;
    if (static_cast<std::uint32_t>(pe) >= view.pes || !find_in_heap(view, word, offset) ||
        offset % sizeof(T) != 0) [[unlikely]]
        return false;
    before = static_cast<T>(view.fetch(view.self, operand, pe, offset,
                                       transport::atomic_code(kind, sizeof(T)), compare));
    return true;
}

// True if nothing is outstanding that quiet (fence) would see to; false if that cannot be told from
// a number. Acquire: partner is the release with which a transport says that all answers are there.
inline bool is_zero(const std::atomic<int>* before) {
    return before && before->load(std::memory_order_acquire) == 0;
}
inline bool is_quiet() {
    return is_zero(view.before_quiet);
}
inline bool is_fenced() {
    return is_zero(view.before_fence);
}

// The PE whose key the express way has faulted for; -1 if the fault is another.
std::int64_t pe_of_fault(std::uintptr_t address);

// Each ends the job with a message if the memory is not symmetric. `on` is what it is issued on:
// the road, or a channel beside it.
void put(void* dest, const void* source, std::size_t bytes, int pe, const char* routine,
         Channel* on = road);
void get(void* dest, const void* source, std::size_t bytes, int pe, const char* routine);
// The same, complete when quiet() is: the buffers are in use until then.
void put_nbi(void* dest, const void* source, std::size_t bytes, int pe, const char* routine,
             Channel* on = road);
void get_nbi(void* dest, const void* source, std::size_t bytes, int pe, const char* routine,
             Channel* on = road);
// Ends the job: words of so many bytes are aligned to them.
[[noreturn, gnu::cold]] void refuse_alignment(const void* word, unsigned width,
                                              const char* routine);
// `width` is a power of two.
inline void require_aligned(const void* word, unsigned width, const char* routine) {
    if ((reinterpret_cast<std::uintptr_t>(word) & (width - 1)) != 0) [[unlikely]]
        refuse_alignment(word, width, routine);
}
std::uint64_t fetch_atomic(const void* word, int pe, const Atomic& atomic, const char* routine);
void post_atomic(void* word, int pe, const Atomic& atomic, const char* routine, Channel* on = road);
void put_signal(void* dest, const void* source, std::size_t bytes, std::uint64_t* word,
                const Atomic& signal, int pe, const char* routine, Channel* on = road);
// Complete when quiet() is: the source or the result is in use until then.
void put_signal_nbi(void* dest, const void* source, std::size_t bytes, std::uint64_t* word,
                    const Atomic& signal, int pe, const char* routine, Channel* on = road);
void fetch_atomic_nbi(const void* word, int pe, const Atomic& atomic, void* result,
                      const char* routine, Channel* on = road);
// Sets the word behind the data, and quiet does not wait for it: the answer of a protocol does. The
// library's own memory and operands that have been looked at. `bytes` may be 0.
void tell(void* dest, const void* source, std::size_t bytes, std::uint64_t* word,
          std::uint64_t value, int pe, const char* routine);
// Adds one to a word of the library's own, likewise.
void count_up(std::uint64_t* word, int pe);
// Do nothing without far PEs.
void fence();
void quiet();
// What follows as an atomic or a request comes behind the puts before.
void order_puts();
// As get(), of memory that is there; returns when the reads are under way, and adds their number to
// pending.left.
void begin_get(void* dest, const void* source, std::size_t bytes, int pe, Pending& pending,
               const char* routine);
void await(const Pending& pending, int pe);

// Waits for done(argument) as the core waits: the transport's Services::wait.
void wait_until_done(int pe, const char* what, bool (*done)(void*), void* argument);
// What a thread of the program waits for there, one of them if there are several; null: nothing.
const char* awaited();

// Requests that the core of the other PE serves (core/reach/request.hpp has the table). Any PE of
// the job, near ones too, but not this one.
void request(int pe, std::uint32_t handler, const void* payload, std::size_t bytes,
             Channel* on = road);
std::size_t ask(int pe, std::uint32_t handler, const void* payload, std::size_t bytes, void* answer,
                std::size_t room);

bool is_published(const void* address, std::size_t bytes);
// Where it lies, if that is the heap or the program's own static data. False: ask place_of(), where
// is_published() says that it may be asked.
[[gnu::always_inline]] inline bool find_common_place(const void* address, std::size_t bytes,
                                                     transport::Place& place) {
    const auto at = reinterpret_cast<std::uintptr_t>(address);
    const auto lies_in = [&](const Range& range) {
        place.offset = at - range.begin;
        return place.offset < range.size && bytes <= range.size - place.offset;
    };
    place.segment = transport::kHeap;
    if (lies_in(job.heap)) return true;
    place.segment = transport::kData;
    return lies_in(job.data);
}
// Where the memory lies in what is published; ends the job if it is not symmetric. And back, of
// this PE's: null if that is none.
transport::Place place_of(const void* address, std::size_t bytes, const char* routine);
char* own_memory(const transport::Place& place, std::size_t bytes);

// As quiet(), and sees to what tell() has sent as well.
void settle();

}  // namespace far

// For what runs at set-up or between teams that reach across hosts: by the window if the PE is
// near, else by the transport.
void fetch_from(void* dest, const void* source, std::size_t bytes, int pe);
void store_to(void* dest, const void* source, std::size_t bytes, int pe);

}  // namespace isthmus
