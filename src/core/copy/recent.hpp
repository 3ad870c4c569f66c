// Which blocks this process has copied lately, and so will find in its caches. A guess, made from
// addresses: it decides how a block is copied, never what.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace isthmus {

class Recent {
  public:
    // Both ends of a copy that begins now. True if neither was met while the last `reuse` bytes
    // were copied: then both are in memory, and not in a cache.
    bool is_fresh(const void* dest, const void* source, std::size_t bytes, std::size_t reuse) {
        // Relaxed, and not one instruction: an update that is lost between threads costs nothing.
        const std::uint64_t now = clock_.load(std::memory_order_relaxed);
        const std::uint64_t after = now + bytes / kPage;
        clock_.store(after, std::memory_order_relaxed);
        const bool met_dest = meet(dests_, dest, now, after, reuse);
        return !meet(sources_, source, now, after, reuse) && !met_dest;
    }

  private:
    using Places = std::array<std::atomic<std::uint64_t>, 1024>;

    // A place holds the page that a block began in, and the time when it was copied.
    static bool meet(Places& places, const void* begin, std::uint64_t now, std::uint64_t after,
                     std::size_t reuse) {
        const std::uint64_t page = reinterpret_cast<std::uintptr_t>(begin) / kPage;
        std::atomic<std::uint64_t>& place = places[page / kPagesApart % places.size()];
        // Relaxed: a word is whole, and all that is known is in it.
        const std::uint64_t last = place.load(std::memory_order_relaxed);
        place.store(page << kClockBits | (after & kClockMask), std::memory_order_relaxed);
        return last >> kClockBits == page && ((now - last) & kClockMask) <= reuse / kPage;
    }

    static constexpr std::size_t kPage = 4096;
    // Blocks of kLongBlock or more that do not overlap have places of their own over 16 MB.
    static constexpr std::size_t kPagesApart = 4;
    static constexpr int kClockBits = 64 - 36;  // addresses have 48 bits: a page 36
    static constexpr std::uint64_t kClockMask = (std::uint64_t{1} << kClockBits) - 1;
    std::atomic<std::uint64_t> clock_{0};  // bytes of all long copies so far, in pages
    Places dests_{};
    Places sources_{};
};

}  // namespace isthmus
