// AddressSanitizer's interface, where the program has it: built with -fsanitize=address, it knows
// which bytes are no object's, and can be told of more.
#pragma once

#include <cstddef>

extern "C" {
// NOLINTBEGIN(bugprone-reserved-identifier)
__attribute__((weak, visibility("default"))) void __asan_poison_memory_region(const volatile void*,
                                                                              std::size_t);
__attribute__((weak, visibility("default"))) void __asan_unpoison_memory_region(
    const volatile void*, std::size_t);
__attribute__((weak, visibility("default"))) void* __asan_region_is_poisoned(void*, std::size_t);
// NOLINTEND(bugprone-reserved-identifier)
}

namespace isthmus::asan {

inline bool is_there() {
    return &__asan_region_is_poisoned != nullptr;
}

inline void poison(const void* begin, std::size_t bytes) {
    if (&__asan_poison_memory_region) __asan_poison_memory_region(begin, bytes);
}
inline void unpoison(const void* begin, std::size_t bytes) {
    if (&__asan_unpoison_memory_region) __asan_unpoison_memory_region(begin, bytes);
}
// The first byte that may not be touched; null if there is none, or nobody knows.
inline const void* first_poisoned(const void* begin, std::size_t bytes) {
    if (!is_there()) return nullptr;
    return __asan_region_is_poisoned(const_cast<void*>(begin), bytes);
}

}  // namespace isthmus::asan
