// Queues: N-to-1 rings of framed messages in the consumer's memory.
//
// The ring is a row of 64-byte cells. A frame is one or more whole cells that do not wrap: a head
// of 16 bytes, then the message, so that a small message costs one cache line. Positions count
// bytes for ever (63 bits: they do not come round); position mod capacity is the place. A producer
// takes room by moving `tail` on (compare-and-swap), fills it, and makes it visible by the mark in
// the frame's head: its own position, so no mark of an earlier frame looks like it. The top bit of
// `tail` closes the queue: no room is taken after it. The consumer looks only at the head of the
// next frame; it clears the first word of a frame's inner cells before it gives them back, because
// what lies there could look like a head of the coming lap.
//
// Nothing is ever written by two: tail by producers, head by the consumer, a frame by its producer
// until it is visible and by the consumer from then on.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <limits>

#include "base/is_zero.hpp"
#include "base/thread_sanitizer.hpp"
#include "core/copy/prefetch.hpp"
#include "core/job/pe_set.hpp"
#include "core/segments/segment.hpp"
#include "core/wait/event.hpp"

namespace isthmus {

inline constexpr std::uint64_t kCell = 64;

struct FrameHead {
    // Position of the frame, and kVisible when it can be read: release by the producer, acquire by
    // the consumer. Never 0, the cleared mark, when visible.
    std::atomic<std::uint64_t> mark;
    std::uint32_t size;   // of the message; kPadding: none, the frame goes to the end of the ring
    std::uint32_t cells;  // of the frame
};
static_assert(sizeof(FrameHead) == 16);
inline constexpr std::uint64_t kVisible = 1;
// The consumer's own note: released, and something before it is not.
inline constexpr std::uint64_t kReleased = 2;
static_assert((kVisible | kReleased) < kCell);
inline constexpr std::uint32_t kPadding = ~std::uint32_t{0};
// A size that says that the frame holds no message either, but something for who reads the ring.
inline constexpr std::uint32_t kNotice = kPadding - 1;

// Lines apart on purpose: one for each writer.
struct RingControl {  // NOLINT(clang-analyzer-optin.performance.Padding)
    std::uint64_t magic;
    std::uint64_t capacity;  // of the ring, a power of two
    // kClosedByEnd, kDestroyed, or-ed; a line that nobody else writes, so that a consumer which
    // polls does not take `tail` away from the producers.
    std::atomic<std::uint32_t> closed;
    alignas(64) std::atomic<std::uint64_t> tail;  // producers take room here
    alignas(64) std::atomic<std::uint64_t> head;  // consumer: everything before it is free
    // Producers that wait for room, one bit a PE; the consumer wakes them. Those of this host count
    // while they wait and leave their bit; one of another host counts while its bit is set, and
    // whoever takes the bit tells it.
    alignas(64) std::atomic<std::uint32_t> blocked_count;
    std::atomic<std::uint64_t> blocked[kMaxPes / 64];
    std::atomic<std::uint64_t> clones;  // ends that keep this memory; core/queues/ring_memory.hpp
};
inline constexpr std::uint32_t kClosedByEnd = 1;
inline constexpr std::uint32_t kDestroyed = 2;
inline constexpr std::uint64_t kClosed = std::uint64_t{1} << 63;  // in tail
inline constexpr std::uint64_t kRingOffset = 4096;                // of the cells in the segment
static_assert(sizeof(RingControl) <= kRingOffset);

// Largest message: a frame and the padding before it must fit into an empty ring.
constexpr std::uint64_t message_limit(std::uint64_t capacity) {
    return capacity / 2 - sizeof(FrameHead);
}

// Of the cells that a message of `size` takes.
constexpr std::uint64_t frame_bytes(std::uint64_t size) {
    return (sizeof(FrameHead) + size + kCell - 1) & ~(kCell - 1);
}
// That may be outstanding in a ring (ISTHMUS_OUTSTANDING); one frame always may.
std::uint64_t allowed_bytes(std::uint64_t capacity);

// How far ahead a producer claims cells.
inline constexpr std::uint64_t kClaimedAhead = 16 * kCell;
// Of what frames.
inline constexpr std::uint64_t kClaimedFrame = 4 * kCell;

// A producer's end, on a ring that exists. One thread at a time; send() and send_with() may be
// called by any number of threads at once.
class RingProducer {
  public:
    RingProducer() = default;
    RingProducer(RingControl* control, char* cells, int owner);
    // The same without a look at the ring, which may not be there yet.
    RingProducer(RingControl* control, char* cells, int owner, std::uint64_t capacity)
        : control_(control),
          cells_(cells),
          owner_(owner),
          mask_(capacity - 1),
          room_(allowed_bytes(capacity)) {
        set_most(room_);
    }
    // Of no ring: it is closed for good. Messages up to the limit of that capacity.
    static RingProducer closed_ring(std::uint64_t capacity);
    std::uint64_t capacity() const { return mask_ + 1; }
    // Room for a message of `size`, not above the limit; null if there is none now.
    void* reserve(std::uint64_t size);
    // Appends a whole message if there is room now. The frame's head is written last and at once,
    // so that a consumer which polls it takes its line away at most once.
    bool send(const void* message, std::uint64_t size);
    // The same of a message that fill(place) writes.
    template <typename Fill>
    [[gnu::always_inline]] bool send_with(std::uint64_t size, Fill&& fill) {
        const std::uint64_t bytes = frame_bytes(size);
        std::uint64_t position = 0;
        FrameHead* const head = claim(bytes, position);
        if (!head) [[unlikely]]
            return false;
        fill(static_cast<void*>(head + 1));
        head->size = static_cast<std::uint32_t>(size);
        head->cells = static_cast<std::uint32_t>(bytes / kCell);
        publish(*head, position);
        wake(owner_);
        return true;
    }
    // Whether a message of `size` would find room now.
    bool has_room_for(std::uint64_t size) {
        return has_room(control_->tail.load(std::memory_order_relaxed), frame_bytes(size));
    }
    // What of the ring is not free, as this producer sees it.
    std::uint64_t taken() const {
        return (control_->tail.load(std::memory_order_relaxed) & ~kClosed) -
               control_->head.load(std::memory_order_relaxed);
    }
    // A message of one cell, by as few instructions as may be: takes the cell, to be filled and
    // then made visible by publish_cell, which wakes nobody. False: ask send_with(). Any thread.
    // It claims no line ahead: the consumer's processor, which reads line after line, fetches ahead
    // as well and takes such a line away again before it is written, and then each next
    // compare-and-swap waits for one to come back. A stream of these took twice as long.
    [[gnu::always_inline]] bool claim_cell(std::uint64_t& position, FrameHead*& frame) {
        position = control_->tail.load(std::memory_order_relaxed);
        const std::uint64_t head = shared(known_head_).load(std::memory_order_acquire);
        // Also if it is closed: then the position is beyond all room. A cell needs no padding.
        if (is_below(room_, position + kCell - head) ||
            !control_->tail.compare_exchange_strong(
                position, position + kCell, std::memory_order_acq_rel, std::memory_order_relaxed))
            return false;
        frame = reinterpret_cast<FrameHead*>(cells_ + (position & mask_));
        return true;
    }
    [[gnu::always_inline]] void publish_cell(FrameHead& frame, std::uint64_t position,
                                             std::uint64_t size) {
        frame.size = static_cast<std::uint32_t>(size);
        frame.cells = 1;
        publish(frame, position);
    }
    // The same of a frame of several cells, of so many bytes in all. False also if it would wrap.
    [[gnu::always_inline]] bool claim_cells(std::uint64_t bytes, std::uint64_t& position,
                                            FrameHead*& frame) {
        position = control_->tail.load(std::memory_order_relaxed);
        const std::uint64_t head = shared(known_head_).load(std::memory_order_acquire);
        const std::uint64_t place = position & mask_;
        if (is_below(room_, position + bytes - head) || place + bytes > mask_ + 1 ||
            !control_->tail.compare_exchange_strong(
                position, position + bytes, std::memory_order_acq_rel, std::memory_order_relaxed))
            return false;
        if (bytes <= kClaimedFrame) claim_ahead(position, bytes);
        shared(own_end_).store(position + bytes, std::memory_order_relaxed);
        frame = reinterpret_cast<FrameHead*>(cells_ + place);
        return true;
    }
    // The size may be written before the message: that is there when publish_frame makes it so.
    [[gnu::always_inline]] static void write_size(FrameHead& frame, std::uint64_t size,
                                                  std::uint64_t bytes) {
        frame.size = static_cast<std::uint32_t>(size);
        frame.cells = static_cast<std::uint32_t>(bytes / kCell);
    }
    [[gnu::always_inline]] void publish_frame(FrameHead& frame, std::uint64_t position) {
        publish(frame, position);
    }
    // Notices, of one cell each, that are to find room always: so much of the ring is theirs.
    void keep_for_notices(std::uint64_t bytes);
    void send_notice(const void* notice, std::uint64_t size);
    // claim_cell() and claim_cells() fail when so much more of the ring has been taken, by whoever
    // it was, so that who sends looks at what goes on; all the time, from stop() to go_on().
    void fail_after(std::uint64_t bytes);
    // The same of a ring that may not be there yet.
    void fail_after_first(std::uint64_t bytes) { room_ = std::min(most(), bytes); }
    void stop() { shared(room_).store(0, std::memory_order_relaxed); }
    void go_on(std::uint64_t bytes);
    // Whether they fail for a frame of so many bytes.
    bool fails(std::uint64_t bytes) const {
        return is_below(room_,
                        position() + bytes - shared(known_head_).load(std::memory_order_relaxed));
    }
    // Where the next frame will be, as this end sees it; and the head of a frame of one cell that
    // lay so many cells before a position. What it holds may not be there yet.
    std::uint64_t position() const { return control_->tail.load(std::memory_order_relaxed); }
    const FrameHead& cell_before(std::uint64_t position, std::uint64_t cells) const {
        return *reinterpret_cast<const FrameHead*>(cells_ + ((position - cells * kCell) & mask_));
    }
    // Waits for room until the deadline or until the ring is closed; null then.
    void* reserve_wait(std::uint64_t size, std::uint64_t deadline, Routine routine);
    // Makes a reserved message visible with its final size.
    void commit(void* message, std::uint64_t size);
    // Acquire: pairs with close_ring, so that destroyed() tells why.
    bool closed() const { return (control_->tail.load(std::memory_order_acquire) & kClosed) != 0; }
    // By its owner; the control block stays while this end does.
    bool destroyed() const {
        return (control_->closed.load(std::memory_order_acquire) & kDestroyed) != 0;
    }

  private:
    // Takes room for a frame of `bytes`; null if there is none now.
    FrameHead* claim(std::uint64_t bytes, std::uint64_t& position);
    bool has_room(std::uint64_t position, std::uint64_t bytes);
    std::uint64_t look_at_head();
    // The consumer, in whatever process, hands these cells on to other producers: partners are
    // visible and look_at_head. The sanitizer must not see the store, which comes after what it is
    // told here.
    ISTHMUS_UNSEEN_BY_THREAD_SANITIZER void publish(FrameHead& head, std::uint64_t position) {
        thread_sanitizer::released(control_);
        // Release: pairs with RingConsumer::visible. The ring is not touched after it.
        head.mark.store(position | kVisible, std::memory_order_release);
    }
    void claim_ahead(std::uint64_t position, std::uint64_t bytes);
    // Of two words that several threads may use. Neither need be up to date: a head that is too low
    // makes this end look once more, an end that is another thread's costs a prefetch.
    static std::atomic_ref<std::uint64_t> shared(const std::uint64_t& word) {
        return std::atomic_ref(const_cast<std::uint64_t&>(word));
    }
    void set_most(std::uint64_t bytes) {
        most_cells_ = static_cast<std::uint32_t>(
            std::min<std::uint64_t>(bytes / kCell, std::numeric_limits<std::uint32_t>::max()));
    }
    // Bytes that may be outstanding; one frame always may.
    std::uint64_t most() const { return most_cells_ * kCell; }
    std::uint64_t room_beyond(std::uint64_t bytes);
    RingControl* control_ = nullptr;
    char* cells_ = nullptr;
    int owner_ = 0;
    std::uint32_t most_cells_ = 0;
    std::uint64_t mask_ = 0;
    std::uint64_t room_ = 0;        // the same, or less: of claim_cell(); 0: it is stopped
    std::uint64_t known_head_ = 0;  // the consumer's head is at least here
    std::uint64_t own_end_ = 0;     // where this producer's last frame ended
};

// The consumer's end. One thread at a time.
class RingConsumer {
  public:
    RingConsumer() = default;
    RingConsumer(RingControl* control, char* cells)
        : control_(control),
          cells_(cells),
          mask_(control->capacity - 1),
          next_(control->head.load(std::memory_order_relaxed)),
          head_(next_) {}
    // The next message not yet taken; null if none is there.
    const void* peek(std::uint64_t& size);
    // The same, and takes it.
    const void* take(std::uint64_t& size);
    // Where the next message not yet taken begins, and where the last one that a producer of this
    // host has reserved so far ends; both only grow.
    std::uint64_t position() const { return next_; }
    std::uint64_t end() const { return control_->tail.load(std::memory_order_relaxed) & ~kClosed; }
    std::uint64_t capacity() const { return mask_ + 1; }
    // Gives the oldest taken message back. False if none is taken.
    bool release();
    // Gives this one back; its room is free when those before it are given back as well. False if
    // it is not taken.
    bool release(const void* message);
    // Closed, and every message taken.
    bool over() const {
        // Acquire: pairs with close_ring; the top bit of `tail` is then there.
        return control_->closed.load(std::memory_order_acquire) != 0 &&
               control_->tail.load(std::memory_order_acquire) == (next_ | kClosed);
    }
    // True when the first message not yet taken, as of now, is there or about to be, or the queue
    // is closed. It stays true when that message is taken.
    void watch(isthmus_event& event) const {
        event = make_event(reinterpret_cast<const std::int64_t*>(&control_->tail), ISTHMUS_NE,
                           static_cast<std::int64_t>(next_));
    }
    std::uint64_t messages_left();
    // Of a closed ring: waits until nobody writes into it any more; how many messages it had left.
    std::uint64_t drain(Routine routine);

  private:
    FrameHead& frame(std::uint64_t position) const {
        return *reinterpret_cast<FrameHead*>(cells_ + (position & mask_));
    }
    bool visible(std::uint64_t position) const;
    void skip_padding();
    void free_frame();
    void free_oldest();
    void wake_producers();
    RingControl* control_ = nullptr;
    char* cells_ = nullptr;
    std::uint64_t mask_ = 0;
    std::uint64_t next_ = 0;  // first not taken
    std::uint64_t head_ = 0;  // first not released
};

// Writes the control block into zeroed memory of kRingOffset + capacity bytes.
RingControl* format_ring(char* memory, std::uint64_t capacity);
// Null if the memory holds no ring.
RingControl* find_ring(char* memory);
// `why`: kClosedByEnd or kDestroyed.
void close_ring(RingControl& control, int owner, std::uint32_t why = kClosedByEnd);
// The same where nothing may go to other hosts: returns who is to be told there (nudge).
[[nodiscard]] PeSet close_ring_here(RingControl& control, int owner, std::uint32_t why);
// Notes that a PE of another host waits for room. The caller looks for room once more.
void mark_blocked(RingControl& control, int pe);

// What the ends of a ring use when its memory has gone: closed, destroyed and empty.
struct EndedRing {
    static RingControl* control();
    static RingProducer producer();
    static RingConsumer consumer();
};

}  // namespace isthmus
