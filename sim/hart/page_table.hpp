// Page tables of Sv39 and Sv32: the walk from satp to a leaf, and what a leaf allows to whom.
#pragma once

#include <array>
#include <cstdint>

#include "sim/isa/subset.hpp"

namespace isthmus::sim {

class AddressSpace;

/// What satp has; a mode of 0 is bare.
struct Satp {
    static constexpr std::uint64_t mode(Xlen xlen, std::uint64_t satp) {
        return xlen == Xlen::k32 ? satp >> 31 & 1 : satp >> 60;
    }
    static constexpr std::uint64_t asid(Xlen xlen, std::uint64_t satp) {
        return xlen == Xlen::k32 ? satp >> 22 & 0x1ff : satp >> 44 & 0xffff;
    }
    static constexpr std::uint64_t root(Xlen xlen, std::uint64_t satp) {
        return (xlen == Xlen::k32 ? satp & 0x3fffff : satp & 0xfffffffffff) << 12;
    }
    /// Bare, Sv32 on RV32, Sv39 on RV64.
    static constexpr bool is_legal(Xlen xlen, std::uint64_t satp) {
        return xlen == Xlen::k32 || mode(xlen, satp) == 0 || mode(xlen, satp) == 8;
    }
};

enum class AccessType : std::uint8_t { fetch, load, store };

/// Whose access it is: user mode's or supervisor mode's, with the bits of mstatus that bear on it.
struct AccessRights {
    bool user = false, sum = false, mxr = false;
    bool operator==(const AccessRights&) const = default;
};

/// What becomes of a leaf whose A, or D for a store, is clear.
enum class AccessedDirty : std::uint8_t {
    fault,   // the access faults, and software sets them (Svade)
    update,  // the walk sets them in memory (Svadu)
    ignore,  // nothing: who only wants to know where an address leads
};

struct PageWalk {
    static constexpr unsigned kMaxReads = 3;
    enum class End : std::uint8_t { found, page_fault, access_fault };

    End end = End::page_fault;
    std::uint8_t level = 0;  // of the leaf: 0 is a page of 4 KB
    std::uint8_t reads = 0;
    bool global = false;
    std::uint64_t physical = 0;                      // of the address, if found
    std::uint64_t page_bytes = 0;                    // of the leaf
    std::array<std::uint64_t, kMaxReads> entries{};  // where entries were read
    bool updated = false;                            // A or D was set in the last of them
};

/// Walks the table that satp names. satp is not bare.
PageWalk walk_page_table(AddressSpace& memory, Xlen xlen, std::uint64_t satp, std::uint64_t address,
                         AccessType type, const AccessRights& rights, AccessedDirty accessed_dirty);

}  // namespace isthmus::sim
