// The functional memory of one node: regions of guest addresses backed by host memory or by a
// device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <unordered_set>

namespace isthmus::sim {

inline constexpr std::uint64_t kPageSize = 4096;
inline constexpr std::uint64_t kPageMask = ~(kPageSize - 1);

enum Access : std::uint8_t { kRead = 1, kWrite = 2, kExecute = 4 };

/// Memory-mapped registers. Called with naturally aligned accesses of 1, 2, 4 or 8 bytes, offset
/// from the region.
class Device {
  public:
    virtual ~Device() = default;
    virtual std::uint64_t read(std::uint64_t offset, unsigned size) = 0;
    virtual void write(std::uint64_t offset, unsigned size, std::uint64_t value) = 0;
};

/// A contiguous range of guest addresses with one set of rights.
struct Region {
    std::uint64_t start = 0, end = 0;
    std::uint8_t rights = 0;
    std::byte* host = nullptr;  // of `start`; null for a device
    Device* device = nullptr;
    std::string name;
};

/// Regions never overlap. Host memory is reserved when a region is mapped and committed by the host
/// when touched, so an untouched gigabyte costs nothing. Not thread-safe: a node is advanced by one
/// host thread at a time, and others reach its memory only between the steps of a round.
class AddressSpace {
  public:
    AddressSpace() = default;
    ~AddressSpace();
    AddressSpace(const AddressSpace&) = delete;
    AddressSpace& operator=(const AddressSpace&) = delete;

    /// Maps zeroed memory; what was there before is unmapped. start and size are multiples of the
    /// page size and size is not 0. Throws std::runtime_error if the host refuses the reservation.
    void map(std::uint64_t start, std::uint64_t size, std::uint8_t rights, std::string name);
    /// As map(); what is just below is made larger where it is memory with the same rights and
    /// name.
    void map_onto(std::uint64_t start, std::uint64_t size, std::uint8_t rights,
                  const std::string& name);
    /// As map(), with the pages of a host's file: what is written goes there. The file must have
    /// them and keep them; `writable` if it is open for writing.
    void map_file(std::uint64_t start, std::uint64_t size, std::uint8_t rights, std::string name,
                  int file, std::uint64_t offset, bool writable);
    /// Maps a device; the caller keeps it alive.
    void map_device(std::uint64_t start, std::uint64_t size, Device* device, std::string name);
    /// Drops the pages; parts that are not mapped are skipped.
    void unmap(std::uint64_t start, std::uint64_t size);
    /// Changes the rights; false if a part is not mapped.
    bool protect(std::uint64_t start, std::uint64_t size, std::uint8_t rights);
    /// The lowest free range of that size at or above `from`, or 0 if there is none below `limit`.
    std::uint64_t find_free(std::uint64_t from, std::uint64_t size, std::uint64_t limit) const;
    bool is_free(std::uint64_t start, std::uint64_t size) const;

    const Region* find(std::uint64_t address) const {
        if (last_ && address - last_->start < last_->end - last_->start) return last_;
        return find_slow(address);
    }
    /// Host address of a byte if its region is memory and grants `rights`, else null.
    std::byte* host(std::uint64_t address, std::uint8_t rights) const {
        const Region* region = find(address);
        if (!region || (region->rights & rights) != rights || !region->host) return nullptr;
        return region->host + (address - region->start);
    }

    /// Copies across regions; false, having copied a prefix, if a part is not memory with the
    /// rights.
    bool read(std::uint64_t address, void* to, std::size_t size, std::uint8_t rights = kRead) const;
    bool write(std::uint64_t address, const void* from, std::size_t size,
               std::uint8_t rights = kWrite);
    /// Reads a string up to a limit; false if it runs into unmapped memory first.
    bool read_string(std::uint64_t address, std::string& out, std::size_t limit = 4096) const;

    /// Code bookkeeping: pages that hold decoded instructions. Writes to them raise code_version().
    void mark_code(std::uint64_t page) {
        if (code_pages_.insert(page & kPageMask).second) ++code_epoch_;
    }
    bool is_code(std::uint64_t page) const { return code_pages_.count(page & kPageMask) != 0; }
    void note_write(std::uint64_t address, std::size_t size);
    /// Rises with every write to a page with decoded instructions and when such a page is unmapped
    /// or loses rights.
    std::uint64_t code_version() const { return code_version_; }
    std::uint64_t map_version() const { return map_version_; }
    /// Rises when a page is first found to hold code; cached rights to write to it end then.
    std::uint64_t code_epoch() const { return code_epoch_; }

    /// Bytes of host memory in use for this address space, as the host counts them.
    std::uint64_t resident_bytes() const;
    /// Of memory, whether touched or not.
    std::uint64_t mapped_bytes() const;

    const std::map<std::uint64_t, Region>& regions() const { return regions_; }

  private:
    void map_host(std::uint64_t start, std::uint64_t size, std::uint8_t rights, std::string name,
                  void* host);
    const Region* find_slow(std::uint64_t address) const;
    void split(std::uint64_t at);

    std::map<std::uint64_t, Region> regions_;  // by start
    mutable const Region* last_ = nullptr;
    /// No page between them is free: find_free() need not walk through what it filled before.
    mutable std::uint64_t full_from_ = 0, full_to_ = 0;
    std::unordered_set<std::uint64_t> code_pages_;
    std::uint64_t code_version_ = 0, map_version_ = 0, code_epoch_ = 0;
};

}  // namespace isthmus::sim
