// Strided elements and strided blocks, near or far: put and get of operation.hpp for what has
// strides on both sides. One pass, no staging copy where the memory is near.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <vector>

#include "core/copy/copy.hpp"
#include "core/reach/operation.hpp"
#include "core/reach/scattered.hpp"
#include "core/reach/shape.hpp"

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

// For PEs that the window does not reach: what lies in one piece there goes as one, short blocks
// share requests.
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

template <std::size_t kUnit>
void get_blocks_far(void* dest, const void* source, const Blocks& shape, int pe,
                    const char* routine) {
    if (extent(shape.sst, shape, kUnit) == 0) return;
    far::get_rows({static_cast<char*>(dest),
                   {static_cast<std::uint64_t>(shape.dst) * kUnit, 0},
                   static_cast<const char*>(source),
                   {static_cast<std::uint64_t>(shape.sst) * kUnit, 0},
                   {shape.block * kUnit, shape.count, 1}},
                  pe, nullptr, routine);
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
