// Copying between PEs of a host. Short copies are a few moves of the processor; long ones take the
// loop that was chosen for this processor when the library was loaded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace isthmus {

// In all of these dest and source do not overlap, except that they may be equal.

// 17 to 128 bytes.
void copy_medium(void* dest, const void* source, std::size_t bytes);

// More than 128 bytes: the chosen loop. Written by a constructor, before the program has threads;
// valid before that too, since other constructors may copy.
inline constexpr std::size_t kMediumCopy = 128;
extern void (*copy_long)(void* dest, const void* source, std::size_t bytes)
    __attribute__((visibility("hidden")));

// The same for blocks of at least kPartOfWhole bytes of an operation that moves `whole` bytes in
// all. Chosen likewise.
inline constexpr std::size_t kPartOfWhole = 65536;
extern void (*copy_part)(std::size_t whole, void* dest, const void* source, std::size_t bytes)
    __attribute__((visibility("hidden")));

// Until the choice.
void copy_before_choice(void* dest, const void* source, std::size_t bytes);
void copy_part_before_choice(std::size_t whole, void* dest, const void* source, std::size_t bytes);

// Name of the chosen loop.
const char* copy_loop_name();

// Two overlapping words cover any length between one word and two.
template <typename Word>
[[gnu::always_inline]] inline void copy_two_words(char* dest, const char* source,
                                                  std::size_t bytes) {
    Word first;
    Word last;
    std::memcpy(&first, source, sizeof(Word));
    std::memcpy(&last, source + bytes - sizeof(Word), sizeof(Word));
    std::memcpy(dest, &first, sizeof(Word));
    std::memcpy(dest + bytes - sizeof(Word), &last, sizeof(Word));
}

// Any size; `copy_long` takes what is longer than kMediumCopy. Budget for 8 bytes: 9 instructions.
// 8 and 4 bytes come first and are single moves, so that a flag or a counter is never torn.
template <typename LongCopy>
[[gnu::always_inline]] inline void copy_block(void* dest, const void* source, std::size_t bytes,
                                              LongCopy&& copy_longer) {
    char* const to = static_cast<char*>(dest);
    const char* const from = static_cast<const char*>(source);
    if (bytes == 8) {
        std::memcpy(to, from, 8);
    } else if (bytes > kMediumCopy) {
        copy_longer(to, from, bytes);
    } else if (bytes > 16) {
        copy_medium(to, from, bytes);
    } else if (bytes > 8) {
        copy_two_words<std::uint64_t>(to, from, bytes);
    } else if (bytes == 4) {
        std::memcpy(to, from, 4);
    } else if (bytes > 4) {
        copy_two_words<std::uint32_t>(to, from, bytes);
    } else if (bytes >= 2) {
        copy_two_words<std::uint16_t>(to, from, bytes);
    } else if (bytes == 1) {
        *to = *from;
    }
}

inline void copy(void* dest, const void* source, std::size_t bytes) {
    copy_block(dest, source, bytes, copy_long);
}

// A block of an operation that moves `whole` bytes in all: whether the caches can hold it is a
// question of the operation.
inline void copy_within(std::size_t whole, void* dest, const void* source, std::size_t bytes) {
    if (bytes >= kPartOfWhole)
        copy_part(whole, dest, source, bytes);
    else
        copy(dest, source, bytes);
}

}  // namespace isthmus
