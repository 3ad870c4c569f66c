// What the two ends of a lane (message/lanes.hpp) tell each other. Numbers alone, so that a model
// can walk them (tests/message/lane_model_test.cpp).
//
// The producer announces a lane in the ring: then the consumer looks at it, at each poll. When it
// has found nothing there for long it tries to look away: it says so, makes the kernel run a
// barrier on every processor (fence_writers()), and looks once more; it looks away if nothing is
// there then. The producer looks at the word behind each of its messages. So one of the two sees
// the other: a message is seen by that last look, or its producer sees that the consumer has said
// so, and announces the lane again. Openings are counted, so that the word tells an announcement
// that is still in the ring.
#pragma once

#include <cstdint>

namespace isthmus::messages {

enum class LaneLook : std::uint8_t { away, trying, there };

class LaneWord {
  public:
    static constexpr std::uint64_t of(std::uint64_t opening, LaneLook look) {
        return opening << 2 | static_cast<std::uint64_t>(look);
    }
    static constexpr std::uint64_t opening(std::uint64_t word) { return word >> 2; }
    // What a producer that has announced its lane so often reads.
    // Before a message: nobody looks, and all that was in the lane has been handled. So it may send
    // by the ring again, and give the lane away.
    static constexpr bool is_over(std::uint64_t word, std::uint64_t opening) {
        return word == of(opening, LaneLook::away);
    }
    // Behind a message: it may not be seen.
    static constexpr bool is_unseen(std::uint64_t word, std::uint64_t opening) {
        return word == of(opening, LaneLook::away) || word == of(opening, LaneLook::trying);
    }
    // What the consumer does with an announcement that it comes to: not twice, for a reader may be
    // given a notice again.
    static constexpr bool is_news(std::uint64_t word, std::uint64_t opening) {
        return LaneWord::opening(word) != opening;
    }
};

}  // namespace isthmus::messages
