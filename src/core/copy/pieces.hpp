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

}  // namespace isthmus
