#include "core/segment_allocator.hpp"

#include <algorithm>
#include <atomic>
#include <bit>

#include "core/wait.hpp"

namespace isthmus {
namespace {

// Memory is a row of blocks without gaps. Each begins with a head that tells its size and that of
// the block before it, so that neighbours are found in both directions and merged at once. Free
// blocks are in a list by the power of two below their size.
constexpr std::uint64_t kUnit = 16;
constexpr std::uint64_t kUsed = 1;
constexpr std::uint64_t kMagic = 0x4853494154535553;  // in the control block: not overwritten yet
constexpr int kBins = 48;

struct Head {
    std::uint64_t size_and_use;   // whole block, head included; bit 0: used
    std::uint64_t previous_size;  // of the block before, 0 if it is the first
    // In free blocks only: neighbours in the bin's list, as offsets; 0 is none.
    std::uint64_t next_free;
    std::uint64_t previous_free;
    std::uint64_t size() const { return size_and_use & ~kUsed; }
    bool used() const { return (size_and_use & kUsed) != 0; }
};
constexpr std::uint64_t kHeadSize = 16;  // of a used block: the links are payload
constexpr std::uint64_t kSmallest = sizeof(Head);
static_assert(sizeof(Head) == 32);

struct Control {
    std::uint64_t magic;
    std::uint64_t size;               // of the segment
    std::atomic<std::uint32_t> lock;  // acquire and release around every call
    std::uint64_t free_bytes;
    std::uint64_t bins[kBins];  // first free block of each
};
constexpr std::uint64_t kFirst = (sizeof(Control) + kHeadSize + 63) / 64 * 64 - kHeadSize;
static_assert((kFirst + kHeadSize) % 64 == 0 && kFirst + kSmallest < kSmallestAllocator);

int bin_of(std::uint64_t size) {
    return std::min(kBins - 1, static_cast<int>(std::bit_width(size)) - 5);
}

class Blocks {
  public:
    explicit Blocks(char* base) : base_(base), control_(*reinterpret_cast<Control*>(base)) {
        wait_for({Routine::native_segment_malloc, -1, &control_.lock},
                 [this] { return control_.lock.exchange(1, std::memory_order_acquire) == 0; });
    }
    Blocks(const Blocks&) = delete;
    Blocks& operator=(const Blocks&) = delete;
    ~Blocks() { control_.lock.store(0, std::memory_order_release); }

    Control& control() { return control_; }
    Head& at(std::uint64_t offset) { return *reinterpret_cast<Head*>(base_ + offset); }
    std::uint64_t end() const { return control_.size; }
    bool intact() const { return control_.magic == kMagic; }

    void insert(std::uint64_t offset) {
        Head& head = at(offset);
        std::uint64_t& first = control_.bins[bin_of(head.size())];
        head.size_and_use &= ~kUsed;
        head.next_free = first;
        head.previous_free = 0;
        if (first != 0) at(first).previous_free = offset;
        first = offset;
        control_.free_bytes += head.size();
    }
    void remove(std::uint64_t offset) {
        Head& head = at(offset);
        if (head.previous_free != 0)
            at(head.previous_free).next_free = head.next_free;
        else
            control_.bins[bin_of(head.size())] = head.next_free;
        if (head.next_free != 0) at(head.next_free).previous_free = head.previous_free;
        control_.free_bytes -= head.size();
    }
    // Gives the block at `offset` this size, and tells the block behind it.
    void resize(std::uint64_t offset, std::uint64_t size) {
        Head& head = at(offset);
        head.size_and_use = size | (head.size_and_use & kUsed);
        if (offset + size < end()) at(offset + size).previous_size = size;
    }
    // A block's head makes sense where it is.
    bool plausible(std::uint64_t offset) {
        const Head& head = at(offset);
        const std::uint64_t size = head.size();
        if (size < kSmallest || size % kUnit != 0 || size > end() - offset) return false;
        if (offset + size < end() && at(offset + size).previous_size != size) return false;
        if (offset == kFirst) return head.previous_size == 0;
        return head.previous_size >= kSmallest && head.previous_size <= offset - kFirst &&
               at(offset - head.previous_size).size() == head.previous_size;
    }

  private:
    char* base_;
    Control& control_;
};

// Payload offset inside the free block at `block` that has the alignment; a gap in front, if any,
// is large enough to be a block.
std::uint64_t place_in(std::uint64_t block, std::uint64_t alignment) {
    std::uint64_t payload = (block + kHeadSize + alignment - 1) & ~(alignment - 1);
    while (payload - kHeadSize != block && payload - kHeadSize - block < kSmallest)
        payload += alignment;
    return payload;
}

}  // namespace

bool format_allocator(char* base, std::uint64_t size) {
    size &= ~(kUnit - 1);
    if (size < kSmallestAllocator) return false;
    auto* control = new (base) Control{};
    control->magic = kMagic;
    control->size = size;
    Blocks blocks(base);
    blocks.at(kFirst) = Head{size - kFirst, 0, 0, 0};
    blocks.insert(kFirst);
    return true;
}

AllocatorResult allocator_allocate(char* base, std::uint64_t size, std::uint64_t alignment,
                                   std::uint64_t& offset) {
    Blocks blocks(base);
    if (!blocks.intact()) return AllocatorResult::damaged;
    if (size > blocks.end()) return AllocatorResult::no_room;
    const std::uint64_t wanted = std::max(kSmallest, (size + kHeadSize + kUnit - 1) & ~(kUnit - 1));
    for (int bin = bin_of(wanted); bin < kBins; ++bin) {
        for (std::uint64_t block = blocks.control().bins[bin]; block != 0;
             block = blocks.at(block).next_free) {
            if (!blocks.plausible(block) || blocks.at(block).used())
                return AllocatorResult::damaged;
            const std::uint64_t block_end = block + blocks.at(block).size();
            const std::uint64_t payload = place_in(block, alignment);
            const std::uint64_t begin = payload - kHeadSize;
            if (payload > block_end || begin > block_end - std::min(block_end, wanted) ||
                begin + wanted > block_end)
                continue;
            blocks.remove(block);
            if (begin != block) {
                blocks.at(begin) = Head{block_end - begin, 0, 0, 0};
                blocks.resize(block, begin - block);
                blocks.resize(begin, block_end - begin);
                blocks.insert(block);
            }
            if (block_end - begin - wanted >= kSmallest) {
                blocks.at(begin + wanted) = Head{block_end - begin - wanted, wanted, 0, 0};
                blocks.resize(begin, wanted);
                blocks.resize(begin + wanted, block_end - begin - wanted);
                blocks.insert(begin + wanted);
            }
            blocks.at(begin).size_and_use |= kUsed;
            offset = payload;
            return AllocatorResult::done;
        }
    }
    return AllocatorResult::no_room;
}

AllocatorResult allocator_free(char* base, std::uint64_t offset) {
    Blocks blocks(base);
    if (!blocks.intact()) return AllocatorResult::damaged;
    if (offset % kUnit != 0 || offset < kFirst + kHeadSize || offset > blocks.end() - kUnit)
        return AllocatorResult::not_a_block;
    std::uint64_t block = offset - kHeadSize;
    if (!blocks.plausible(block) || !blocks.at(block).used()) return AllocatorResult::not_a_block;
    std::uint64_t size = blocks.at(block).size();
    if (block + size < blocks.end() && !blocks.at(block + size).used()) {
        const std::uint64_t next = block + size;
        if (!blocks.plausible(next)) return AllocatorResult::damaged;
        size += blocks.at(next).size();
        blocks.remove(next);
        blocks.resize(block, size);
    }
    if (block != kFirst && !blocks.at(block - blocks.at(block).previous_size).used()) {
        const std::uint64_t previous = block - blocks.at(block).previous_size;
        if (!blocks.plausible(previous)) return AllocatorResult::damaged;
        blocks.remove(previous);
        size += block - previous;
        block = previous;
        blocks.resize(block, size);
    }
    blocks.insert(block);
    return AllocatorResult::done;
}

AllocatorReport allocator_report(char* base) {
    Blocks blocks(base);
    AllocatorReport report{blocks.end() - kFirst, blocks.control().free_bytes, 0};
    for (std::uint64_t first : blocks.control().bins) {
        for (std::uint64_t block = first; block != 0; block = blocks.at(block).next_free)
            report.largest = std::max(report.largest, blocks.at(block).size() - kHeadSize);
    }
    return report;
}

bool allocator_is_valid(char* base) {
    Blocks blocks(base);
    if (!blocks.intact()) return false;
    std::uint64_t free_bytes = 0;
    bool previous_free = false;
    for (std::uint64_t block = kFirst; block < blocks.end(); block += blocks.at(block).size()) {
        if (!blocks.plausible(block)) return false;
        const bool is_free = !blocks.at(block).used();
        if (is_free && previous_free) return false;  // should have been merged
        if (is_free) free_bytes += blocks.at(block).size();
        previous_free = is_free;
    }
    std::uint64_t listed = 0;
    for (std::uint64_t first : blocks.control().bins) {
        for (std::uint64_t block = first; block != 0; block = blocks.at(block).next_free)
            listed += blocks.at(block).size();
    }
    return free_bytes == listed && free_bytes == blocks.control().free_bytes;
}

}  // namespace isthmus
