// The tag array of a set-associative cache with exact least-recently-used replacement. It stores no
// program data: the simulator keeps program data in one place, and caches only decide how long an
// access takes.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <type_traits>
#include <vector>

namespace isthmus::sim {

/// An array of zeroes that costs no memory until it is touched: 1024 nodes have 1024 second-level
/// caches.
template <class T>
requires std::is_trivially_copyable_v<T>
class ZeroedArray {
  public:
    explicit ZeroedArray(std::size_t size) : data_(static_cast<T*>(std::calloc(size, sizeof(T)))) {
        if (data_ == nullptr) throw std::bad_alloc();
    }
    T& operator[](std::size_t i) { return data_.get()[i]; }
    const T& operator[](std::size_t i) const { return data_.get()[i]; }

  private:
    struct Free {
        void operator()(T* data) const { std::free(data); }
    };
    std::unique_ptr<T, Free> data_;
};

/// Lines are named by number (address / line size). A slot is a place in the array; Meta is what
/// the owner keeps beside the tag. At most 16 ways; line numbers must stay below sets * (2^32 - 1).
template <class Meta>
class CacheArray {
  public:
    static constexpr std::size_t kNoSlot = ~std::size_t{0};

    CacheArray(std::uint64_t sets, std::uint64_t ways)
        : ways_(static_cast<unsigned>(ways)),
          set_bits_(static_cast<unsigned>(std::countr_zero(sets))),
          set_mask_(sets - 1),
          tags_(sets * ways),
          recency_(sets),
          meta_(sets * ways),
          sets_opened_together_(std::max<std::uint64_t>(1, kPage / (sizeof(std::uint32_t) * ways))),
          opened_(sets / sets_opened_together_ + 1) {}

    /// To be called before a line is looked for and then placed, in an array that is large enough
    /// to be mostly untouched. Writes to memory that has never been written to: were it read first,
    /// the system would put a page of zeroes there and, on the write that follows, take it away
    /// from every host thread.
    void open(std::uint64_t line) {
        const std::uint64_t group = (line & set_mask_) / sets_opened_together_;
        if (opened_[group]) return;
        opened_[group] = true;
        const std::uint64_t set = group * sets_opened_together_;
        tags_[set * ways_] = 0;
        recency_[set] = 0;
        meta_[set * ways_] = Meta{};
    }

    /// The slot that holds `line`, or kNoSlot.
    std::size_t find(std::uint64_t line) const {
        const std::size_t base = (line & set_mask_) * ways_;
        const std::uint32_t tag = tag_of(line);
        for (unsigned way = 0; way < ways_; ++way) {
            if (tags_[base + way] == tag) return base + way;
        }
        return kNoSlot;
    }
    /// Makes the slot the most recently used of its set.
    void touch(std::size_t slot) {
        std::uint64_t& stored = recency_[slot / ways_];
        const std::uint64_t order = stored ^ kIdentity;
        const std::uint64_t way = slot % ways_;
        if ((order & 15) == way) return;
        unsigned shift = 4;
        while ((order >> shift & 15) != way)
            shift += 4;
        const std::uint64_t below = (std::uint64_t{1} << shift) - 1;
        const std::uint64_t above = shift == 60 ? 0 : ~std::uint64_t{0} << (shift + 4);
        stored = ((order & above) | (order & below) << 4 | way) ^ kIdentity;
    }
    /// The slot that a new line should take: an empty one, or the least recently used of its set.
    std::size_t victim(std::uint64_t line) const {
        const std::size_t set = line & set_mask_, base = set * ways_;
        for (unsigned way = 0; way < ways_; ++way) {
            if (tags_[base + way] == 0) return base + way;
        }
        return base + ((recency_[set] ^ kIdentity) >> (4 * (ways_ - 1)) & 15);
    }
    bool valid(std::size_t slot) const { return tags_[slot] != 0; }
    /// The line in a valid slot.
    std::uint64_t line(std::size_t slot) const {
        return std::uint64_t{tags_[slot] - 1} << set_bits_ | slot / ways_;
    }
    void place(std::size_t slot, std::uint64_t line) {
        tags_[slot] = tag_of(line);
        touch(slot);
    }
    void remove(std::size_t slot) {
        tags_[slot] = 0;
        meta_[slot] = Meta{};
    }
    Meta& meta(std::size_t slot) { return meta_[slot]; }
    const Meta& meta(std::size_t slot) const { return meta_[slot]; }
    std::size_t slots() const { return (set_mask_ + 1) * ways_; }

  private:
    // Recency is a list of way numbers, four bits each, most recent lowest; kept as the difference
    // from 0,1,2,... so that zeroed memory is a valid start.
    static constexpr std::uint64_t kIdentity = 0xfedcba9876543210u;
    static constexpr std::uint64_t kPage = 4096;
    std::uint32_t tag_of(std::uint64_t line) const {
        return static_cast<std::uint32_t>(line >> set_bits_) + 1;
    }

    unsigned ways_, set_bits_;
    std::uint64_t set_mask_;
    ZeroedArray<std::uint32_t> tags_;
    ZeroedArray<std::uint64_t> recency_;
    ZeroedArray<Meta> meta_;
    std::uint64_t sets_opened_together_;
    std::vector<bool> opened_;
};

}  // namespace isthmus::sim
