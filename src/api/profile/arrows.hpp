// Arrows in the trace: from the operation on a word to the wait that saw it.
//
// Who is about to write a word of another PE notes there who it is and when it began, in a table by
// the word's place. A wait that ends looks there. Nothing else is exchanged, and nobody waits.
#pragma once

#include <cstddef>
#include <cstdint>

namespace isthmus::profile {

struct Arrow {
    std::uint64_t from;  // monotonic nanoseconds
    std::uint64_t to;
    std::int32_t pe;  // where it begins
    std::int32_t thread;
};

// Collective, in each session that is traced. Without memory there are no arrows.
void open_arrows();
void close_arrows();

// Before an operation on `word` of `pe` that began at `begin`.
void note_write(const void* word, int pe, int thread, std::uint64_t begin);

// Behind a wait for `word` that has ended at `end`: the last operation on it, unless that has been
// told before. False if none is known.
bool find_arrow(const void* word, std::uint64_t end, Arrow& arrow);

}  // namespace isthmus::profile
