#include "sim/step/page_history.hpp"

namespace isthmus::sim {

PageHistory::PageHistory(const std::vector<MemoryRange>& ranges) {
    for (const MemoryRange& range : ranges) {
        const std::uint64_t pages = range.size / kPageSize;
        ranges_.push_back({range.start, pages, std::vector<std::uint64_t>(pages / 64 + 1)});
    }
}

void PageHistory::touch_more(std::uint64_t address, std::uint64_t size) {
    const std::uint64_t pages = ((address & ~kPageMask) + size - 1) / kPageSize;
    for (std::uint64_t i = 1; i <= pages; ++i)
        touch_page(address + i * kPageSize);
}

void PageHistory::clean() {
    for (const std::uint64_t address : dirty_) {
        for (Range& range : ranges_) {
            const std::uint64_t page = (address - range.start) / kPageSize;
            if (page < range.pages) range.dirty[page / 64] &= ~(std::uint64_t{1} << (page % 64));
        }
    }
    dirty_.clear();
}

PageHistory::Image PageHistory::take(const AddressSpace& memory) {
    for (const std::uint64_t address : dirty_) {
        auto page = std::make_shared<Page>();
        if (memory.read(address, page->data(), kPageSize))
            last_.insert_or_assign(address, std::move(page));
    }
    clean();
    return last_;
}

void PageHistory::restore(AddressSpace& memory, const Image& image) {
    static constexpr Page kZero{};
    const auto put_back = [&](std::uint64_t address) {
        const auto found = image.find(address);
        memory.write(address, found == image.end() ? kZero.data() : found->second->data(),
                     kPageSize);
    };
    for (const std::uint64_t address : dirty_)
        put_back(address);
    for (const auto& [address, page] : last_) {
        const auto found = image.find(address);
        if (found == image.end() || found->second != page) put_back(address);
    }
    for (const auto& [address, page] : image) {
        if (!last_.contains(address)) put_back(address);
    }
    clean();
    last_ = image;
}

}  // namespace isthmus::sim
