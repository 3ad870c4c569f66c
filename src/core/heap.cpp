#include "core/heap.hpp"

#include <algorithm>
#include <iterator>

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
    if (range.size != 0) add_hole(range.begin, range.size);
}

void Heap::add_hole(std::uintptr_t begin, std::uint64_t size) {
    holes_.emplace(begin, size);
    by_size_.emplace(size, begin);
    free_bytes_ += size;
}

void Heap::remove_hole(std::map<std::uintptr_t, std::uint64_t>::iterator hole) {
    by_size_.erase({hole->second, hole->first});
    free_bytes_ -= hole->second;
    holes_.erase(hole);
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
        remove_hole(holes_.find(hole_begin));
        const std::uintptr_t hole_end = hole_begin + hole_size;
        if (begin != hole_begin) add_hole(hole_begin, begin - hole_begin);
        if (begin + taken != hole_end) add_hole(begin + taken, hole_end - (begin + taken));
        blocks_.emplace(begin, std::pair{size, taken});
        high_water_ = std::max(high_water_, range_.size - free_bytes_);
        return reinterpret_cast<void*>(begin);
    }
    return nullptr;
}

bool Heap::release(void* block) {
    const auto found = blocks_.find(reinterpret_cast<std::uintptr_t>(block));
    if (found == blocks_.end()) return false;
    std::uintptr_t begin = found->first;
    std::uint64_t size = found->second.second;
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
    add_hole(begin, size);
    return true;
}

bool Heap::resize(void* block, std::uint64_t size) {
    const auto found = blocks_.find(reinterpret_cast<std::uintptr_t>(block));
    if (found == blocks_.end() || size == 0 || size > range_.size) return false;
    const std::uint64_t wanted = round_up(size, kGranule);
    std::uint64_t& taken = found->second.second;
    const std::uintptr_t end = found->first + taken;
    const auto hole = holes_.find(end);
    const std::uint64_t room = hole == holes_.end() ? 0 : hole->second;
    if (wanted > taken + room) return false;
    if (wanted != taken) {
        if (room != 0) remove_hole(hole);
        if (taken + room != wanted) add_hole(found->first + wanted, taken + room - wanted);
        taken = wanted;
        high_water_ = std::max(high_water_, range_.size - free_bytes_);
    }
    found->second.first = size;
    return true;
}

std::uint64_t Heap::block_size(const void* block) const {
    const auto found = blocks_.find(reinterpret_cast<std::uintptr_t>(block));
    return found == blocks_.end() ? 0 : found->second.first;
}

std::uint64_t Heap::largest_hole() const {
    return by_size_.empty() ? 0 : by_size_.rbegin()->first;
}

Range Heap::block_of(const void* address) const {
    const auto at = reinterpret_cast<std::uintptr_t>(address);
    auto after = blocks_.upper_bound(at);
    if (after == blocks_.begin()) return {};
    const auto& [begin, sizes] = *std::prev(after);
    return at < begin + sizes.first ? Range{begin, sizes.first} : Range{};
}

std::string Heap::describe(const void* address) const {
    const auto at = reinterpret_cast<std::uintptr_t>(address);
    if (blocks_.empty()) return "the heap has no blocks";
    auto after = blocks_.upper_bound(at);
    const auto nearest = after == blocks_.begin() ? after : std::prev(after);
    const std::uint64_t size = nearest->second.first;
    const std::string block =
        "the block of " + std::to_string(size) + " bytes at " + hexadecimal(nearest->first);
    if (at < nearest->first) return std::to_string(nearest->first - at) + " bytes before " + block;
    if (at < nearest->first + size) return "inside " + block;
    return std::to_string(at - (nearest->first + size)) + " bytes past the end of " + block;
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
    for (const auto& [begin, sizes] : blocks_) {
        if (sizes.first == 0 || sizes.first > sizes.second) return false;
        if (!all.emplace(begin, sizes.second).second) return false;
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

std::string no_room_text(std::uint64_t bytes, std::uint64_t alignment) {
    // What any block is aligned to needs no words.
    const std::string aligned =
        alignment > os::page_size() ? " aligned to " + std::to_string(alignment) : "";
    return "no room for " + std::to_string(bytes) + " bytes" + aligned +
           " in the symmetric heap: " + std::to_string(heap.free_bytes()) + " of " +
           std::to_string(heap.range().size) + " bytes are free, " +
           std::to_string(heap.largest_hole()) + " in one piece; raise SHMEM_SYMMETRIC_SIZE (now " +
           value(Setting::symmetric_size).text + ")";
}

}  // namespace isthmus
