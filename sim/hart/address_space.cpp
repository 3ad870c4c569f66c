#include "sim/hart/address_space.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <vector>

namespace isthmus::sim {

AddressSpace::~AddressSpace() {
    for (auto& [start, region] : regions_) {
        if (region.host) munmap(region.host, region.end - region.start);
    }
}

const Region* AddressSpace::find_slow(std::uint64_t address) const {
    auto next = regions_.upper_bound(address);
    if (next == regions_.begin()) return nullptr;
    const Region& region = std::prev(next)->second;
    if (address - region.start >= region.end - region.start) return nullptr;
    last_ = &region;
    return last_;
}

void AddressSpace::split(std::uint64_t at) {
    auto next = regions_.upper_bound(at);
    if (next == regions_.begin()) return;
    Region& lower = std::prev(next)->second;
    if (at <= lower.start || at >= lower.end) return;
    Region upper = lower;
    upper.start = at;
    if (upper.host) upper.host += at - lower.start;
    lower.end = at;
    regions_.emplace(at, std::move(upper));
}

void AddressSpace::map(std::uint64_t start, std::uint64_t size, std::uint8_t rights,
                       std::string name) {
    map_host(start, size, rights, std::move(name),
             mmap(nullptr, size, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
}

// One region instead of one for each call keeps look-ups short. The host may move it.
void AddressSpace::map_onto(std::uint64_t start, std::uint64_t size, std::uint8_t rights,
                            const std::string& name) {
    unmap(start, size);
    const auto next = regions_.lower_bound(start);
    if (next != regions_.begin()) {
        Region& below = std::prev(next)->second;
        const std::uint64_t before = below.end - below.start;
        if (below.end == start && below.host && below.rights == rights && below.name == name) {
            void* const host = mremap(below.host, before, before + size, MREMAP_MAYMOVE);
            if (host != MAP_FAILED) {
                below.host = static_cast<std::byte*>(host);
                below.end += size;
                ++map_version_;
                return;
            }
        }
    }
    map(start, size, rights, name);
}

void AddressSpace::map_file(std::uint64_t start, std::uint64_t size, std::uint8_t rights,
                            std::string name, int file, std::uint64_t offset, bool writable) {
    map_host(start, size, rights, std::move(name),
             mmap(nullptr, size, PROT_READ | (writable ? PROT_WRITE : 0), MAP_SHARED, file,
                  static_cast<off_t>(offset)));
}

void AddressSpace::map_host(std::uint64_t start, std::uint64_t size, std::uint8_t rights,
                            std::string name, void* host) {
    if (host == MAP_FAILED) {
        throw std::runtime_error("cannot reserve " + std::to_string(size >> 20) + " MiB for '" +
                                 name + "': " + std::strerror(errno) +
                                 "; a smaller --memory or fewer nodes may help");
    }
    unmap(start, size);
    regions_[start] = Region{start,   start + size,   rights, static_cast<std::byte*>(host),
                             nullptr, std::move(name)};
    last_ = nullptr;
    ++map_version_;
}

void AddressSpace::map_device(std::uint64_t start, std::uint64_t size, Device* device,
                              std::string name) {
    unmap(start, size);
    regions_[start] = Region{start, start + size, kRead | kWrite, nullptr, device, std::move(name)};
    last_ = nullptr;
    ++map_version_;
}

void AddressSpace::unmap(std::uint64_t start, std::uint64_t size) {
    split(start);
    split(start + size);
    auto it = regions_.lower_bound(start);
    while (it != regions_.end() && it->second.start < start + size) {
        if (it->second.host) munmap(it->second.host, it->second.end - it->second.start);
        it = regions_.erase(it);
    }
    if (start < full_to_ && start + size > full_from_) full_to_ = std::max(start, full_from_);
    last_ = nullptr;
    ++map_version_;
    note_write(start, size);
}

bool AddressSpace::protect(std::uint64_t start, std::uint64_t size, std::uint8_t rights) {
    std::uint64_t covered = start;
    while (covered < start + size) {
        const Region* region = find(covered);
        if (!region) return false;
        covered = region->end;
    }
    split(start);
    split(start + size);
    for (auto it = regions_.lower_bound(start);
         it != regions_.end() && it->second.start < start + size; ++it)
        it->second.rights = rights;
    last_ = nullptr;
    ++map_version_;
    note_write(start, size);
    return true;
}

bool AddressSpace::is_free(std::uint64_t start, std::uint64_t size) const {
    auto next = regions_.lower_bound(start + size);
    return next == regions_.begin() || std::prev(next)->second.end <= start;
}

std::uint64_t AddressSpace::find_free(std::uint64_t from, std::uint64_t size,
                                      std::uint64_t limit) const {
    if (from < full_from_ || from > full_to_) full_from_ = full_to_ = from;
    auto next = regions_.upper_bound(full_to_);
    if (next != regions_.begin()) full_to_ = std::max(full_to_, std::prev(next)->second.end);
    std::uint64_t candidate = full_to_;
    bool full = true;
    for (; next != regions_.end() && next->first - candidate < size; ++next) {
        full = full && next->first == candidate;
        candidate = next->second.end;
        if (full) full_to_ = candidate;
    }
    return candidate <= limit && limit - candidate >= size ? candidate : 0;
}

bool AddressSpace::read(std::uint64_t address, void* to, std::size_t size,
                        std::uint8_t rights) const {
    auto* out = static_cast<std::byte*>(to);
    while (size != 0) {
        const Region* region = find(address);
        if (!region || (region->rights & rights) != rights || !region->host) return false;
        const std::size_t n = std::min<std::uint64_t>(size, region->end - address);
        std::memcpy(out, region->host + (address - region->start), n);
        out += n;
        address += n;
        size -= n;
    }
    return true;
}

bool AddressSpace::write(std::uint64_t address, const void* from, std::size_t size,
                         std::uint8_t rights) {
    const auto* in = static_cast<const std::byte*>(from);
    while (size != 0) {
        const Region* region = find(address);
        if (!region || (region->rights & rights) != rights || !region->host) return false;
        const std::size_t n = std::min<std::uint64_t>(size, region->end - address);
        std::memcpy(region->host + (address - region->start), in, n);
        note_write(address, n);
        in += n;
        address += n;
        size -= n;
    }
    return true;
}

bool AddressSpace::read_string(std::uint64_t address, std::string& out, std::size_t limit) const {
    out.clear();
    while (out.size() < limit) {
        char c = 0;
        if (!read(address++, &c, 1)) return false;
        if (c == 0) return true;
        out.push_back(c);
    }
    return false;
}

void AddressSpace::note_write(std::uint64_t address, std::size_t size) {
    if (code_pages_.empty()) return;
    if (size / kPageSize > code_pages_.size()) {
        for (const std::uint64_t page : code_pages_) {
            if (page - address < size) {
                ++code_version_;
                return;
            }
        }
        return;
    }
    for (std::uint64_t page = address & kPageMask; page < address + size; page += kPageSize) {
        if (code_pages_.count(page)) {
            ++code_version_;
            return;
        }
    }
}

std::uint64_t AddressSpace::mapped_bytes() const {
    std::uint64_t bytes = 0;
    for (const auto& [start, region] : regions_)
        bytes += region.host ? region.end - region.start : 0;
    return bytes;
}

std::uint64_t AddressSpace::resident_bytes() const {
    std::uint64_t bytes = 0;
    std::vector<unsigned char> present;
    for (const auto& [start, region] : regions_) {
        if (!region.host) continue;
        // In pieces: one byte per page of a large reservation would itself be large.
        constexpr std::uint64_t kPiece = std::uint64_t{1} << 28;
        for (std::uint64_t at = 0; at < region.end - region.start; at += kPiece) {
            const std::uint64_t length = std::min(kPiece, region.end - region.start - at);
            present.resize(length / kPageSize);
            if (mincore(region.host + at, length, present.data()) != 0) continue;
            for (unsigned char page : present)
                bytes += (page & 1) ? kPageSize : 0;
        }
    }
    return bytes;
}

}  // namespace isthmus::sim
