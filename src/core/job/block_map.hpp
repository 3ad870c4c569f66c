// Checked mode: which bytes of the symmetric heap belong to blocks that are in use. One byte for
// each 64 of the heap says how many of them do, from the first on.
//
// Hot path of checked mode: covers(), one load for what is short.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "core/job/job.hpp"

namespace isthmus {

// As memset, in pieces that the C library stores by its loop: of more it has the processor repeat a
// byte's store, which counts as an instruction for each.
void fill_bytes(void* begin, unsigned char byte, std::uint64_t bytes);

class BlockMap {
  public:
    static constexpr std::uint64_t kGranule = 64;

    // Of a range that begins and ends with a granule; nothing of it is in use. Memory is occupied
    // where blocks are. False and errno if there is no room for it.
    bool open(Range range);
    void close();
    bool is_open() const { return bytes_ != nullptr; }
    bool contains(const void* address) const { return range_.contains(address); }

    // Blocks begin with a granule, and share none.
    void add(std::uintptr_t begin, std::uint64_t bytes);
    void remove(std::uintptr_t begin, std::uint64_t bytes);

    // All of [address, address + bytes) lies in one block: between two there is at least a granule
    // that is in neither. At least one byte.
    bool covers(const void* address, std::uint64_t bytes) const {
        return covers_short(address, bytes) || covers_any(address, bytes);
    }
    // The same for what lies within one granule; false of anything else.
    bool covers_short(const void* address, std::uint64_t bytes) const {
        const std::uint64_t from = reinterpret_cast<std::uintptr_t>(address) - range_.begin;
        const std::uint64_t in_granule = from % kGranule + bytes;
        return from < range_.size && bytes <= kGranule && in_granule <= in_use(from / kGranule);
    }
    // The same of kFew bytes at most that begin in the range, by one look: behind the range nothing
    // is in use.
    static constexpr std::uint64_t kFew = 7 * kGranule;
    bool covers_few(const void* address, std::uint64_t bytes) const {
        const std::uint64_t from = reinterpret_cast<std::uintptr_t>(address) - range_.begin;
        const std::uint64_t last = from % kGranule + bytes - 1;  // from the granule's begin
        return is_used_to(bytes_ + from / kGranule, last);
    }
    // What covers_short() looks at, for who does it by himself.
    const Range& range() const { return range_; }
    const std::uint8_t* bytes() const { return bytes_; }
    // The same for all lengths.
    bool covers_any(const void* address, std::uint64_t bytes) const;

  private:
    static constexpr std::uint64_t kEightFull = kGranule * 0x0101'0101'0101'0101;
    std::uint64_t in_use(std::uint64_t granule) const { return bytes_[granule]; }
    // Up to the byte `last` of eight granules, from the first one's begin: all of those before its
    // own are full.
    static bool is_used_to(const std::uint8_t* eight, std::uint64_t last) {
        std::uint64_t used = 0;
        std::memcpy(&used, eight, sizeof used);
        const std::uint64_t full = last / kGranule * 8;  // bits, less than 64
        return ((used ^ kEightFull) & ((std::uint64_t{1} << full) - 1)) == 0 &&
               last % kGranule < (used >> full & 0xff);
    }

    Range range_;  // empty while closed
    // Not atomic: a block is handed out and freed between barriers, and shares no byte with others.
    std::uint8_t* bytes_ = nullptr;
};
extern BlockMap block_map __attribute__((visibility("hidden")));

}  // namespace isthmus
