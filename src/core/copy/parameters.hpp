// What the long copies know of their processor: few numbers, each from the sizes of the caches
// where these decide, and measured where they do not (measure.hpp). No vendor is asked for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/caches.hpp"

namespace isthmus {

// How a block is copied. Alternating: every other copy of a thread runs downwards, so that it finds
// what the one before has left in the caches. Claimed: lines of the destination are prefetched for
// writing. String: the processor's own instruction. Streamed: stores go past the caches, in vectors
// of 32 bytes (narrow) or of the loop's width.
enum class Way : std::uint8_t {
    upwards,
    claimed,
    alternating,
    alternating_claimed,
    string,
    streamed_narrow,
    streamed,
    count
};
const char* way_name(Way way);
constexpr bool is_streamed(Way way) {
    return way == Way::streamed_narrow || way == Way::streamed;
}
constexpr bool is_alternating(Way way) {
    return way == Way::alternating || way == Way::alternating_claimed;
}

inline constexpr std::size_t kNeverCopied = ~std::size_t{0};
// Shorter blocks are copied by the plain loop before anything else is looked at.
inline constexpr std::size_t kLongBlock = 16384;

struct CopyParameters {
    // In bytes of a block.
    std::size_t turn = 22 << 10;             // below: the first level holds source and dest
    std::size_t outer_from = 512 << 10;      // from here on the second level does not
    std::size_t beyond_from = kNeverCopied;  // from here on no cache that is worth keeping does
    // Bytes copied since a block was last met after which it is fresh: in no cache any more.
    std::size_t reuse = 2 << 20;
    Way inner = Way::alternating;  // turn to outer_from
    Way outer = Way::alternating;  // outer_from to beyond_from
    Way beyond = Way::streamed;
    Way fresh = Way::upwards;  // of kLongBlock or more, whatever the size
    // Downwards if dest is just ahead of source modulo 4096. Shorter blocks than `turn` always.
    bool shun_alias = true;
    bool narrow = false;  // vectors of 32 bytes, although the processor has wider ones

    bool operator==(const CopyParameters&) const = default;
};

// From the sizes of the caches alone.
CopyParameters standard_parameters(const Caches& caches);

// As lines "name = value", in the order above, with `processor` first; and back. Nothing if a line
// is missing, doubled or not known, a value is not legal, or it is of another processor: whoever
// asks then does without.
std::string parameters_text(const CopyParameters& parameters, std::string_view processor);
std::optional<CopyParameters> parse_parameters(std::string_view text, std::string_view processor);

// In one line, for people.
std::string describe_parameters(const CopyParameters& parameters);

}  // namespace isthmus
