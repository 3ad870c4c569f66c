#include "sim/hart/page_table.hpp"

#include "sim/hart/address_space.hpp"

namespace isthmus::sim {
namespace {

constexpr std::uint64_t kValid = 1, kReadable = 2, kWritable = 4, kExecutable = 8, kUser = 16,
                        kGlobal = 32, kAccessed = 64, kDirty = 128;

/// Sv32 or Sv39.
struct Format {
    unsigned levels, index_bits, entry_bytes;
    std::uint64_t reserved;  // bits of an entry that no extension of ours has given a meaning

    explicit Format(Xlen xlen)
        : levels(xlen == Xlen::k32 ? 2 : 3),
          index_bits(xlen == Xlen::k32 ? 10 : 9),
          entry_bytes(xlen == Xlen::k32 ? 4 : 8),
          reserved(xlen == Xlen::k32 ? 0 : std::uint64_t{0x3ff} << 54) {}
};

bool is_canonical(std::uint64_t address) {
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(address << 25) >> 25) == address;
}

bool may(std::uint64_t entry, AccessType type, const AccessRights& rights) {
    const bool user_page = (entry & kUser) != 0;
    if (rights.user != user_page) {
        // Supervisor mode may read and write a user's page with SUM, and never runs its code.
        if (rights.user || !rights.sum || type == AccessType::fetch) return false;
    }
    switch (type) {
        case AccessType::fetch: return (entry & kExecutable) != 0;
        case AccessType::load:
            return (entry & kReadable) != 0 || (rights.mxr && (entry & kExecutable) != 0);
        case AccessType::store: break;
    }
    return (entry & kWritable) != 0;
}

}  // namespace

PageWalk walk_page_table(AddressSpace& memory, Xlen xlen, std::uint64_t satp, std::uint64_t address,
                         AccessType type, const AccessRights& rights,
                         AccessedDirty accessed_dirty) {
    const Format format(xlen);
    PageWalk walk;
    if (xlen == Xlen::k64 && !is_canonical(address)) return walk;
    std::uint64_t table = Satp::root(xlen, satp);
    for (unsigned level = format.levels; level-- != 0;) {
        const unsigned shift = 12 + level * format.index_bits;
        const std::uint64_t index =
            address >> shift & ((std::uint64_t{1} << format.index_bits) - 1);
        const std::uint64_t at = table + index * format.entry_bytes;
        std::uint64_t entry = 0;
        walk.entries[walk.reads++] = at;
        if (!memory.read(at, &entry, format.entry_bytes)) {
            walk.end = PageWalk::End::access_fault;
            return walk;
        }
        if ((entry & kValid) == 0 || (entry & (kReadable | kWritable)) == kWritable ||
            (entry & format.reserved) != 0)
            return walk;
        walk.global |= (entry & kGlobal) != 0;
        const std::uint64_t frame = (entry & ~format.reserved) >> 10 << 12;
        if ((entry & (kReadable | kExecutable)) == 0) {
            // A pointer has no A, D and U, and the last level no pointers.
            if ((entry & (kAccessed | kDirty | kUser)) != 0) return walk;
            table = frame;
            continue;
        }
        const std::uint64_t within = (std::uint64_t{1} << shift) - 1;
        if ((frame & within) != 0 || !may(entry, type, rights)) return walk;
        const std::uint64_t wanted = kAccessed | (type == AccessType::store ? kDirty : 0);
        if ((entry & wanted) != wanted) {
            if (accessed_dirty == AccessedDirty::fault) return walk;
            if (accessed_dirty == AccessedDirty::update) {
                entry |= wanted;
                if (!memory.write(at, &entry, format.entry_bytes)) {
                    walk.end = PageWalk::End::access_fault;
                    return walk;
                }
                walk.updated = true;
            }
        }
        walk.end = PageWalk::End::found;
        walk.level = static_cast<std::uint8_t>(level);
        walk.page_bytes = within + 1;
        walk.physical = frame | (address & within);
        return walk;
    }
    return walk;
}

}  // namespace isthmus::sim
