// Memory in pieces, of a strided or a vectored message: offsets in a segment.
#pragma once

#include <isthmus/kernel.h>

#include <cstddef>
#include <cstdint>

#include "core/copy/pieces.hpp"

namespace isthmus::kernel_face {

struct Piece {
    std::uint64_t at;  // offset
    std::uint64_t bytes;
};

// Lists as something that gives its pieces one after the other.
class Strided {
  public:
    explicit Strided(const isthmus_kernel_blocks& blocks)
        : at_(blocks.offset),
          stride_(blocks.stride),
          block_(blocks.block),
          left_(blocks.block == 0 ? 0 : blocks.count) {}
    bool empty() const { return left_ == 0; }
    Piece piece() const { return {at_, block_}; }
    void advance() {
        at_ += stride_;
        --left_;
    }

  private:
    std::uint64_t at_;
    std::uint64_t stride_;
    std::uint64_t block_;
    std::uint64_t left_;
};

inline Piece piece_of(const isthmus_kernel_range& range) {
    return {range.offset, range.size};
}
using Vectored = RangeList<isthmus_kernel_range, piece_of>;

}  // namespace isthmus::kernel_face
