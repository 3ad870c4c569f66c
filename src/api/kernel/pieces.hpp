// Memory in pieces, of a strided or a vectored message: offsets in a segment.
#pragma once

#include <isthmus/kernel.h>

#include <cstddef>
#include <cstdint>

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

class Vectored {
  public:
    Vectored(const isthmus_kernel_range* ranges, std::size_t count)
        : next_(ranges), end_(ranges + count) {
        skip_empty();
    }
    bool empty() const { return next_ == end_; }
    Piece piece() const { return {next_->offset, next_->size}; }
    void advance() {
        ++next_;
        skip_empty();
    }

  private:
    void skip_empty() {
        while (next_ != end_ && next_->size == 0)
            ++next_;
    }
    const isthmus_kernel_range* next_;
    const isthmus_kernel_range* end_;
};

}  // namespace isthmus::kernel_face
