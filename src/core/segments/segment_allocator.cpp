#include "core/segments/segment_allocator.hpp"

#include <algorithm>
#include <atomic>
#include <bit>

#include "core/job/job.hpp"
#include "core/wait/wait.hpp"

namespace isthmus {
namespace {

// Memory is a row of blocks without gaps. Each begins with a head that tells its size and that of
// the block before it, so that neighbours are found in both directions and merged at once. Free
// blocks are in lists by size: one for each size up to kExact, two for each power of two above.
constexpr std::uint64_t kUnit = kAllocatorAlignment;
constexpr std::uint64_t kUsed = 1;
constexpr std::uint64_t kMagic = 0x4853494154535553;  // in the control block: not overwritten yet
constexpr std::uint32_t kHeld = 0x4c6f0000;           // no small number: those are what goes astray
static_assert((kHeld & (std::bit_ceil(std::uint32_t{kMaxPes}) - 1)) == 0);
constexpr std::uint64_t kExact = 512;
constexpr int kExactPower = std::bit_width(kExact) - 1;
constexpr int kExactBins = (kExact - 32) / kUnit;
constexpr int kBins = kExactBins + 2 * (48 - kExactPower);
// Blocks that are looked at in a list before the next one, where blocks are larger, is.
constexpr int kGlance = 16;

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
    std::atomic<std::uint32_t> lock;  // 0 free, else kHeld + PE; around every call
    std::uint64_t free_bytes;
    std::uint64_t bins[kBins];  // first free block of each
};
constexpr std::uint64_t kFirst = (sizeof(Control) + kHeadSize + 63) / 64 * 64 - kHeadSize;
static_assert(kFirst + sizeof(Head) <= kFormattedBytes && kFormattedBytes <= kSmallestAllocator);
static_assert((kFirst + kHeadSize) % 64 == 0 && kFirst + kSmallest < kSmallestAllocator);

int bin_of(std::uint64_t size) {
    if (size < kExact) return static_cast<int>((size - kSmallest) / kUnit);
    const int power = static_cast<int>(std::bit_width(size)) - 1;
    const int half = static_cast<int>(size >> (power - 1) & 1);
    return std::min(kBins - 1, kExactBins + 2 * (power - kExactPower) + half);
}

// The lists of a segment of `size` bytes. They lie where any PE can write, so nothing in them is
// believed before it has been looked at: an offset is followed only when a head can lie there, and
// a block is taken out of its list only when both neighbours agree. The size is the caller's.
class Blocks {
  public:
    Blocks(char* base, std::uint64_t size)
        : base_(base), control_(*reinterpret_cast<Control*>(base)), end_(size & ~(kUnit - 1)) {}

    Control& control() { return control_; }
    Head& at(std::uint64_t offset) { return *reinterpret_cast<Head*>(base_ + offset); }
    std::uint64_t end() const { return end_; }
    bool intact() const { return control_.magic == kMagic && control_.size == end_; }
    std::atomic<std::uint32_t>& lock() { return control_.lock; }

    // A head can lie there.
    bool is_place(std::uint64_t offset) const {
        return offset >= kFirst && offset % kUnit == kFirst % kUnit && offset <= end_ - kSmallest;
    }
    // A block's head makes sense where it is.
    bool plausible(std::uint64_t offset) {
        if (!is_place(offset)) return false;
        const std::uint64_t size = at(offset).size();
        const std::uint64_t previous_size = at(offset).previous_size;
        if (size < kSmallest || size % kUnit != 0 || size > end_ - offset) return false;
        if (offset + size < end_ &&
            (!is_place(offset + size) || at(offset + size).previous_size != size))
            return false;
        if (offset == kFirst) return previous_size == 0;
        return previous_size >= kSmallest && previous_size <= offset - kFirst &&
               is_place(offset - previous_size) &&
               at(offset - previous_size).size() == previous_size;
    }
    // Makes sense as a free block, in the list where it should be.
    bool is_listed(std::uint64_t offset) {
        if (!plausible(offset) || at(offset).used()) return false;
        const std::uint64_t next = at(offset).next_free;
        const std::uint64_t previous = at(offset).previous_free;
        if (next != 0 && (!is_place(next) || at(next).previous_free != offset)) return false;
        if (previous == 0) return control_.bins[bin_of(at(offset).size())] == offset;
        return is_place(previous) && at(previous).next_free == offset;
    }
    // Makes sense as the block of this bin's list that `from` leads to; 0 is the list itself. A
    // walk that asks this of every block comes to none twice: it would have two neighbours before
    // it.
    bool is_next(std::uint64_t offset, int bin, std::uint64_t from) {
        return is_listed(offset) && bin_of(at(offset).size()) == bin &&
               at(offset).previous_free == from;
    }
    // Something can be put in front of the list.
    bool is_open(int bin) {
        const std::uint64_t first = control_.bins[bin];
        return first == 0 || (is_place(first) && at(first).previous_free == 0);
    }

    // False, and nothing has changed, if its list is damaged.
    bool insert(std::uint64_t offset) {
        Head& head = at(offset);
        const std::uint64_t size = head.size();
        const int bin = bin_of(size);
        if (!is_open(bin)) return false;
        const std::uint64_t first = control_.bins[bin];
        head.size_and_use = size;
        head.next_free = first;
        head.previous_free = 0;
        if (first != 0) at(first).previous_free = offset;
        control_.bins[bin] = offset;
        control_.free_bytes += size;
        return true;
    }
    // The block is listed.
    void remove(std::uint64_t offset) {
        const Head head = at(offset);
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
        if (offset + size < end_) at(offset + size).previous_size = size;
    }

  private:
    char* base_;
    Control& control_;
    std::uint64_t end_;
};

// Holds the lock of lists that are intact; without it there is nothing to be done with them.
class Holder {
  public:
    explicit Holder(Blocks& blocks) : lock_(blocks.lock()) {
        const auto me = kHeld + static_cast<std::uint32_t>(job.me);
        const auto pes = static_cast<std::uint32_t>(job.pes);
        wait_for({Routine::native_segment_malloc, -1, &lock_}, [&] {
            std::uint32_t holder = 0;
            if (!blocks.intact()) return true;
            // Acquire: pairs with the release below.
            held_ = lock_.compare_exchange_strong(holder, me, std::memory_order_acquire,
                                                  std::memory_order_relaxed);
            // Else it is a PE that holds it, or nobody who knows how.
            return held_ || (holder != 0 && holder - kHeld >= pes);
        });
    }
    Holder(const Holder&) = delete;
    Holder& operator=(const Holder&) = delete;
    ~Holder() {
        if (held_) lock_.store(0, std::memory_order_release);
    }
    explicit operator bool() const { return held_; }

  private:
    std::atomic<std::uint32_t>& lock_;
    bool held_ = false;
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
    Blocks blocks(base, size);
    blocks.at(kFirst) = Head{size - kFirst, 0, 0, 0};
    return blocks.insert(kFirst);
}

namespace {

// A free block that has room for `wanted` bytes, and where in it they begin.
struct Found {
    std::uint64_t block = 0;  // 0: none
    std::uint64_t begin = 0;
    bool damaged = false;
    bool looked_at_all = true;
};

// Looks at the first `most` blocks of each list.
Found find_block(Blocks& blocks, std::uint64_t wanted, std::uint64_t alignment,
                 std::uint64_t most) {
    Found found;
    for (int bin = bin_of(wanted); bin < kBins; ++bin) {
        std::uint64_t from = 0;
        std::uint64_t left = most;
        for (std::uint64_t block = blocks.control().bins[bin]; block != 0;
             from = block, block = blocks.at(block).next_free) {
            if (left-- == 0) {
                found.looked_at_all = false;
                break;
            }
            if (!blocks.is_next(block, bin, from)) {
                found.damaged = true;
                return found;
            }
            const std::uint64_t block_end = block + blocks.at(block).size();
            const std::uint64_t payload = place_in(block, alignment);
            const std::uint64_t begin = payload - kHeadSize;
            if (payload > block_end || begin > block_end - std::min(block_end, wanted) ||
                begin + wanted > block_end)
                continue;
            found.block = block;
            found.begin = begin;
            return found;
        }
    }
    return found;
}

}  // namespace

AllocatorResult allocator_allocate(const AllocatorMemory& memory, std::uint64_t size,
                                   std::uint64_t alignment, std::uint64_t& offset) {
    Blocks blocks(memory.base, memory.size);
    const Holder holder(blocks);
    if (!holder) return AllocatorResult::damaged;
    if (size > blocks.end()) return AllocatorResult::no_room;
    const std::uint64_t wanted = std::max(kSmallest, (size + kHeadSize + kUnit - 1) & ~(kUnit - 1));
    Found found = find_block(blocks, wanted, alignment, kGlance);
    // Only lists whose blocks are partly too small, or do not lie well, are longer than a glance.
    if (found.block == 0 && !found.damaged && !found.looked_at_all)
        found = find_block(blocks, wanted, alignment, blocks.end());
    if (found.damaged) return AllocatorResult::damaged;
    if (found.block == 0) return AllocatorResult::no_room;
    const std::uint64_t block = found.block;
    const std::uint64_t begin = found.begin;
    const std::uint64_t block_end = block + blocks.at(block).size();
    const std::uint64_t rest = block_end - begin - wanted;
    blocks.remove(block);
    if ((begin != block && !blocks.is_open(bin_of(begin - block))) ||
        (rest >= kSmallest && !blocks.is_open(bin_of(rest))))
        return AllocatorResult::damaged;
    if (begin != block) {
        blocks.at(begin) = Head{block_end - begin, 0, 0, 0};
        blocks.resize(block, begin - block);
        blocks.resize(begin, block_end - begin);
        blocks.insert(block);
    }
    if (rest >= kSmallest) {
        blocks.at(begin + wanted) = Head{rest, wanted, 0, 0};
        blocks.resize(begin, wanted);
        blocks.resize(begin + wanted, rest);
        blocks.insert(begin + wanted);
    }
    blocks.at(begin).size_and_use |= kUsed;
    offset = begin + kHeadSize;
    return AllocatorResult::done;
}

AllocatorResult allocator_free(const AllocatorMemory& memory, std::uint64_t offset) {
    Blocks blocks(memory.base, memory.size);
    const Holder holder(blocks);
    if (!holder) return AllocatorResult::damaged;
    if (offset % kUnit != 0 || offset < kFirst + kHeadSize || offset > blocks.end() - kUnit)
        return AllocatorResult::not_a_block;
    std::uint64_t block = offset - kHeadSize;
    if (!blocks.plausible(block) || !blocks.at(block).used()) return AllocatorResult::not_a_block;
    std::uint64_t size = blocks.at(block).size();
    if (block + size < blocks.end() && !blocks.at(block + size).used()) {
        const std::uint64_t next = block + size;
        if (!blocks.is_listed(next)) return AllocatorResult::damaged;
        size += blocks.at(next).size();
        blocks.remove(next);
        blocks.resize(block, size);
    }
    if (block != kFirst && !blocks.at(block - blocks.at(block).previous_size).used()) {
        const std::uint64_t previous = block - blocks.at(block).previous_size;
        if (!blocks.is_listed(previous)) return AllocatorResult::damaged;
        blocks.remove(previous);
        size += block - previous;
        block = previous;
        blocks.resize(block, size);
    }
    return blocks.insert(block) ? AllocatorResult::done : AllocatorResult::damaged;
}

AllocatorReport allocator_report(const AllocatorMemory& memory) {
    Blocks blocks(memory.base, memory.size);
    AllocatorReport report{blocks.end() - kFirst, 0, 0};
    const Holder holder(blocks);
    if (!holder) return report;
    report.free_bytes = blocks.control().free_bytes;
    for (int bin = 0; bin < kBins; ++bin) {
        std::uint64_t from = 0;
        for (std::uint64_t block = blocks.control().bins[bin];
             block != 0 && blocks.is_next(block, bin, from);
             from = block, block = blocks.at(block).next_free)
            report.largest = std::max(report.largest, blocks.at(block).size() - kHeadSize);
    }
    return report;
}

}  // namespace isthmus
