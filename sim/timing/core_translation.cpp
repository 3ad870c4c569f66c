// Address translation in time: the core's first-level buffers, the second level, and walks of the
// page table, whose reads go through the data cache one after the other.
#include <algorithm>

#include "sim/timing/core_timing.hpp"
#include "sim/timing/network_interface.hpp"

namespace isthmus::sim {

void CoreTiming::take_fetch_view() {
    if (fetch_view_ == next_fetch_view_) return;
    fetch_view_ = next_fetch_view_;
    fetch_base_ = 1;  // the same address may be another line
    fetch_span_ = 0;
}

void CoreTiming::translated_access(AccessKind kind, std::uint64_t address, std::uint32_t bytes,
                                   const TranslationView& view) {
    // Pages are translated one by one.
    constexpr std::uint64_t kSmallest = 4096;
    const auto first =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(bytes, kSmallest - address % kSmallest));
    Access& access = accesses_[access_count_++] = {address, first, kind};
    const auto* const entry = data_tlb_.find(address, translation_->asid(view));
    if (entry != nullptr)
        access.address = entry->address(address);
    else
        access.view = view;
    if (first != bytes) translated_access(kind, address + first, bytes - first, view);
}

void CoreTiming::fence_translation(std::uint64_t address, std::uint64_t asid) {
    ++translations_.fences;
    for (TranslationBuffer* const tlb : {&instruction_tlb_, &data_tlb_, &second_tlb_})
        tlb->forget(address, asid);
    nic_.forget_requests(address, asid);
}

bool CoreTiming::translate(const TranslationView& view, TranslationSource::Access access,
                           std::uint64_t& address) {
    const bool fetch = access == TranslationSource::Access::fetch;
    TranslationBuffer& first = fetch ? instruction_tlb_ : data_tlb_;
    const std::uint64_t asid = translation_->asid(view);
    if (!walk_left_) {
        if (const auto* const entry = first.find(address, asid)) {
            address = entry->address(address);
            return true;
        }
        ++(fetch ? translations_.instruction_misses : translations_.data_misses);
        lose_until(issue_ + mmu_.l2_hit_cycles, StallCause::translation);
        if (const auto* const entry = second_tlb_.find(address, asid)) {
            ++translations_.l2_hits;
            address = first.insert(entry->page, entry->physical, asid, entry->bits, entry->global)
                          ->address(address);
            return true;
        }
        ++translations_.walks;
        walk_ = translation_->walk(view, address, access);
        lose_until(issue_ + mmu_.walk_cycles, StallCause::translation);
        walk_next_ = 0;
        walk_left_ = true;
        walk_pending_ = false;
    }
    if (!read_tables()) return false;
    walk_left_ = false;
    // The instruction may have changed what has led it here: then its address is taken as it is.
    if (!walk_.found) return true;
    for (TranslationBuffer* const tlb : {&second_tlb_, &first})
        tlb->insert(address, walk_.physical, asid, walk_.page_bits, walk_.global);
    address = walk_.physical;
    return true;
}

bool CoreTiming::read_tables() {
    for (; walk_next_ < walk_.reads; ++walk_next_) {
        if (!walk_pending_) {
            if (issue_ >= limit_) return defer();
            const std::uint64_t line = memory_.line_of(walk_.entries.at(walk_next_));
            walk_ready_ = issue_ + l1_data_hit_;
            if (const Miss* const miss = find_miss(line)) {
                if (miss->ready == kNever) return block(StallCause::translation);
                walk_ready_ = std::max(walk_ready_, miss->ready);
            } else if (!memory_.read_hit(MemorySystem::kData, line)) {
                walk_ready_ = memory_.fill(MemorySystem::kData, line, false, issue_, kWalkTag);
            }
            ++translations_.walk_reads;
            walk_pending_ = true;
        }
        if (walk_ready_ == kNever) return block(StallCause::translation);
        walk_pending_ = false;
        lose_until(walk_ready_, StallCause::translation);
    }
    return true;
}

}  // namespace isthmus::sim
