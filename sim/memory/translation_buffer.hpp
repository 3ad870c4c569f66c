// A translation lookaside buffer (TLB): set-associative, least recently used out first, pages of
// several sizes side by side. For time only: what an address means is decided elsewhere.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

namespace isthmus::sim {

class TranslationBuffer {
  public:
    /// An address or address space in forget() that stands for all.
    static constexpr std::uint64_t kAll = ~std::uint64_t{0};

    struct Entry {
        std::uint64_t page = 0;      // the virtual address without the bits within the page
        std::uint64_t physical = 0;  // where the page begins
        std::uint64_t asid = 0;
        std::uint8_t bits = 0;  // of an address within the page; 0: no entry
        bool global = false;
        std::uint64_t used = 0;  // when

        std::uint64_t address(std::uint64_t of) const {
            return physical | (of & ((std::uint64_t{1} << bits) - 1));
        }
    };

    /// `ways` divides `entries`, and the number of sets is a power of two.
    TranslationBuffer(std::uint64_t entries, std::uint64_t ways)
        : ways_(ways), set_mask_(entries / ways - 1), entries_(entries) {}

    /// The entry of an address, made the most recently used; null on a miss. Valid until the next
    /// insert.
    const Entry* find(std::uint64_t address, std::uint64_t asid) {
        if (last_ != nullptr && matches(*last_, address, asid)) {
            last_->used = ++now_;
            return last_;
        }
        for (const std::uint8_t bits : sizes_) {
            if (bits == 0) break;
            Entry* const set = set_of(address, bits);
            for (std::uint64_t way = 0; way < ways_; ++way) {
                if (set[way].bits != bits || !matches(set[way], address, asid)) continue;
                last_ = &set[way];
                last_->used = ++now_;
                return last_;
            }
        }
        return nullptr;
    }
    /// In the place of the least recently used one of its set.
    const Entry* insert(std::uint64_t address, std::uint64_t physical, std::uint64_t asid,
                        std::uint8_t bits, bool global) {
        const auto known = std::ranges::find_if(
            sizes_, [&](std::uint8_t size) { return size == 0 || size == bits; });
        if (known != sizes_.end()) *known = bits;
        Entry* const set = set_of(address, bits);
        Entry* const oldest = std::min_element(
            set, set + ways_, [](const Entry& a, const Entry& b) { return a.used < b.used; });
        const std::uint64_t within = (std::uint64_t{1} << bits) - 1;
        *oldest = Entry{address & ~within, physical & ~within, asid, bits, global, ++now_};
        return last_ = oldest;
    }
    /// Forgets what is of an address and an address space. A global entry is of none in particular
    /// and goes only where all are meant.
    void forget(std::uint64_t address, std::uint64_t asid) {
        for (Entry& entry : entries_) {
            if (entry.bits == 0) continue;
            if (asid != kAll && (entry.global || entry.asid != asid)) continue;
            if (address != kAll && (address ^ entry.page) >> entry.bits != 0) continue;
            entry = Entry{};
        }
        last_ = nullptr;
    }

  private:
    static bool matches(const Entry& entry, std::uint64_t address, std::uint64_t asid) {
        return entry.bits != 0 && (address ^ entry.page) >> entry.bits == 0 &&
               (entry.global || entry.asid == asid);
    }
    Entry* set_of(std::uint64_t address, std::uint8_t bits) {
        return &entries_[(address >> bits & set_mask_) * ways_];
    }

    std::uint64_t ways_, set_mask_, now_ = 0;
    std::vector<Entry> entries_;
    std::array<std::uint8_t, 4> sizes_{};  // that have been inserted
    Entry* last_ = nullptr;
};

}  // namespace isthmus::sim
