// Lanes: rings for those that stream. A ring that any number of PEs write costs each message a
// compare-and-swap, which waits until all stores before it are done, the message before among them.
// A lane is written by one thread of one PE, so its messages need none, and follow each other as
// fast as the lines move.
//
// A PE has kLanes lanes of requests, for whoever streams to it; who finds none free goes on with
// the ring. A thread finds that it streams when it looks, every few hundred messages: the last of
// the ring are its own, and have come quickly. It announces the lane in the ring, and from then on
// sends all its requests to that PE there, until the consumer has looked away
// (message/lane_word.hpp), or the lane has been full for long: then it leaves, and says so in the
// ring, whose reader handles first what is left in the lane. So what a thread sends is handled in
// its order, wherever it lies.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "message/lane_word.hpp"
#include "message/message.hpp"
#include "message/post.hpp"
#include "message/send.hpp"

namespace isthmus::messages {

inline constexpr int kLanes = 16;
inline constexpr std::uint64_t kLaneBytes = std::uint64_t{64} << 10;
static_assert(kLargestMessage <= message_limit(kLaneBytes));
// In the ring, of each lane: that its producer leaves, an announcement, and that it leaves again;
// for the consumer may look away before it comes to the first. And one that it has come to, but not
// given back yet.
inline constexpr std::uint64_t kLaneNotices = std::uint64_t{4} << 10;
static_assert((3 * kLanes + 1) * kCell <= kLaneNotices);

struct LaneControl {
    alignas(64) std::atomic<std::uint64_t> head;  // consumer: what is before it is free
    alignas(64) std::atomic<std::uint64_t> word;  // consumer: LaneWord
    // Of who had it last: where the next message goes, and how often it has been announced.
    alignas(64) std::uint64_t position;
    std::uint64_t opening;
};
// In the internal part of the heap, zero at start, which is right.
struct LaneBoard {
    std::atomic<std::uint32_t> taken;  // a bit for each lane, by producers
    LaneControl lanes[kLanes];
};
inline constexpr std::uint64_t kLaneCells = 4096;  // behind it
static_assert(sizeof(LaneBoard) <= kLaneCells);
inline constexpr std::uint64_t kLanesSize = kLaneCells + kLanes * kLaneBytes;

// In the ring: the head's word is 0, so that it is no message.
struct LaneNotice {
    std::uint64_t no_head;
    std::uint32_t lane;
    std::uint32_t leaves;  // 0: it is announced
    std::uint64_t opening;
};

// What a thread of this PE sends to one of its host.
class alignas(128) Lane {
  public:
    // This thread's: its requests go there.
    bool is_mine() const {
        // Relaxed: a thread finds itself here only if it has come here itself.
        return thread_.load(std::memory_order_relaxed) == this_thread();
    }
    // Of a lane that is this thread's. False: ask append(). A short message of one line, by as few
    // instructions as may be, and no calls, so that nobody on the way here need save registers.
    // Behind it finish_line().
    [[gnu::always_inline]] bool append_line(unsigned handler, const void* arguments,
                                            std::size_t bytes) {
        // Relaxed, both looks: nothing is done with what they say but to look once more.
        if (position_ >= limit_ || word_->load(std::memory_order_relaxed) != there_) [[unlikely]]
            return false;
        FrameHead& frame = frame_at(position_);
        write_line(reinterpret_cast<char*>(&frame + 1), kShort | kRequest,
                   static_cast<int>(handler), arguments, bytes);
        // One store more: with fewer to a line so many lines are on their way at once that the
        // consumer takes some away before they are written, and the stream takes half as long again
        // (docs/messages.md).
        if (bytes <= kLineArguments - sizeof(std::uint64_t))
            __atomic_store_n(reinterpret_cast<std::uint64_t*>(&frame) + kCell / 8 - 1, 0,
                             __ATOMIC_RELAXED);
        publish(frame, sizeof(Head) + bytes, kCell);
        return true;
    }
    // The last thing that a call does. 0.
    [[gnu::always_inline]] int finish_line(Target& to) {
        if (is_seen()) [[likely]]
            return wake_for_line(to);
        return announce_line(to);
    }
    bool append(Target& to, const Parcel& parcel);
    bool has_room(std::uint64_t bytes);
    // Sends by the ring from now on.
    void leave(Target& to);
    // Where claim_cell() fails: whether it has become this thread's.
    bool open_if_streaming(Target& to);

  private:
    bool take();
    bool open(Target& to);
    bool is_over() const;
    void give_lane_back(const Target& to);
    bool close_if_over(Target& to);
    void tidy(Target& to);
    bool take_lane(const Target& to);
    bool is_ready(Target& to, std::uint64_t bytes);
    void announce(Target& to);
    [[gnu::noinline]] int announce_line(Target& to);
    // Behind a message. The processor's half of the barrier between its mark and this look is the
    // consumer's, who makes the kernel run it (fence_writers).
    [[gnu::always_inline]] bool is_seen() const {
        __asm__ __volatile__("" ::: "memory");
        return word_->load(std::memory_order_relaxed) == there_;
    }
    FrameHead& frame_at(std::uint64_t position) const {
        return *reinterpret_cast<FrameHead*>(cells_ + (position & (kLaneBytes - 1)));
    }
    [[gnu::always_inline]] void publish(FrameHead& frame, std::uint64_t size, std::uint64_t bytes) {
        RingProducer::write_size(frame, size, bytes);
        frame.mark.store(position_ | kVisible, std::memory_order_release);  // partner: RingReader
        position_ += bytes;
    }
    std::uint64_t opening() const { return LaneWord::opening(there_); }
    bool is_streaming(const Target& to, std::uint64_t position);

    // Who has it; null: nobody. Acquire by who comes, release by who goes; what follows is that
    // thread's.
    std::atomic<const void*> thread_;
    std::uint64_t position_;  // of the next message
    std::uint64_t limit_;     // where the last for which there is room ends, as far as is known
    std::atomic<std::uint64_t>* word_;
    std::uint64_t there_;  // what it is when the consumer looks at what has been announced
    char* cells_;
    LaneControl* control_;
    std::uint64_t room_;  // bytes that may be outstanding; one frame always may
    std::uint32_t number_;
    bool is_leaving_;  // the lane is this PE's until the consumer has come to the notice
    // Where this PE has looked last whether it streams, when, and how far on it looks again; any
    // thread, relaxed: estimates.
    std::atomic<std::uint64_t> looked_at_;
    std::atomic<std::uint64_t> looked_when_;
    std::atomic<std::uint64_t> interval_;
};
// How far on the first time.
inline constexpr std::uint64_t kLookInterval = 256 * kCell;

// To a PE of this host, if a thread of this one has looked whether it streams there; null: none
// has.
extern std::atomic<Lane*> lanes __attribute__((visibility("hidden")));
// Of a PE of this host.
[[gnu::always_inline]] inline Lane* own_lane(int pe) {
    // Acquire: partner is the release of who has made them.
    Lane* const all = lanes.load(std::memory_order_acquire);
    return all && all[pe].is_mine() ? all + pe : nullptr;
}
// To every PE; made by whoever asks first.
Lane* all_lanes();

// Of a session; the board is zero. Behind the end the consumer's is closed, and the producers' stay
// until the next, for a thread that is on its way to one.
void open_lanes(LaneBoard* board);
void open_lane_inbox(LaneBoard* board);
void close_lanes();
// By who runs the requests (Inbox::runner): what has come into the lanes that are looked at, `most`
// messages of each; how many.
int serve_lanes(int most);

}  // namespace isthmus::messages
