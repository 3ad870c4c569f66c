// The namespace lookaside buffer (NLB): a fully associative cache of namespace table entries, least
// recently used out first. Constant time: a hash of ids and a list in order of use.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "sim/memory/namespace_table.hpp"

namespace isthmus::sim {

struct NlbStatistics {
    std::uint64_t hits = 0, misses = 0, evictions = 0, table_reads = 0, unmapped = 0;
};

class NamespaceLookasideBuffer {
  public:
    explicit NamespaceLookasideBuffer(std::size_t entries) : slots_(entries) {
        where_.reserve(2 * entries);
    }

    /// The entry of a namespace, made the most recently used; nullptr on a miss. Valid until the
    /// next insert.
    const NamespaceEntry* find(std::uint64_t id) {
        if (used_ != 0 && slots_[newest_].entry.id == id) {
            ++statistics_.hits;
            return &slots_[newest_].entry;
        }
        const auto found = where_.find(id);
        if (found == where_.end()) {
            ++statistics_.misses;
            return nullptr;
        }
        ++statistics_.hits;
        unlink(found->second);
        link_newest(found->second);
        return &slots_[found->second].entry;
    }
    /// Adds an entry as the most recently used; the least recently used one leaves when the buffer
    /// is full.
    void insert(const NamespaceEntry& entry) {
        std::uint32_t slot;
        if (const auto found = where_.find(entry.id); found != where_.end()) {
            slot = found->second;
            unlink(slot);
        } else if (used_ < slots_.size()) {
            slot = used_++;
            where_.emplace(entry.id, slot);
        } else {
            slot = oldest_;
            ++statistics_.evictions;
            where_.erase(slots_[slot].entry.id);
            unlink(slot);
            where_.emplace(entry.id, slot);
        }
        slots_[slot].entry = entry;
        link_newest(slot);
    }
    /// Forgets everything: the table has changed.
    void clear() {
        where_.clear();
        used_ = 0;
        newest_ = oldest_ = kNone;
    }
    std::size_t size() const { return used_; }
    NlbStatistics& statistics() { return statistics_; }
    const NlbStatistics& statistics() const { return statistics_; }

  private:
    static constexpr std::uint32_t kNone = ~0u;
    struct Slot {
        NamespaceEntry entry;
        std::uint32_t newer = kNone, older = kNone;
    };
    void unlink(std::uint32_t slot) {
        const Slot& s = slots_[slot];
        (s.newer == kNone ? newest_ : slots_[s.newer].older) = s.older;
        (s.older == kNone ? oldest_ : slots_[s.older].newer) = s.newer;
    }
    void link_newest(std::uint32_t slot) {
        slots_[slot].newer = kNone;
        slots_[slot].older = newest_;
        (newest_ == kNone ? oldest_ : slots_[newest_].newer) = slot;
        newest_ = slot;
    }

    std::vector<Slot> slots_;
    std::unordered_map<std::uint64_t, std::uint32_t> where_;
    std::uint32_t used_ = 0, newest_ = kNone, oldest_ = kNone;
    NlbStatistics statistics_;
};

}  // namespace isthmus::sim
