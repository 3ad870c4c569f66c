// Which pages of a memory have changed, and what was in them: snapshots share what did not change.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "sim/hart/address_space.hpp"
#include "sim/step/parameters.hpp"

namespace isthmus::sim {

class PageHistory {
  public:
    using Page = std::array<std::byte, kPageSize>;
    /// Pages by address; what is not there is zero.
    using Image = std::unordered_map<std::uint64_t, std::shared_ptr<const Page>>;

    explicit PageHistory(const std::vector<MemoryRange>& ranges);

    /// To be told of every write, `size` at least 1.
    void touch(std::uint64_t address, std::uint64_t size) {
        touch_page(address);
        if ((address & ~kPageMask) + size > kPageSize) [[unlikely]]
            touch_more(address, size);
    }
    Image take(const AddressSpace& memory);
    void restore(AddressSpace& memory, const Image& image);

  private:
    struct Range {
        std::uint64_t start, pages;
        std::vector<std::uint64_t> dirty;  // a bit a page
    };

    void touch_page(std::uint64_t address) {
        for (Range& range : ranges_) {
            const std::uint64_t page = (address - range.start) / kPageSize;
            if (page >= range.pages) continue;
            std::uint64_t& word = range.dirty[page / 64];
            const std::uint64_t bit = std::uint64_t{1} << (page % 64);
            if (word & bit) [[likely]]
                return;
            word |= bit;
            dirty_.push_back(address & kPageMask);
            return;
        }
    }
    void touch_more(std::uint64_t address, std::uint64_t size);
    void clean();

    std::vector<Range> ranges_;
    std::vector<std::uint64_t> dirty_;  // since the last image was taken or restored
    Image last_;
};

}  // namespace isthmus::sim
