// Program data of a node that has no hart attached: pages appear when they are written. For traces
// and tests.
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <unordered_map>

#include "sim/memory/namespace_table.hpp"

namespace isthmus::sim {

class SparseMemory final : public NodeMemory {
  public:
    SparseMemory(std::uint64_t base, std::uint64_t bytes) : base_(base), bytes_(bytes) {}

    bool contains(std::uint64_t address, std::uint64_t bytes,
                  std::uint32_t /*rights*/) const override {
        return address >= base_ && bytes <= bytes_ && address - base_ <= bytes_ - bytes;
    }
    void read(std::uint64_t address, std::span<std::byte> to) override {
        each_page(address, to.size(),
                  [&](std::uint64_t page, std::size_t offset, std::size_t done, std::size_t n) {
                      const auto found = pages_.find(page);
                      if (found == pages_.end()) {
                          std::fill_n(to.begin() + static_cast<std::ptrdiff_t>(done), n,
                                      std::byte{0});
                      } else {
                          std::copy_n(found->second->begin() + static_cast<std::ptrdiff_t>(offset),
                                      n, to.begin() + static_cast<std::ptrdiff_t>(done));
                      }
                  });
    }
    void write(std::uint64_t address, std::span<const std::byte> from) override {
        each_page(address, from.size(),
                  [&](std::uint64_t page, std::size_t offset, std::size_t done, std::size_t n) {
                      std::unique_ptr<Page>& data = pages_[page];
                      if (!data) data = std::make_unique<Page>();
                      std::copy_n(from.begin() + static_cast<std::ptrdiff_t>(done), n,
                                  data->begin() + static_cast<std::ptrdiff_t>(offset));
                  });
    }

  private:
    using Page = std::array<std::byte, 4096>;
    template <class Visit>
    void each_page(std::uint64_t address, std::size_t bytes, Visit&& visit) {
        for (std::size_t done = 0; done < bytes;) {
            const std::size_t offset = (address + done) % sizeof(Page);
            const std::size_t n = std::min(bytes - done, sizeof(Page) - offset);
            visit((address + done) / sizeof(Page), offset, done, n);
            done += n;
        }
    }
    std::uint64_t base_, bytes_;
    std::unordered_map<std::uint64_t, std::unique_ptr<Page>> pages_;
};

}  // namespace isthmus::sim
