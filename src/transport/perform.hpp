// An atomic done by the processor of the PE whose memory it is: by a transport for a far PE, by the
// core for a near one that the window's test refused.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "transport/transport.hpp"

namespace isthmus::transport {

// Replaces the word by `wanted(word)`, if that is another value. Returns what it held.
template <typename T, typename Wanted>
inline T replace(T* word, Wanted&& wanted) {
    T seen = __atomic_load_n(word, __ATOMIC_SEQ_CST);
    for (;;) {
        const T next = wanted(seen);
        if (next == seen || __atomic_compare_exchange_n(word, &seen, next, true, __ATOMIC_SEQ_CST,
                                                        __ATOMIC_SEQ_CST))
            return seen;
    }
}

// Sequentially consistent, which the native interface promises of its atomics: partners are the
// same operations through the window, and the waits and fetches of the target's program. False if
// there is no such kind. Arithmetic wraps around.
template <typename T>
inline bool perform_on(T* word, const Atomic& atomic, std::uint64_t& before) {
    const auto operand = static_cast<T>(atomic.operand);
    switch (atomic.kind) {
        case AtomicKind::fetch: before = __atomic_load_n(word, __ATOMIC_SEQ_CST); return true;
        case AtomicKind::set: __atomic_store_n(word, operand, __ATOMIC_SEQ_CST); return true;
        case AtomicKind::swap:
            before = __atomic_exchange_n(word, operand, __ATOMIC_SEQ_CST);
            return true;
        case AtomicKind::compare_swap: {
            T expected = static_cast<T>(atomic.compare);
            __atomic_compare_exchange_n(word, &expected, operand, false, __ATOMIC_SEQ_CST,
                                        __ATOMIC_SEQ_CST);
            before = expected;
            return true;
        }
        case AtomicKind::add:
            before = __atomic_fetch_add(word, operand, __ATOMIC_SEQ_CST);
            return true;
        case AtomicKind::bit_and:
            before = __atomic_fetch_and(word, operand, __ATOMIC_SEQ_CST);
            return true;
        case AtomicKind::bit_or:
            before = __atomic_fetch_or(word, operand, __ATOMIC_SEQ_CST);
            return true;
        case AtomicKind::bit_xor:
            before = __atomic_fetch_xor(word, operand, __ATOMIC_SEQ_CST);
            return true;
        case AtomicKind::minimum:
        case AtomicKind::maximum: {
            using Signed = std::make_signed_t<T>;
            const bool least = atomic.kind == AtomicKind::minimum;
            before = replace(word, [=](T seen) {
                const bool below = static_cast<Signed>(operand) < static_cast<Signed>(seen);
                return below == least ? operand : seen;
            });
            return true;
        }
        case AtomicKind::count: break;
    }
    return false;
}

// Bytes that another PE put, into memory that the program may be polling: an aligned word of 4 or 8
// bytes comes whole. Relaxed: what is to be seen after them is ordered by the signal or the answer
// behind. Partners: loads of the target's program.
inline void store_words(char* to, const char* from, std::size_t bytes) {
    const auto one = [&]<typename T>(T word) {
        std::memcpy(&word, from, sizeof word);
        __atomic_store_n(reinterpret_cast<T*>(to), word, __ATOMIC_RELAXED);
        to += sizeof word;
        from += sizeof word;
        bytes -= sizeof word;
    };
    const auto is_at = [&](std::size_t multiple) {
        return reinterpret_cast<std::uintptr_t>(to) % multiple == 0;
    };
    while (bytes != 0) {
        if (bytes >= 8 && is_at(8))
            one(std::uint64_t{});
        else if (bytes >= 4 && is_at(4))
            one(std::uint32_t{});
        else
            one(std::uint8_t{});
    }
}

// False for a width or kind that there is not, or a word that is not aligned to its width.
inline bool perform(void* word, const Atomic& atomic, std::uint64_t& before) {
    if (atomic.width == 0 || reinterpret_cast<std::uintptr_t>(word) % atomic.width != 0)
        return false;
    switch (atomic.width) {
        case 2: return perform_on(static_cast<std::uint16_t*>(word), atomic, before);
        case 4: return perform_on(static_cast<std::uint32_t*>(word), atomic, before);
        case 8: return perform_on(static_cast<std::uint64_t*>(word), atomic, before);
        default: return false;
    }
}

}  // namespace isthmus::transport
