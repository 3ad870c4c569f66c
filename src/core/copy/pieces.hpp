// Two lists of pieces of memory, side by side.
#pragma once

#include <algorithm>
#include <cstddef>

namespace isthmus {

// Calls move(dest, source, bytes) for the parts that the two have in common; true if they end
// together. A list has empty(), advance() and piece(), which has `at`, an address or an offset, and
// `bytes`, not 0.
template <typename Dest, typename Source, typename Move>
bool walk_pieces(Dest dest, Source source, Move&& move) {
    std::size_t taken_of_dest = 0;
    std::size_t taken_of_source = 0;
    while (!dest.empty() && !source.empty()) {
        const auto to = dest.piece();
        const auto from = source.piece();
        const std::size_t bytes = std::min(to.bytes - taken_of_dest, from.bytes - taken_of_source);
        move(to.at + taken_of_dest, from.at + taken_of_source, bytes);
        if ((taken_of_dest += bytes) == to.bytes) {
            dest.advance();
            taken_of_dest = 0;
        }
        if ((taken_of_source += bytes) == from.bytes) {
            source.advance();
            taken_of_source = 0;
        }
    }
    return dest.empty() && source.empty();
}

// A list of ranges as something that gives its pieces one after the other: those that are not
// empty.
template <typename Range, auto kPieceOf>
class RangeList {
  public:
    RangeList(const Range* ranges, std::size_t count) : next_(ranges), end_(ranges + count) {
        skip_empty();
    }
    bool empty() const { return next_ == end_; }
    auto piece() const { return kPieceOf(*next_); }
    void advance() {
        ++next_;
        skip_empty();
    }

  private:
    void skip_empty() {
        while (next_ != end_ && next_->size == 0)
            ++next_;
    }
    const Range* next_;
    const Range* end_;
};

}  // namespace isthmus
