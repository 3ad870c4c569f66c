// The caches of one node and the directory that keeps them coherent: first-level caches (the
// *agents*), an inclusive second level whose tags hold the directory, and memory. Remote operations
// enter through the directory too, but are not cached: a remote read leaves all states as they are,
// a remote write removes the line from every cache of the node.
//
// Protocol: MESI. The directory is exact: it knows each holder (evictions are reported) and whether
// the only holder may write without asking (*owned*: exclusive or modified). Each call is one whole
// transaction; the timing model turns what it reports into time.
//
// Invariants (check() walks them all): a line in a first-level cache is in the second level; an
// owned line has exactly one holder, in E or M; a line that is not owned has holders in S only.
//
// Payload is what a line carries: nothing in the simulator, a value in the protocol's tests. One
// source, two instances, no cost.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>
#include <vector>

#include "sim/memory/cache_array.hpp"

namespace isthmus::sim {

enum class LineState : std::uint8_t { invalid, shared, exclusive, modified };

/// Where a transaction found its line.
enum class HitLevel : std::uint8_t { first, second, memory };

struct NoPayload {};
struct NoStore {
    NoPayload read(std::uint64_t) { return {}; }
    void write(std::uint64_t, NoPayload) {}
};

/// What a transaction did, for the timing model to price.
struct Transaction {
    HitLevel level = HitLevel::first;
    std::uint8_t probes = 0;    ///< first-level caches asked to give up or share the line
    bool upgrade = false;       ///< the line was there, the right to write was not
    bool memory_write = false;  ///< a dirty line went to memory
    std::uint64_t written_line = 0;
};

struct CacheShape {
    std::uint64_t sets, ways;
    bool may_write;  ///< false: instruction cache
};

template <class Payload = NoPayload, class Store = NoStore>
class CoherentHierarchy {
  public:
    /// Up to 16 agents.
    CoherentHierarchy(const std::vector<CacheShape>& first_level, std::uint64_t l2_sets,
                      std::uint64_t l2_ways, Store store = {})
        : l2_(l2_sets, l2_ways), store_(std::move(store)) {
        for (const CacheShape& shape : first_level) {
            l1_.emplace_back(shape.sets, shape.ways);
            may_write_.push_back(shape.may_write);
        }
    }

    /// The common case, one look-up: true (and touched) if the agent can read the line at once.
    bool read_hit(unsigned agent, std::uint64_t line) {
        const std::size_t slot = l1_[agent].find(line);
        if (slot == kNoSlot) return false;
        l1_[agent].touch(slot);
        return true;
    }
    /// The same for a write: the line becomes modified.
    bool write_hit(unsigned agent, std::uint64_t line) {
        const std::size_t slot = l1_[agent].find(line);
        if (slot == kNoSlot || l1_[agent].meta(slot).state == LineState::shared) return false;
        l1_[agent].meta(slot).state = LineState::modified;
        l1_[agent].touch(slot);
        return true;
    }

    /// Brings the line into the agent's cache for reading.
    Transaction read(unsigned agent, std::uint64_t line) {
        Transaction t;
        if (read_hit(agent, line)) return t;
        std::size_t slot = find_or_fill(line, t);
        Second& entry = l2_.meta(slot);
        if (entry.owned) {
            demote_owner(entry, line, LineState::shared);
            ++t.probes;
        }
        const bool alone = entry.sharers == 0 && may_write_[agent];
        entry.sharers |= bit(agent);
        entry.owned = alone;
        fill_first(agent, line, alone ? LineState::exclusive : LineState::shared, entry.payload);
        return t;
    }

    /// Brings the line into the agent's cache with the right to write; it becomes modified.
    Transaction write(unsigned agent, std::uint64_t line) {
        Transaction t;
        if (write_hit(agent, line)) return t;
        const std::size_t held = l1_[agent].find(line);
        std::size_t slot = find_or_fill(line, t);
        Second& entry = l2_.meta(slot);
        t.upgrade = held != kNoSlot;
        t.probes = static_cast<std::uint8_t>(t.probes + remove_holders(entry, line, agent));
        entry.sharers = bit(agent);
        entry.owned = true;
        if (held != kNoSlot) {
            l1_[agent].meta(held).state = LineState::modified;
            l1_[agent].touch(held);
        } else {
            fill_first(agent, line, LineState::modified, entry.payload);
        }
        return t;
    }

    /// Reads for the NIC. `value` receives the line's current payload.
    Transaction remote_read(std::uint64_t line, Payload* value = nullptr) {
        Transaction t;
        const std::size_t slot = l2_.find(line);
        if (slot == kNoSlot) {
            t.level = HitLevel::memory;
            if (value != nullptr) *value = store_.read(line);
            return t;
        }
        t.level = HitLevel::second;
        const Second& entry = l2_.meta(slot);
        if (value != nullptr) *value = entry.payload;
        if (entry.owned) {
            ++t.probes;
            const auto owner = static_cast<unsigned>(std::countr_zero(entry.sharers));
            if (value != nullptr) *value = l1_[owner].meta(l1_[owner].find(line)).payload;
        }
        return t;
    }

    /// Writes for the NIC: `update(Payload&)` changes the line in memory; no cache of the node
    /// keeps it.
    template <class Update>
    Transaction remote_write(std::uint64_t line, Update&& update) {
        Transaction t;
        t.level = HitLevel::memory;
        Payload value{};
        const std::size_t slot = l2_.find(line);
        if (slot != kNoSlot) {
            t.level = HitLevel::second;
            Second& entry = l2_.meta(slot);
            t.probes = static_cast<std::uint8_t>(remove_holders(entry, line, kNobody));
            value = entry.payload;
            l2_.remove(slot);
        } else {
            value = store_.read(line);
        }
        update(value);
        store_.write(line, value);
        t.memory_write = true;
        t.written_line = line;
        return t;
    }
    Transaction remote_write(std::uint64_t line) {
        return remote_write(line, [](Payload&) {});
    }

    /// The payload in the agent's cache, which must hold the line: read, or written after write().
    Payload& payload(unsigned agent, std::uint64_t line) {
        l1_[agent].touch(l1_[agent].find(line));
        return l1_[agent].meta(l1_[agent].find(line)).payload;
    }
    LineState state(unsigned agent, std::uint64_t line) const {
        const std::size_t slot = l1_[agent].find(line);
        return slot == kNoSlot ? LineState::invalid : l1_[agent].meta(slot).state;
    }
    bool in_second_level(std::uint64_t line) const { return l2_.find(line) != kNoSlot; }
    Store& store() { return store_; }

    /// Walks every line. Empty if all invariants hold, else the first that does not. Expensive.
    std::string check() const {
        for (unsigned agent = 0; agent < l1_.size(); ++agent) {
            for (std::size_t slot = 0; slot < l1_[agent].slots(); ++slot) {
                if (!l1_[agent].valid(slot)) continue;
                const std::uint64_t line = l1_[agent].line(slot);
                const std::string who =
                    "agent " + std::to_string(agent) + ", line " + std::to_string(line) + ": ";
                const std::size_t second = l2_.find(line);
                if (second == kNoSlot) return who + "not in the second level";
                const Second& entry = l2_.meta(second);
                const LineState state = l1_[agent].meta(slot).state;
                if ((entry.sharers & bit(agent)) == 0) return who + "not known to the directory";
                if (state == LineState::invalid) return who + "valid tag, invalid state";
                if ((state == LineState::shared) == entry.owned)
                    return who + "state and ownership differ";
                if (state != LineState::shared && !may_write_[agent])
                    return who + "owned by a reader";
            }
        }
        for (std::size_t slot = 0; slot < l2_.slots(); ++slot) {
            if (!l2_.valid(slot)) continue;
            const std::uint64_t line = l2_.line(slot);
            const Second& entry = l2_.meta(slot);
            const std::string who = "directory, line " + std::to_string(line) + ": ";
            if (entry.owned && std::popcount(entry.sharers) != 1)
                return who + "owned by other than one";
            for (unsigned agent = 0; agent < l1_.size(); ++agent) {
                if ((entry.sharers & bit(agent)) != 0 && l1_[agent].find(line) == kNoSlot) {
                    return who + "agent " + std::to_string(agent) + " does not hold it";
                }
            }
        }
        return {};
    }

  private:
    struct First {
        LineState state;
        [[no_unique_address]] Payload payload;
    };
    struct Second {
        std::uint16_t sharers;
        bool owned, dirty;
        [[no_unique_address]] Payload payload;
    };
    static constexpr std::size_t kNoSlot = CacheArray<First>::kNoSlot;
    static constexpr unsigned kNobody = 16;

    static std::uint16_t bit(unsigned agent) { return static_cast<std::uint16_t>(1u << agent); }

    /// The single owner gives up its right to write; a modified line's payload comes back to the
    /// second level.
    void demote_owner(Second& entry, std::uint64_t line, LineState to) {
        const auto owner = static_cast<unsigned>(std::countr_zero(entry.sharers));
        const std::size_t slot = l1_[owner].find(line);
        First& first = l1_[owner].meta(slot);
        if (first.state == LineState::modified) {
            entry.payload = first.payload;
            entry.dirty = true;
        }
        first.state = to;
        entry.owned = false;
    }

    /// Invalidates all holders but `keep`. Returns how many were asked.
    unsigned remove_holders(Second& entry, std::uint64_t line, unsigned keep) {
        unsigned probes = 0;
        if (entry.owned && (keep == kNobody || (entry.sharers & bit(keep)) == 0)) {
            demote_owner(entry, line, LineState::shared);
        }
        for (unsigned agent = 0; agent < l1_.size(); ++agent) {
            if (agent == keep || (entry.sharers & bit(agent)) == 0) continue;
            l1_[agent].remove(l1_[agent].find(line));
            entry.sharers &= static_cast<std::uint16_t>(~bit(agent));
            ++probes;
        }
        return probes;
    }

    std::size_t find_or_fill(std::uint64_t line, Transaction& t) {
        l2_.open(line);
        std::size_t slot = l2_.find(line);
        if (slot != kNoSlot) {
            t.level = HitLevel::second;
            l2_.touch(slot);
            return slot;
        }
        t.level = HitLevel::memory;
        slot = l2_.victim(line);
        if (l2_.valid(slot)) {
            Second& old = l2_.meta(slot);
            const std::uint64_t old_line = l2_.line(slot);
            t.probes = static_cast<std::uint8_t>(t.probes + remove_holders(old, old_line, kNobody));
            if (old.dirty) {
                store_.write(old_line, old.payload);
                t.memory_write = true;
                t.written_line = old_line;
            }
            l2_.remove(slot);
        }
        l2_.place(slot, line);
        l2_.meta(slot) = Second{0, false, false, store_.read(line)};
        return slot;
    }

    void fill_first(unsigned agent, std::uint64_t line, LineState state, const Payload& payload) {
        CacheArray<First>& cache = l1_[agent];
        const std::size_t slot = cache.victim(line);
        if (cache.valid(slot)) {
            const std::uint64_t old_line = cache.line(slot);
            Second& entry = l2_.meta(l2_.find(old_line));  // inclusive: it is there
            if (cache.meta(slot).state == LineState::modified) {
                entry.payload = cache.meta(slot).payload;
                entry.dirty = true;
            }
            entry.sharers &= static_cast<std::uint16_t>(~bit(agent));
            entry.owned = false;
            cache.remove(slot);
        }
        cache.place(slot, line);
        cache.meta(slot) = First{state, payload};
    }

    std::vector<CacheArray<First>> l1_;
    std::vector<bool> may_write_;
    CacheArray<Second> l2_;
    [[no_unique_address]] Store store_;
};

}  // namespace isthmus::sim
