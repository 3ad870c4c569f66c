// The namespace table: what a namespace id stands for. It lies in the last bytes of each node's
// memory, as a hash table with open addressing whose entries are 32 bytes (the paper's 16 KB for
// 512 entries), and is read by the NLB on a miss.
//
// Entry 0x00 namespace  0x08 node  0x0c rights (0: empty)  0x10 first legal address  0x18 number of
// bytes
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim/machine/check.hpp"
#include "sim/machine/machine.hpp"

namespace isthmus::sim {

/// Program data of one node. Addresses are physical. One thread at a time.
class NodeMemory {
  public:
    virtual ~NodeMemory() = default;
    /// True if all of [address, address + bytes) exists and grants `rights` (kMayRead, kMayWrite).
    virtual bool contains(std::uint64_t address, std::uint64_t bytes,
                          std::uint32_t rights) const = 0;
    virtual void read(std::uint64_t address, std::span<std::byte> to) = 0;
    virtual void write(std::uint64_t address, std::span<const std::byte> from) = 0;
};

inline constexpr std::uint32_t kMayRead = 1, kMayWrite = 2, kMayAtomic = 4, kAllRights = 7;
inline constexpr std::uint32_t kRemovedEntry = 0x80000000u;  // keeps the chain whole

struct NamespaceEntry {
    std::uint64_t id = 0;
    std::uint32_t node = 0;
    std::uint32_t rights = 0;
    std::uint64_t base = 0;
    std::uint64_t bytes = 0;

    bool allows(std::uint64_t address, std::uint64_t length, std::uint32_t right) const {
        return (rights & right) == right && address >= base && length <= bytes &&
               address - base <= bytes - length;
    }
};
static_assert(sizeof(NamespaceEntry) == 32 && std::is_trivially_copyable_v<NamespaceEntry>);
static_assert(std::endian::native == std::endian::little,
              "the table in simulated memory is little-endian");

class ResidentNamespaceTable {
  public:
    explicit ResidentNamespaceTable(const MachineDescription& machine)
        : base_(machine.namespace_table_base()), entries_(machine.nlb.table_entries) {}

    std::uint64_t address(std::uint64_t slot) const {
        return base_ + slot * sizeof(NamespaceEntry);
    }
    /// Slot where the search for a namespace begins; it goes on to the next, round the end.
    std::uint64_t first_slot(std::uint64_t id) const {
        return (id * 0x9e3779b97f4a7c15u >> 32) & (entries_ - 1);
    }
    std::uint64_t next_slot(std::uint64_t slot) const { return (slot + 1) & (entries_ - 1); }
    std::uint64_t entries() const { return entries_; }

    NamespaceEntry load(NodeMemory& memory, std::uint64_t slot) const {
        std::array<std::byte, sizeof(NamespaceEntry)> raw;
        memory.read(address(slot), raw);
        return std::bit_cast<NamespaceEntry>(raw);
    }
    /// Adds or replaces. Namespace 0 is the node itself and cannot be entered; a full table is a
    /// ModelError.
    void insert(NodeMemory& memory, const NamespaceEntry& entry) const {
        if (entry.id == 0 || (entry.rights & kAllRights) == 0) {
            model_error("namespace table: namespace " + std::to_string(entry.id) +
                        " without rights, or 0");
        }
        std::uint64_t slot = first_slot(entry.id), free = entries_;
        for (std::uint64_t i = 0; i < entries_; ++i, slot = next_slot(slot)) {
            const NamespaceEntry old = load(memory, slot);
            if ((old.rights & kAllRights) != 0 && old.id != entry.id) continue;
            if (free == entries_ || old.id == entry.id) free = slot;
            if (old.rights == 0 || ((old.rights & kAllRights) != 0 && old.id == entry.id)) break;
        }
        if (free == entries_) {
            model_error("namespace table: no room for namespace " + std::to_string(entry.id) +
                        " in " + std::to_string(entries_) + " entries; raise nlb.table_entries");
        }
        memory.write(address(free), std::as_bytes(std::span(&entry, 1)));
    }
    /// Removes; false if it was not there.
    bool remove(NodeMemory& memory, std::uint64_t id) const {
        std::uint64_t slot = first_slot(id);
        for (std::uint64_t i = 0; i < entries_; ++i, slot = next_slot(slot)) {
            NamespaceEntry old = load(memory, slot);
            if (old.rights == 0) return false;
            if (old.id != id || (old.rights & kAllRights) == 0) continue;
            old = {0, 0, kRemovedEntry, 0, 0};
            memory.write(address(slot), std::as_bytes(std::span(&old, 1)));
            return true;
        }
        return false;
    }
    /// Finds an entry without spending simulated time (set-up and tests).
    std::optional<NamespaceEntry> find(NodeMemory& memory, std::uint64_t id) const {
        std::uint64_t slot = first_slot(id);
        for (std::uint64_t i = 0; i < entries_; ++i, slot = next_slot(slot)) {
            const NamespaceEntry entry = load(memory, slot);
            if (entry.rights == 0) return std::nullopt;
            if (entry.id == id && (entry.rights & kAllRights) != 0) return entry;
        }
        return std::nullopt;
    }

  private:
    std::uint64_t base_, entries_;
};

}  // namespace isthmus::sim
