#include "core/job/block_map.hpp"

#include <sys/mman.h>

#include <bit>
#include <cstring>

namespace isthmus {

BlockMap block_map;

void fill_bytes(void* begin, unsigned char byte, std::uint64_t bytes) {
    std::uint64_t piece = 1024;
    // Of a length that it knows the compiler would make such a repeated store itself.
    __asm__("" : "+r"(piece));
    char* place = static_cast<char*>(begin);
    for (; bytes > piece; bytes -= piece, place += piece)
        std::memset(place, byte, piece);
    std::memset(place, byte, bytes);
}

namespace {

// Eight are read at once.
static_assert(std::endian::native == std::endian::little);
std::uint64_t bytes_for(const Range& range) {
    return range.size / BlockMap::kGranule + sizeof(std::uint64_t);
}

}  // namespace

bool BlockMap::open(Range range) {
    close();
    void* const place = mmap(nullptr, bytes_for(range), PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (place == MAP_FAILED) return false;
    bytes_ = static_cast<std::uint8_t*>(place);
    range_ = range;
    return true;
}

void BlockMap::close() {
    if (bytes_) munmap(bytes_, bytes_for(range_));
    bytes_ = nullptr;
    range_ = {};
}

void BlockMap::add(std::uintptr_t begin, std::uint64_t bytes) {
    std::uint8_t* const first = bytes_ + (begin - range_.begin) / kGranule;
    const std::uint64_t whole = bytes / kGranule;
    fill_bytes(first, kGranule, whole);
    if (bytes % kGranule != 0) first[whole] = bytes % kGranule;
}

void BlockMap::remove(std::uintptr_t begin, std::uint64_t bytes) {
    fill_bytes(bytes_ + (begin - range_.begin) / kGranule, 0, (bytes + kGranule - 1) / kGranule);
}

bool BlockMap::covers_any(const void* address, std::uint64_t bytes) const {
    const std::uint64_t from = reinterpret_cast<std::uintptr_t>(address) - range_.begin;
    if (from >= range_.size || bytes > range_.size - from) return false;
    const std::uint64_t last = from + bytes - 1;
    std::uint64_t granule = from / kGranule;
    // Eight at a time: long blocks are looked at in front of each transfer.
    for (; last / kGranule - granule >= sizeof kEightFull; granule += sizeof kEightFull) {
        std::uint64_t eight = 0;
        std::memcpy(&eight, bytes_ + granule, sizeof eight);
        if (eight != kEightFull) return false;
    }
    return is_used_to(bytes_ + granule, last - granule * kGranule);
}

}  // namespace isthmus
