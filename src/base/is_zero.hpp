// Relaxed looks at words. Compilers load an atomic into a register before they compare it; on a
// path that is counted in instructions it is compared where it lies.
#pragma once

#include <atomic>
#include <cstdint>

namespace isthmus {

#if defined(__x86_64__)
[[gnu::always_inline]] inline bool is_zero(const std::atomic<std::uint16_t>& word) {
    bool zero;
    __asm__ __volatile__("cmpw $0, %1" : "=@ccz"(zero) : "m"(word));
    return zero;
}
[[gnu::always_inline]] inline bool is_zero(const std::atomic<std::uint32_t>& word) {
    bool zero;
    __asm__ __volatile__("cmpl $0, %1" : "=@ccz"(zero) : "m"(word));
    return zero;
}
// Of a word of this thread's own.
[[gnu::always_inline]] inline bool is_zero(const std::uint32_t& word) {
    bool zero;
    __asm__("cmpl $0, %1" : "=@ccz"(zero) : "m"(word));
    return zero;
}
[[gnu::always_inline]] inline bool is_zero(const std::atomic<std::uint64_t>& word) {
    bool zero;
    __asm__ __volatile__("cmpq $0, %1" : "=@ccz"(zero) : "m"(word));
    return zero;
}
[[gnu::always_inline]] inline bool is_less(const std::atomic<std::int64_t>& word,
                                           std::int64_t value) {
    bool less;
    __asm__ __volatile__("cmpq %2, %1" : "=@ccl"(less) : "m"(word), "r"(value));
    return less;
}
// Of a word that others use by atomic_ref.
[[gnu::always_inline]] inline bool is_below(const std::uint64_t& word, std::uint64_t value) {
    bool below;
    __asm__ __volatile__("cmpq %2, %1" : "=@ccb"(below) : "m"(word), "r"(value));
    return below;
}
[[gnu::always_inline]] inline bool is_equal(const std::atomic<std::uint64_t>& word,
                                            std::uint64_t value) {
    bool equal;
    __asm__ __volatile__("cmpq %2, %1" : "=@ccz"(equal) : "m"(word), "r"(value));
    return equal;
}
#else
inline bool is_zero(const std::atomic<std::uint16_t>& word) {
    return word.load(std::memory_order_relaxed) == 0;
}
inline bool is_zero(const std::atomic<std::uint32_t>& word) {
    return word.load(std::memory_order_relaxed) == 0;
}
inline bool is_zero(const std::uint32_t& word) {
    return word == 0;
}
inline bool is_zero(const std::atomic<std::uint64_t>& word) {
    return word.load(std::memory_order_relaxed) == 0;
}
inline bool is_less(const std::atomic<std::int64_t>& word, std::int64_t value) {
    return word.load(std::memory_order_relaxed) < value;
}
inline bool is_below(const std::uint64_t& word, std::uint64_t value) {
    return __atomic_load_n(&word, __ATOMIC_RELAXED) < value;
}
inline bool is_equal(const std::atomic<std::uint64_t>& word, std::uint64_t value) {
    return word.load(std::memory_order_relaxed) == value;
}
#endif

}  // namespace isthmus
