// Strided elements and strided blocks, near or far: put and get of operation.hpp for what has
// strides on both sides. One pass, no staging copy where the memory is near.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <vector>

#include "core/copy/copy.hpp"
#include "core/reach/operation.hpp"
#include "core/reach/scattered.hpp"

namespace isthmus::operation {

// Strides in elements, of dest and source.
struct Blocks {
    std::ptrdiff_t dst;
    std::ptrdiff_t sst;
    std::size_t block;  // elements in a block
    std::size_t count;  // blocks
};

// Bytes from the first to behind the last element, for the checks.
inline std::size_t extent(std::ptrdiff_t stride, const Blocks& shape, std::size_t unit) {
    if (shape.count == 0 || shape.block == 0) return 0;
    std::size_t elements = 0;
    if (__builtin_mul_overflow(static_cast<std::size_t>(stride), shape.count - 1, &elements) ||
        __builtin_add_overflow(elements, shape.block, &elements))
        return ~std::size_t{0};
    std::size_t bytes = 0;
    return __builtin_mul_overflow(elements, unit, &bytes) ? ~std::size_t{0} : bytes;
}

// A block of dest and one of source that have bytes in common, by their numbers.
struct CommonBlocks {
    std::uint64_t dest;
    std::uint64_t source;
};
// The first of dest's, from its block `first` on; none if all lie between those of the source.
// There are blocks, of elements, and both strides are a block's length at least.
std::optional<CommonBlocks> find_common(const void* dest, const void* source, const Blocks& shape,
                                        std::size_t unit, std::uint64_t first = 0);

// memcpy of a constant size is one move where the processor has one, so elements are not torn.
template <std::size_t kBytes>
void copy_elements(char* dest, const char* source, std::ptrdiff_t dst, std::ptrdiff_t sst,
                   std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
        std::memcpy(dest, source, kBytes);
        dest += dst * static_cast<std::ptrdiff_t>(kBytes);
        source += sst * static_cast<std::ptrdiff_t>(kBytes);
    }
}

template <std::size_t kUnit>
void copy_blocks(void* dest, const void* source, const Blocks& shape) {
    char* to = static_cast<char*>(dest);
    const char* from = static_cast<const char*>(source);
    if (shape.block == 1) {
        copy_elements<kUnit>(to, from, shape.dst, shape.sst, shape.count);
        return;
    }
    const std::size_t bytes = shape.block * kUnit;
    for (std::size_t i = 0; i < shape.count; ++i) {
        copy(to, from, bytes);
        to += shape.dst * static_cast<std::ptrdiff_t>(kUnit);
        from += shape.sst * static_cast<std::ptrdiff_t>(kUnit);
    }
}

// For PEs that the window does not reach. What lies in one piece there goes as one, short blocks
// share requests; a get takes the gaps along, which costs less than a reply for each block, unless
// they are large. What is longer than one read with gaps goes as several that are under way at
// once.
inline constexpr std::size_t kFetchedWithGaps = 65536;
inline constexpr std::size_t kReadsAtOnce = 16;
// Of many blocks that are further apart than this each is a read: gaps would cost more than
// replies.
inline constexpr std::size_t kNear = 4096;

template <std::size_t kUnit>
void put_blocks_far(void* dest, const void* source, const Blocks& shape, int pe,
                    const char* routine, far::Channel* on) {
    const std::size_t bytes = shape.block * kUnit;
    if (shape.dst == static_cast<std::ptrdiff_t>(shape.block) && shape.count > 1) {
        std::vector<char> packed(bytes * shape.count);
        copy_blocks<kUnit>(packed.data(), source, shape);
        return far::put(dest, packed.data(), packed.size(), pe, routine, on);
    }
    auto* to = static_cast<char*>(dest);
    const auto* from = static_cast<const char*>(source);
    ScatteredPut blocks(pe, routine, on);
    for (std::size_t i = 0; i < shape.count; ++i) {
        blocks.add(to, from, bytes);
        to += shape.dst * static_cast<std::ptrdiff_t>(kUnit);
        from += shape.sst * static_cast<std::ptrdiff_t>(kUnit);
    }
}

// Blocks that are near each other, and together longer than a read with gaps.
template <std::size_t kUnit>
void get_near_blocks(char* to, const char* from, const Blocks& shape, int pe, const char* routine) {
    const std::size_t bytes = shape.block * kUnit;
    const std::size_t distance = static_cast<std::size_t>(shape.sst) * kUnit;
    const std::size_t in_read = (kFetchedWithGaps - bytes) / distance + 1;
    const std::size_t at_once = std::min(shape.count, in_read * kReadsAtOnce);
    const auto fetched = std::make_unique_for_overwrite<char[]>(at_once * distance);
    for (std::size_t done = 0; done < shape.count;) {
        const std::size_t count = std::min(at_once, shape.count - done);
        {
            ScatteredGet reads(pe, nullptr, routine);
            for (std::size_t i = 0; i < count; i += in_read)
                reads.add(fetched.get() + i * distance, from + i * distance,
                          (std::min(in_read, count - i) - 1) * distance + bytes);
        }
        copy_blocks<kUnit>(to, fetched.get(), {shape.dst, shape.sst, shape.block, count});
        done += count;
        to += count * static_cast<std::size_t>(shape.dst) * kUnit;
        from += count * distance;
    }
}

template <std::size_t kUnit>
void get_blocks_far(void* dest, const void* source, const Blocks& shape, int pe,
                    const char* routine) {
    const std::size_t whole = extent(shape.sst, shape, kUnit);
    if (whole == 0) return;
    const auto block = static_cast<std::ptrdiff_t>(shape.block);
    if (shape.dst == block && shape.sst == block) return far::get(dest, source, whole, pe, routine);
    if (whole <= kFetchedWithGaps) {
        std::vector<char> fetched(whole);
        far::get(fetched.data(), source, whole, pe, routine);
        return copy_blocks<kUnit>(dest, fetched.data(), shape);
    }
    auto* to = static_cast<char*>(dest);
    const auto* from = static_cast<const char*>(source);
    // Strides are no shorter than blocks.
    if (static_cast<std::size_t>(shape.sst) <= kNear / kUnit)
        return get_near_blocks<kUnit>(to, from, shape, pe, routine);
    ScatteredGet blocks(pe, nullptr, routine);
    for (std::size_t i = 0; i < shape.count; ++i) {
        blocks.add(to, from, shape.block * kUnit);
        to += shape.dst * static_cast<std::ptrdiff_t>(kUnit);
        from += shape.sst * static_cast<std::ptrdiff_t>(kUnit);
    }
}

// The caller has checked the extent() of what is at the other PE.
template <std::size_t kUnit>
void put_blocks(Target there, void* dest, const void* source, const Blocks& blocks, int pe,
                const char* routine, far::Channel* on = far::road) {
    if (!there) return put_blocks_far<kUnit>(dest, source, blocks, pe, routine, on);
    copy_blocks<kUnit>(*there, source, blocks);
}
template <std::size_t kUnit>
void get_blocks(Target there, void* dest, const void* source, const Blocks& blocks, int pe,
                const char* routine) {
    if (!there) return get_blocks_far<kUnit>(dest, source, blocks, pe, routine);
    copy_blocks<kUnit>(dest, *there, blocks);
}

}  // namespace isthmus::operation
