// Whether memory is mapped, asked often: what the kernel has said is remembered. Memory that has
// been unmapped since may pass; the fault that follows is explained by was_seen().
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <tuple>

namespace isthmus {

class SeenMemory {
  public:
    // At least one byte.
    bool is_mapped(const void* address, std::size_t bytes) {
        if (is_known(address, bytes)) [[likely]]
            return true;
        const auto first = reinterpret_cast<std::uintptr_t>(address);
        return ask(first, first + bytes - 1);
    }
    // The same without asking: false of what has not been asked, or is longer than kMostKnown.
    static constexpr std::size_t kMostKnown = 65536;
    bool is_known(const void* address, std::size_t bytes) const {
        const auto first = reinterpret_cast<std::uintptr_t>(address);
        const std::uintptr_t last = first + bytes - 1;
        if (last >> kChunk == first >> kChunk &&
            (knows(chunks_, first >> kChunk) ||
             (knows(pages_, first >> kPage) && knows(pages_, last >> kPage) &&
              (last >> kPage) - (first >> kPage) <= 1))) [[likely]]
            return true;
        return bytes - 1 < kMostKnown && knows_each(first, last);
    }
    // All of the aligned kChunkBytes around it have been seen.
    static constexpr std::uintptr_t kChunkBytes = std::uintptr_t{1} << 21;
    bool knows_chunk(const void* address) const {
        return knows(chunks_, reinterpret_cast<std::uintptr_t>(address) >> kChunk);
    }
    bool was_seen(std::uintptr_t address) const {
        return knows(chunks_, address >> kChunk) || knows(pages_, address >> kPage);
    }

  private:
    // Of 2 MiB, for large arrays; of 4 KiB, for what lies in small mappings. So many of each that
    // what is used in turn seldom shares a place: chunks do that 16 GiB apart, pages 32 MiB.
    static constexpr unsigned kChunk = 21;
    static constexpr unsigned kPage = 12;
    static_assert(kChunkBytes == std::uintptr_t{1} << kChunk);
    using Known = std::array<std::atomic<std::uintptr_t>, 8192>;

    // Relaxed: each number stands for itself. No number is 0: nothing lies there.
    static bool knows(const Known& known, std::uintptr_t number) {
        return known[number % std::tuple_size_v<Known>].load(std::memory_order_relaxed) == number &&
               number != 0;
    }
    static void remember(Known& known, std::uintptr_t number) {
        known[number % std::tuple_size_v<Known>].store(number, std::memory_order_relaxed);
    }
    bool ask(std::uintptr_t first, std::uintptr_t last);
    // Of all their pages.
    bool knows_each(std::uintptr_t first, std::uintptr_t last) const;

    Known chunks_{};
    Known pages_{};
};
extern SeenMemory seen_memory __attribute__((visibility("hidden")));

// Checked mode: whose transfer touches memory of this PE's own now, by its whole name. The frames
// of the slow ways do not tell it.
extern constinit thread_local const char* transferring
    __attribute__((visibility("hidden"), tls_model("initial-exec")));
// The same where only its address is known, and the name is null.
using AnyRoutine = void();
extern constinit thread_local AnyRoutine* transferring_routine
    __attribute__((visibility("hidden"), tls_model("initial-exec")));

}  // namespace isthmus
