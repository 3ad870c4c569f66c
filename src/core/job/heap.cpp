#include "core/job/heap.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/error.hpp"
#include "base/lasting.hpp"
#include "base/os.hpp"
#include "base/settings.hpp"

namespace isthmus {
namespace {

// Blocks are whole multiples of a cache line: two PEs' flags in two blocks never share one.
constexpr std::uint64_t kGranule = 64;

constexpr std::uint64_t round_up(std::uint64_t value, std::uint64_t unit) {
    return (value + unit - 1) & ~(unit - 1);
}

}  // namespace

namespace {
Lasting<Heap> the_heap;
}
constinit Heap& heap = *the_heap;
std::mutex heap_guard;

void Heap::reset(Range range) {
    range_ = range;
    holes_.clear();
    by_size_.clear();
    blocks_.clear();
    free_bytes_ = 0;
    high_water_ = 0;
    untouched_ = range.begin;
    if (range.size != 0) add_hole(make_room(), range.begin, range.size);
}

Heap::Room Heap::make_room() {
    Holes holes{{0, 0}};
    BySize sizes{{0, 0}};
    return {holes.extract(holes.begin()), sizes.extract(sizes.begin())};
}

void Heap::add_hole(Room room, std::uintptr_t begin, std::uint64_t size) {
    room.hole.key() = begin;
    room.hole.mapped() = size;
    room.size.value() = {size, begin};
    holes_.insert(std::move(room.hole));
    by_size_.insert(std::move(room.size));
    free_bytes_ += size;
}

Heap::Room Heap::remove_hole(Holes::iterator hole) {
    free_bytes_ -= hole->second;
    auto size = by_size_.extract({hole->second, hole->first});
    return {holes_.extract(hole), std::move(size)};
}

void* Heap::allocate(std::uint64_t size, std::uint64_t alignment) {
    if (size == 0 || size > range_.size) return nullptr;
    const std::uint64_t taken = round_up(size, kGranule);
    alignment = std::max(alignment, kGranule);
    for (auto candidate = by_size_.lower_bound({taken, 0}); candidate != by_size_.end();
         ++candidate) {
        const auto [hole_size, hole_begin] = *candidate;
        const std::uintptr_t begin = round_up(hole_begin, alignment);
        if (begin < hole_begin || begin - hole_begin > hole_size - taken) continue;
        Room front = make_room();
        Room back = make_room();
        const auto block = blocks_.try_emplace(begin).first;
        block->second = {size, taken, 0, remove_hole(holes_.find(hole_begin))};
        const std::uintptr_t hole_end = hole_begin + hole_size;
        if (begin != hole_begin) add_hole(std::move(front), hole_begin, begin - hole_begin);
        if (begin + taken != hole_end)
            add_hole(std::move(back), begin + taken, hole_end - (begin + taken));
        high_water_ = std::max(high_water_, range_.size - free_bytes_);
        untouched_ = std::max(untouched_, begin + taken);
        return reinterpret_cast<void*>(begin);
    }
    return reclaim_ && reclaim_() ? allocate(size, alignment) : nullptr;
}

bool Heap::release(void* block) {
    const auto found = blocks_.find(reinterpret_cast<std::uintptr_t>(block));
    if (found == blocks_.end()) return false;
    std::uintptr_t begin = found->first;
    std::uint64_t size = found->second.taken;
    Room room = std::move(found->second.room);
    blocks_.erase(found);
    auto next = holes_.lower_bound(begin);
    if (next != holes_.begin()) {
        const auto previous = std::prev(next);
        if (previous->first + previous->second == begin) {
            begin = previous->first;
            size += previous->second;
            remove_hole(previous);
        }
    }
    if (next != holes_.end() && begin + size == next->first) {
        size += next->second;
        remove_hole(next);
    }
    add_hole(std::move(room), begin, size);
    return true;
}

bool Heap::resize(void* block, std::uint64_t size) {
    const auto found = blocks_.find(reinterpret_cast<std::uintptr_t>(block));
    if (found == blocks_.end() || size == 0 || size > range_.size) return false;
    const std::uint64_t wanted = round_up(size, kGranule);
    std::uint64_t& taken = found->second.taken;
    const std::uintptr_t end = found->first + taken;
    const auto hole = holes_.find(end);
    const std::uint64_t free = hole == holes_.end() ? 0 : hole->second;
    if (wanted > taken + free) return false;
    if (wanted != taken) {
        Room room = free != 0 ? remove_hole(hole) : make_room();
        if (taken + free != wanted)
            add_hole(std::move(room), found->first + wanted, taken + free - wanted);
        taken = wanted;
        untouched_ = std::max(untouched_, found->first + taken);
        high_water_ = std::max(high_water_, range_.size - free_bytes_);
    }
    found->second.size = size;
    return true;
}

std::uint64_t Heap::block_size(const void* block) const {
    const auto found = blocks_.find(reinterpret_cast<std::uintptr_t>(block));
    return found == blocks_.end() ? 0 : found->second.size;
}

void Heap::set_size(void* block, std::uint64_t size) {
    blocks_.at(reinterpret_cast<std::uintptr_t>(block)).size = size;
}

void Heap::retire(void* block) {
    Block& retired = blocks_.at(reinterpret_cast<std::uintptr_t>(block));
    retired.retired = std::exchange(retired.size, 0);
}

std::uint64_t Heap::largest_hole() const {
    return by_size_.empty() ? 0 : by_size_.rbegin()->first;
}

Range Heap::block_of(const void* address) const {
    const auto at = reinterpret_cast<std::uintptr_t>(address);
    auto after = blocks_.upper_bound(at);
    if (after == blocks_.begin()) return {};
    const auto& [begin, block] = *std::prev(after);
    return at < begin + block.size ? Range{begin, block.size} : Range{};
}

Text Heap::describe(const void* address) const {
    const auto at = reinterpret_cast<std::uintptr_t>(address);
    if (blocks_.empty()) return Text("the heap has no blocks");
    auto after = blocks_.upper_bound(at);
    const auto nearest = after == blocks_.begin() ? after : std::prev(after);
    const std::uint64_t retired = nearest->second.retired;
    const std::uint64_t size = nearest->second.size + retired;
    const Text block(retired != 0 ? "the freed block of " : "the block of ", size, " bytes at ",
                     InHex(nearest->first));
    if (at < nearest->first) return Text(nearest->first - at, " bytes before ", block);
    if (at < nearest->first + size) return Text("inside ", block);
    if (after != blocks_.end() && after->first - at < at - (nearest->first + size))
        return Text(after->first - at, " bytes before the block of ",
                    after->second.size + after->second.retired, " bytes at ", InHex(after->first));
    return Text(at - (nearest->first + size), " bytes past the end of ", block);
}

Text describe_in_heap(const void* address) {
    const std::unique_lock lock(heap_guard, std::try_to_lock);
    return lock ? heap.describe(address) : Text("whose blocks are being changed");
}

bool Heap::is_valid() const {
    if (holes_.size() != by_size_.size()) return false;
    std::uint64_t free_sum = 0;
    std::map<std::uintptr_t, std::uint64_t> all;
    for (const auto& [begin, size] : holes_) {
        if (size == 0 || !by_size_.contains({size, begin})) return false;
        free_sum += size;
        all.emplace(begin, size);
    }
    for (const auto& [begin, block] : blocks_) {
        if ((block.size == 0) == (block.retired == 0) || block.size > block.taken ||
            !block.room.hole)
            return false;
        if (!all.emplace(begin, block.taken).second) return false;
    }
    std::uintptr_t expected = range_.begin;
    bool previous_hole = false;
    for (const auto& [begin, size] : all) {
        const bool is_hole = holes_.contains(begin);
        if (begin != expected || (is_hole && previous_hole)) return false;
        previous_hole = is_hole;
        expected = begin + size;
    }
    return free_sum == free_bytes_ && expected == range_.end();
}

Text no_room_text(std::uint64_t bytes, std::uint64_t alignment) {
    // What any block is aligned to needs no words.
    const Text aligned = alignment > os::page_size() ? Text(" aligned to ", alignment) : Text();
    return Text("no room for ", bytes, " bytes", aligned,
                " in the symmetric heap: ", heap.free_bytes(), " of ", heap.range().size,
                " bytes are free, ", heap.largest_hole(),
                " in one piece; raise SHMEM_SYMMETRIC_SIZE (now ",
                value(Setting::symmetric_size).text, ")");
}

}  // namespace isthmus
