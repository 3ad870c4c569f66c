#include "message/lanes.hpp"

#include <algorithm>
#include <bit>
#include <memory>
#include <mutex>

#include "base/lasting.hpp"
#include "base/os.hpp"
#include "core/job/window.hpp"
#include "core/wait/sleep.hpp"
#include "message/layout.hpp"
#include "message/send.hpp"

namespace isthmus::messages {

std::atomic<Lane*> lanes = nullptr;

namespace {

constexpr std::uint64_t kLongestInterval = 4096 * kCell;
// A stream: of the last messages in the ring some are this PE's, and each took no longer. The
// consumer looks longer than that for the next (lane_inbox.cpp).
constexpr std::uint64_t kLastCells = 8;
constexpr std::uint64_t kOwnOfThem = 2;
constexpr std::uint64_t kNanosecondsEach = 4000;

constinit std::mutex guard;  // of making them
Lasting<std::unique_ptr<Lane[]>> made;
LaneBoard* own_board = nullptr;

LaneBoard& board_of(int pe) {
    return *translate(own_board, pe);
}

}  // namespace

Lane* all_lanes() {
    Lane* all = lanes.load(std::memory_order_acquire);  // partner: below
    if (all) return all;
    const std::lock_guard lock(guard);
    if (!*made) *made = std::make_unique<Lane[]>(post.pes);
    // Release: partner is own_lane, and above.
    lanes.store(made->get(), std::memory_order_release);
    return made->get();
}

bool Lane::has_room(std::uint64_t bytes) {
    if (position_ + bytes <= limit_) return true;
    // Acquire: partner is the release of RingReader::move_on; the cells are free and cleared.
    const std::uint64_t head = control_->head.load(std::memory_order_acquire);
    limit_ = head + room_;
    return position_ + bytes <= limit_ || position_ == head;
}

// The consumer has looked away: so the lane is empty, and may be another PE's.
inline bool Lane::is_over() const {
    // Acquire: partner is the release of who has looked away.
    return LaneWord::is_over(word_->load(std::memory_order_acquire), opening());
}

void Lane::give_lane_back(const Target& to) {
    control_->position = position_;
    control_->opening = opening();
    is_leaving_ = false;
    // Release: partner is take_lane.
    board_of(to.pe).taken.fetch_and(~(1U << number_), std::memory_order_release);
}

bool Lane::close_if_over(Target& to) {
    if (!is_over()) [[likely]]
        return false;
    give_lane_back(to);
    to.requests.go_on(kLookInterval);
    thread_.store(nullptr, std::memory_order_release);  // partner: take
    return true;
}

bool Lane::take() {
    const void* nobody = nullptr;
    // Acquire: partner is the release of who had it before.
    return thread_.compare_exchange_strong(nobody, this_thread(), std::memory_order_acquire,
                                           std::memory_order_relaxed);
}

void Lane::tidy(Target& to) {
    if (is_mine()) {
        close_if_over(to);
    } else if (looked_at_.load(std::memory_order_relaxed) != 0 && take()) {
        if (is_leaving_ && is_over()) give_lane_back(to);
        thread_.store(nullptr, std::memory_order_release);  // partner: take
    }
}

void Lane::announce(Target& to) {
    there_ = LaneWord::of(opening() + 1, LaneLook::there);
    const LaneNotice notice{0, number_, 0, opening()};
    to.requests.send_notice(&notice, sizeof notice);
}

void Lane::leave(Target& to) {
    const LaneNotice notice{0, number_, 1, opening()};
    to.requests.send_notice(&notice, sizeof notice);
    is_leaving_ = true;
    to.requests.go_on(kLookInterval);
    thread_.store(nullptr, std::memory_order_release);  // partner: take
}

int Lane::announce_line(Target& to) {
    if (LaneWord::is_unseen(word_->load(std::memory_order_relaxed), opening())) announce(to);
    return wake_for_line(to);
}

bool Lane::is_ready(Target& to, std::uint64_t bytes) {
    return !close_if_over(to) && has_room(bytes);
}

bool Lane::append(Target& to, const Parcel& parcel) {
    const std::uint64_t size = message_bytes(parcel);
    const std::uint64_t bytes = frame_bytes(size);
    const std::uint64_t left = kLaneBytes - (position_ & (kLaneBytes - 1));
    const std::uint64_t padding = bytes > left ? left : 0;
    if (!is_ready(to, padding + bytes)) return false;
    if (padding != 0) {
        FrameHead& frame = frame_at(position_);
        *reinterpret_cast<std::uint64_t*>(&frame + 1) = 0;  // RingReader
        publish(frame, kPadding, padding);
    }
    FrameHead& frame = frame_at(position_);
    write(reinterpret_cast<char*>(&frame + 1), parcel);
    publish(frame, size, bytes);
    finish_line(to);
    return true;
}

// What others write there may be half of a message: an estimate.
ISTHMUS_UNSEEN_BY_THREAD_SANITIZER bool Lane::is_streaming(const Target& to,
                                                           std::uint64_t position) {
    const std::uint64_t cells = (position - looked_at_.load(std::memory_order_relaxed)) / kCell;
    const std::uint64_t now = os::monotonic_nanoseconds();
    const std::uint64_t before = looked_when_.exchange(now, std::memory_order_relaxed);
    looked_at_.store(position, std::memory_order_relaxed);
    if (before == 0 || now - before > cells * kNanosecondsEach) return false;
    std::uint64_t own = 0;
    for (std::uint64_t cell = 1; cell <= kLastCells; ++cell) {
        const FrameHead& frame = to.requests.cell_before(position, cell);
        const auto* const head = reinterpret_cast<const std::uint64_t*>(&frame + 1);
        if (frame.mark.load(std::memory_order_relaxed) == ((position - cell * kCell) | kVisible) &&
            (__atomic_load_n(head, __ATOMIC_RELAXED) >> 32 & 0xffff) == post.head >> 32)
            ++own;
    }
    return own >= kOwnOfThem;
}

bool Lane::open_if_streaming(Target& to) {
    const std::uint64_t position = to.requests.position();
    const std::uint64_t interval =
        std::max(interval_.load(std::memory_order_relaxed), kLookInterval);
    // It fails for want of room.
    if (position - looked_at_.load(std::memory_order_relaxed) < interval) return false;
    if (is_streaming(to, position)) {
        // Who streams to one PE after the other leaves lanes behind, which others may want.
        for (std::uint32_t pe = 0; pe < post.pes; ++pe)
            lanes.load(std::memory_order_relaxed)[pe].tidy(post.targets[pe]);
        interval_.store(kLookInterval, std::memory_order_relaxed);
        if (open(to)) return true;
    } else if (interval < kLongestInterval) {
        interval_.store(2 * interval, std::memory_order_relaxed);
    }
    to.requests.fail_after(interval_.load(std::memory_order_relaxed));
    return false;
}

// One that is free. False: none is.
bool Lane::take_lane(const Target& to) {
    LaneBoard& board = board_of(to.pe);
    std::uint32_t taken = board.taken.load(std::memory_order_relaxed);
    do {
        number_ = static_cast<std::uint32_t>(std::countr_one(taken));
        if (number_ >= kLanes) return false;
        // Acquire: partner is the release of who had it before.
    } while (!board.taken.compare_exchange_weak(
        taken, taken | 1U << number_, std::memory_order_acquire, std::memory_order_relaxed));
    control_ = &board.lanes[number_];
    cells_ = reinterpret_cast<char*>(&board) + kLaneCells + number_ * kLaneBytes;
    word_ = &control_->word;
    position_ = control_->position;
    there_ = LaneWord::of(control_->opening, LaneLook::there);
    room_ = allowed_bytes(kLaneBytes);
    limit_ = control_->head.load(std::memory_order_acquire) + room_;  // as has_room()
    return true;
}

bool Lane::open(Target& to) {
    if (!take()) return false;
    const bool is_free = is_leaving_ ? is_over() : take_lane(to);
    if (!is_free) {
        thread_.store(nullptr, std::memory_order_release);  // partner: take
        return false;
    }
    is_leaving_ = false;
    announce(to);
    to.requests.stop();
    return true;
}

void open_lanes(LaneBoard* board) {
    own_board = board;
    lanes.store(nullptr, std::memory_order_relaxed);  // nobody sends yet
    made->reset();
    open_lane_inbox(board);
}

}  // namespace isthmus::messages
