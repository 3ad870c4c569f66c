// Which blocks this process has copied lately, and so will find in its caches. A guess, made from
// addresses: it decides how a block is copied, never what.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace isthmus {

class Recent {
  public:
    // Both ends of a copy that begins now were met while the last quarter of `reuse` bytes was
    // copied. Then that is all there is to do: the block throws nothing out of the caches, so it
    // does not count. Few registers, and no stores, which the copy's own would have to wait for.
    [[gnu::always_inline]] bool is_at_hand(const void* dest, const void* source,
                                           std::size_t reuse) const {
        // Relaxed, as everywhere: a word is whole, and all that is known is in it.
        const std::uint64_t now = clock_.load(std::memory_order_relaxed);
        const std::uint64_t at_most = reuse / kPage / 4;
        return age_of(dests_[place_of(dest)], dest, now) <= at_most &&
               age_of(sources_[place_of(source)], source, now) <= at_most;
    }

    // True if neither end was met while the last `reuse` bytes were copied: then both are in
    // memory, and not in a cache. Not for blocks at hand.
    bool note_fresh(const void* dest, const void* source, std::size_t bytes, std::size_t reuse) {
        // Not one instruction: an update that is lost between threads costs nothing.
        const std::uint64_t now = clock_.load(std::memory_order_relaxed);
        const std::uint64_t after = (now + bytes / kPage) & kClockMask;
        clock_.store(after, std::memory_order_relaxed);
        const std::uint64_t age = std::min(meet(dests_[place_of(dest)], dest, now, after),
                                           meet(sources_[place_of(source)], source, now, after));
        return age > reuse / kPage;
    }

    bool is_fresh(const void* dest, const void* source, std::size_t bytes, std::size_t reuse) {
        return !is_at_hand(dest, source, reuse) && note_fresh(dest, source, bytes, reuse);
    }

    // Blocks of kLongBlock or more that do not overlap have places of their own over so much.
    static constexpr std::size_t kSpan = std::size_t{16} << 20;

  private:
    using Places = std::array<std::atomic<std::uint64_t>, 1024>;

    // A place holds the page that a block began in, and the time when it was copied.
    static std::uint64_t page_of(const void* begin) {
        return reinterpret_cast<std::uintptr_t>(begin) / kPage;
    }
    static std::size_t place_of(const void* begin) {
        return page_of(begin) / kPagesApart % std::tuple_size_v<Places>;
    }
    static std::uint64_t entry(const void* begin, std::uint64_t time) {
        return page_of(begin) << kClockBits | time;
    }
    // In pages that were copied since; more than that ever is if the place is another block's.
    static std::uint64_t age_of(const std::atomic<std::uint64_t>& place, const void* begin,
                                std::uint64_t now) {
        return entry(begin, now) - place.load(std::memory_order_relaxed);
    }
    static std::uint64_t meet(std::atomic<std::uint64_t>& place, const void* begin,
                              std::uint64_t now, std::uint64_t after) {
        const std::uint64_t age = age_of(place, begin, now);
        place.store(entry(begin, after), std::memory_order_relaxed);
        return age;
    }

    static constexpr std::size_t kPage = 4096;
    static constexpr std::size_t kPagesApart = kSpan / kPage / std::tuple_size_v<Places>;
    static constexpr int kClockBits = 64 - 36;  // addresses have 48 bits: a page 36
    static constexpr std::uint64_t kClockMask = (std::uint64_t{1} << kClockBits) - 1;
    std::atomic<std::uint64_t> clock_{0};  // bytes of the long copies that count so far, in pages
    Places dests_{};
    Places sources_{};
};

}  // namespace isthmus
