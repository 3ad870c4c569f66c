// The symmetric heap: every PE makes the same calls and so gets the same offsets. The book-keeping
// is private memory, so a program that writes past its block cannot break it.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <utility>

#include "core/job/job.hpp"

namespace isthmus {

class Heap {
  public:
    void reset(Range range);

    // Best fit, lowest address first; deterministic. Null if no hole is large enough.
    // `alignment` is a power of two. Throws if there is no memory for its own lists, as does
    // resize; nothing has changed then.
    void* allocate(std::uint64_t size, std::uint64_t alignment);
    // False if `block` is not the beginning of a block.
    bool release(void* block);
    // Gives the block another size where it is, from or to the hole behind it. False (and nothing
    // has changed) if that hole is too small or there is no such block.
    bool resize(void* block, std::uint64_t size);
    // 0 if `block` is not the beginning of a block.
    std::uint64_t block_size(const void* block) const;
    // For guarded blocks (core/job/guarded_blocks.hpp). The block is said to be smaller than what
    // it takes; it is freed, but not yet released; what can be released where there is no room is,
    // if that returns true.
    void set_size(void* block, std::uint64_t size);
    void retire(void* block);
    void set_reclaim(bool (*reclaim)()) { reclaim_ = reclaim; }
    // Those that are not retired.
    template <typename Visit>
    void for_each_block(Visit&& visit) const {
        for (const auto& [begin, block] : blocks_) {
            if (block.size != 0) visit(Range{begin, block.size});
        }
    }

    std::uint64_t free_bytes() const { return free_bytes_; }
    std::uint64_t largest_hole() const;
    std::uint64_t high_water() const { return high_water_; }
    // Behind all that was ever handed out.
    std::uintptr_t untouched() const { return untouched_; }
    Range range() const { return range_; }
    // "inside the block of 64 bytes at 0x..." or where the nearest block is.
    Text describe(const void* address) const;
    // Distance from the beginning of the heap: the same at every PE for the same object.
    std::uint64_t offset_of(const void* address) const {
        return reinterpret_cast<std::uintptr_t>(address) - range_.begin;
    }
    // Block that holds the address: {begin, size}, or {0, 0}.
    Range block_of(const void* address) const;
    // All structures agree with each other; for tests.
    bool is_valid() const;

  private:
    using Holes = std::map<std::uintptr_t, std::uint64_t>;
    using BySize = std::set<std::pair<std::uint64_t, std::uintptr_t>>;
    // The memory of a hole's entries. What may throw is done before anything changes, and a block
    // has what its release needs.
    struct Room {
        Holes::node_type hole;
        BySize::node_type size;
    };
    struct Block {
        std::uint64_t size = 0;  // asked; 0 once it is retired
        std::uint64_t taken = 0;
        std::uint64_t retired = 0;  // what it was
        Room room;
    };
    using Blocks = std::map<std::uintptr_t, Block>;
    static Room make_room();
    void add_hole(Room room, std::uintptr_t begin, std::uint64_t size);
    Room remove_hole(Holes::iterator hole);

    Range range_;
    Holes holes_;     // by address
    BySize by_size_;  // the same, by size
    Blocks blocks_;
    std::uint64_t free_bytes_ = 0;
    std::uint64_t high_water_ = 0;
    std::uintptr_t untouched_ = 0;
    bool (*reclaim_)() = nullptr;
};

// Guards the heap below between threads of this PE; in all PEs the calls come in the same order.
extern std::mutex heap_guard __attribute__((visibility("hidden")));
extern Heap& heap __attribute__((visibility("hidden")));

// As Heap::describe(), for who does not hold it: also for reports of faults, which must not wait.
Text describe_in_heap(const void* address);
// Why `bytes` could not be allocated, in words. The caller holds heap_guard.
Text no_room_text(std::uint64_t bytes, std::uint64_t alignment = 1);

}  // namespace isthmus
