// Operations on memory of another PE that is mapped here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "transport/perform.hpp"

namespace isthmus::transport::late {

template <typename T>
inline bool move_word(void* dest, const void* source, std::size_t bytes) {
    const auto places =
        reinterpret_cast<std::uintptr_t>(dest) | reinterpret_cast<std::uintptr_t>(source);
    if (bytes != sizeof(T) || places % sizeof(T) != 0) return false;
    // Relaxed: a put or a get orders nothing.
    __atomic_store_n(static_cast<T*>(dest),
                     __atomic_load_n(static_cast<const T*>(source), __ATOMIC_RELAXED),
                     __ATOMIC_RELAXED);
    return true;
}

// An aligned word is never seen half done.
inline void move(void* dest, const void* source, std::size_t bytes) {
    if (move_word<std::uint64_t>(dest, source, bytes) ||
        move_word<std::uint32_t>(dest, source, bytes) ||
        move_word<std::uint16_t>(dest, source, bytes))
        return;
    std::memcpy(dest, source, bytes);
}

// What the word held.
inline std::uint64_t fetch_here(char* word, const Atomic& atomic) {
    std::uint64_t before = 0;
    switch (atomic.width) {
        case 2: perform_on(reinterpret_cast<std::uint16_t*>(word), atomic, before); break;
        case 4: perform_on(reinterpret_cast<std::uint32_t*>(word), atomic, before); break;
        default: perform_on(reinterpret_cast<std::uint64_t*>(word), atomic, before);
    }
    return before;
}

}  // namespace isthmus::transport::late
