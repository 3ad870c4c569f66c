// Arithmetic on vectors of several PEs, a part of them at a time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "core/copy/copy.hpp"
#include "core/teams/collective/kernels.hpp"

namespace isthmus::collective {

// Part of the vector that is worked on while it stays in the first-level cache.
inline constexpr std::size_t kTileBytes = 8192;

struct alignas(64) Tile {
    char bytes[kTileBytes];
};

struct Part {
    std::size_t begin;
    std::size_t end;
};

// Parts begin on cache lines if the vector does, so that no two PEs write one line.
inline Part part_of(std::size_t elements, std::size_t element_bytes, int size, int index) {
    const std::size_t line = std::max<std::size_t>(64 / element_bytes, 1);
    const std::size_t lines = (elements + line - 1) / line;
    const auto pes = static_cast<std::size_t>(size);
    const auto mine = static_cast<std::size_t>(index);
    return {std::min(elements, lines * mine / pes * line),
            std::min(elements, lines * (mine + 1) / pes * line)};
}

// out = from(0) OP from(1) OP ... OP from(size - 1), tile by tile. `out` may be one of the sources:
// it is written last. finish(offset, bytes) runs while the tile of `out` is in the cache.
template <typename From, typename Finish>
void fold(int size, Combine combine, char* out, Part part, std::size_t element_bytes,
          const From& from, const Finish& finish) {
    Tile tile;
    const std::size_t step = kTileBytes / element_bytes;
    for (std::size_t begin = part.begin; begin < part.end; begin += step) {
        const std::size_t count = std::min(step, part.end - begin);
        const std::size_t offset = begin * element_bytes;
        const void* sum = from(0) + offset;
        for (int index = 1; index < size; ++index) {
            void* const into = index == size - 1 ? out + offset : tile.bytes;
            combine(into, sum, from(index) + offset, count);
            sum = into;
        }
        finish(offset, count * element_bytes);
    }
}

// The sums over PEs 0..last, zero if there is none; the running sum goes to `out`, whose tile is
// written once, at the end.
template <typename From>
void fold_up_to(int last, Combine combine, char* out, std::size_t elements,
                std::size_t element_bytes, const From& from) {
    if (last < 0)
        std::memset(out, 0, elements * element_bytes);
    else if (last == 0) {
        if (out != from(0)) copy(out, from(0), elements * element_bytes);
    } else
        fold(last + 1, combine, out, {0, elements}, element_bytes, from,
             [](std::size_t, std::size_t) {});
}

}  // namespace isthmus::collective
