// One put, get and atomic for every face: here it is decided whether the memory is reached by loads
// and stores or by the road. (The shortest routines of the faces test the window themselves and
// come here with what that test refuses.)
//
// A face first asks where the operand lies: find() where the PE is known to be one of the job, or a
// check of its own arguments that gives the same answer.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>

#include "core/copy/copy.hpp"
#include "core/job/job.hpp"
#include "core/job/window.hpp"
#include "core/reach/far.hpp"
#include "transport/perform.hpp"

namespace isthmus::operation {

// Where another PE's memory is found here; nothing if only the road leads there.
using Target = std::optional<char*>;

inline Target find(const void* address, int pe) {
    if (!is_near(pe)) return std::nullopt;
    return translate(static_cast<char*>(const_cast<void*>(address)), pe);
}

// The same, and serves others where only calls do (ISTHMUS_PROGRESS=0): a program may poll by it.
inline Target find_and_serve(const void* address, int pe) {
    const Target there = find(address, pe);
    if (there) far::serve_by_call();
    return there;
}

// In all of these `dest`, `source` and `word` of the other PE are this PE's own addresses of it,
// and `there` is its Target. `on` is what a far operation is issued on: the road, or a channel
// beside it (core/reach/channel.hpp).

inline void put(Target there, void* dest, const void* source, std::size_t bytes, int pe,
                const char* routine, far::Channel* on = far::road) {
    if (!there) return far::put(dest, source, bytes, pe, routine, on);
    copy(*there, source, bytes);
}
inline void get(Target there, void* dest, const void* source, std::size_t bytes, int pe,
                const char* routine) {
    if (!there) return far::get(dest, source, bytes, pe, routine);
    copy(dest, *there, bytes);
}
// Complete when quiet is: the buffers are in use until then.
inline void put_nbi(Target there, void* dest, const void* source, std::size_t bytes, int pe,
                    const char* routine, far::Channel* on = far::road) {
    if (!there) return far::put_nbi(dest, source, bytes, pe, routine, on);
    copy(*there, source, bytes);
}
inline void get_nbi(Target there, void* dest, const void* source, std::size_t bytes, int pe,
                    const char* routine, far::Channel* on = far::road) {
    if (!there) return far::get_nbi(dest, source, bytes, pe, routine, on);
    copy(dest, *there, bytes);
}

// By this processor. A word of 2, 4 or 8 bytes, aligned to that.
inline std::uint64_t perform_near(char* word, const far::Atomic& atomic) {
    std::uint64_t before = 0;
    switch (atomic.width) {
        case 2:
            transport::perform_on(reinterpret_cast<std::uint16_t*>(word), atomic, before);
            break;
        case 4:
            transport::perform_on(reinterpret_cast<std::uint32_t*>(word), atomic, before);
            break;
        default: transport::perform_on(reinterpret_cast<std::uint64_t*>(word), atomic, before);
    }
    return before;
}
// What the word held. Near, too, one that is not aligned is refused, as the road refuses it: who
// comes here has time for that.
inline std::uint64_t fetch_atomic(Target there, const void* word, int pe, const far::Atomic& atomic,
                                  const char* routine) {
    if (!there) return far::fetch_atomic(word, pe, atomic, routine);
    far::require_aligned(word, atomic.width, routine);
    return perform_near(*there, atomic);
}
inline void post_atomic(Target there, void* word, int pe, const far::Atomic& atomic,
                        const char* routine, far::Channel* on = far::road) {
    if (!there) return far::post_atomic(word, pe, atomic, routine, on);
    far::require_aligned(word, atomic.width, routine);
    perform_near(*there, atomic);
}

// The word is changed behind the data. Release: partner is the acquire of whoever waits for it.
inline void put_signal(Target there, Target word_there, void* dest, const void* source,
                       std::size_t bytes, std::uint64_t* word, const far::Atomic& signal, int pe,
                       const char* routine, far::Channel* on = far::road) {
    if (!there) return far::put_signal(dest, source, bytes, word, signal, pe, routine, on);
    far::require_aligned(word, signal.width, routine);
    copy(*there, source, bytes);
    post_atomic(word_there, word, pe, signal, routine, on);
}
// Complete when quiet is: source or result are in use until then.
inline void put_signal_nbi(Target there, Target word_there, void* dest, const void* source,
                           std::size_t bytes, std::uint64_t* word, const far::Atomic& signal,
                           int pe, const char* routine, far::Channel* on = far::road) {
    if (there)
        put_signal(there, word_there, dest, source, bytes, word, signal, pe, routine, on);
    else
        far::put_signal_nbi(dest, source, bytes, word, signal, pe, routine, on);
}
inline void fetch_atomic_nbi(Target there, const void* word, int pe, const far::Atomic& atomic,
                             void* result, const char* routine, far::Channel* on = far::road) {
    if (!there) return far::fetch_atomic_nbi(word, pe, atomic, result, routine, on);
    const std::uint64_t before = fetch_atomic(there, word, pe, atomic, routine);
    std::memcpy(result, &before, atomic.width);
}
// put_signal() with a word of the library's own that is set, and quiet does not wait for it
// (far::tell).
inline void tell(void* dest, const void* source, std::size_t bytes,
                 std::atomic<std::uint64_t>& word, std::uint64_t value, int pe,
                 const char* routine) {
    if (!is_near(pe))
        return far::tell(dest, source, bytes, reinterpret_cast<std::uint64_t*>(&word), value, pe,
                         routine);
    copy(translate(static_cast<char*>(dest), pe), source, bytes);
    translate(&word, pe)->store(value, std::memory_order_release);
}

}  // namespace isthmus::operation
