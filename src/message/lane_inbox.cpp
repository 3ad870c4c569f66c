// The consumer's end of lanes.
#include <bit>
#include <limits>

#include "core/wait/sleep.hpp"
#include "message/handlers.hpp"
#include "message/lanes.hpp"

namespace isthmus::messages {
namespace {

// Polls that find nothing in a lane, until it is looked at no longer.
constexpr std::uint32_t kIdlePolls = 4096;

LaneBoard* board = nullptr;
RingReader readers[kLanes];
bool is_open[kLanes];
std::atomic<std::uint32_t> idle[kLanes];  // relaxed: an estimate

template <typename Use>
void for_each_lane(Use&& use) {
    for (std::uint32_t left = post.lanes.load(std::memory_order_relaxed); left != 0;
         left &= left - 1)
        use(static_cast<std::uint32_t>(std::countr_zero(left)));
}

void look_at(std::uint32_t lane) {
    idle[lane].store(0, std::memory_order_relaxed);
    if (post.lanes.fetch_or(1U << lane, std::memory_order_relaxed) != 0) return;
    post.beyond.fetch_or(kHasLanes, std::memory_order_relaxed);
    post.due.fetch_or(kHasLanes, std::memory_order_relaxed);
}
void forget(std::uint32_t lane) {
    if (post.lanes.fetch_and(~(1U << lane), std::memory_order_relaxed) != 1U << lane) return;
    post.beyond.fetch_and(static_cast<std::uint16_t>(~kHasLanes), std::memory_order_relaxed);
    post.due.fetch_and(~std::uint32_t{kHasLanes}, std::memory_order_relaxed);
}

// What has been handled is before it.
void look_away(std::uint32_t lane, std::uint64_t opening) {
    // Release: partner is the acquire of a producer, who may give the lane away.
    board->lanes[lane].word.store(LaneWord::of(opening, LaneLook::away), std::memory_order_release);
    forget(lane);
}
void try_to_look_away(std::uint32_t lane) {
    std::atomic<std::uint64_t>& word = board->lanes[lane].word;
    const std::uint64_t opening = LaneWord::opening(word.load(std::memory_order_relaxed));
    // Relaxed, both: the barrier is in between, here and at the producer (Lane::look_again).
    word.store(LaneWord::of(opening, LaneLook::trying), std::memory_order_relaxed);
    if (fence_writers() && !readers[lane].has_come()) return look_away(lane, opening);
    word.store(LaneWord::of(opening, LaneLook::there), std::memory_order_relaxed);
    idle[lane].store(0, std::memory_order_relaxed);
}

int serve_lane(std::uint32_t lane, int most) {
    return readers[lane].serve_stream(most, [](const FrameHead& frame) {
        return deliver(reinterpret_cast<const Head&>(*(&frame + 1)), frame.size);
    });
}

// One that lies in the ring. It may be given again.
void take_lane_notice(const LaneNotice& notice) {
    LaneControl& control = board->lanes[notice.lane];
    const std::uint64_t word = control.word.load(std::memory_order_relaxed);
    if (notice.leaves == 0) {
        if (!LaneWord::is_news(word, notice.opening)) return;
        if (!is_open[notice.lane])
            readers[notice.lane].open(
                control.head,
                reinterpret_cast<char*>(board) + kLaneCells + notice.lane * kLaneBytes, kLaneBytes);
        is_open[notice.lane] = true;
        control.word.store(LaneWord::of(notice.opening, LaneLook::there),
                           std::memory_order_relaxed);
        look_at(notice.lane);
    } else if (word == LaneWord::of(notice.opening, LaneLook::there)) {
        // All of it is there: it was sent before the notice.
        serve_lane(notice.lane, std::numeric_limits<int>::max());
        look_away(notice.lane, notice.opening);
    }
}

}  // namespace

bool has_come_to_lanes() {
    bool has_come = false;
    for_each_lane([&](std::uint32_t lane) {
        std::uint32_t polls = 0;
        if (!readers[lane].has_come()) {
            polls = idle[lane].load(std::memory_order_relaxed) + 1;
            has_come |= polls > kIdlePolls;
        } else {
            has_come = true;
        }
        idle[lane].store(polls, std::memory_order_relaxed);
    });
    return has_come;
}

int serve_lanes(int most) {
    int handled = 0;
    for_each_lane([&](std::uint32_t lane) {
        const int of_lane = serve_lane(lane, most);
        handled += of_lane;
        if (of_lane == 0 && idle[lane].load(std::memory_order_relaxed) > kIdlePolls)
            try_to_look_away(lane);
    });
    return handled;
}

void open_lane_inbox(LaneBoard* own_board) {
    board = own_board;
    take_notice = [](const Head& notice) {
        take_lane_notice(reinterpret_cast<const LaneNotice&>(notice));
    };
}

void close_lanes() {
    for_each_lane(forget);
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
        if (is_open[lane]) readers[lane].close();
        is_open[lane] = false;
    }
}

}  // namespace isthmus::messages
