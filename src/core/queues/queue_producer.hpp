// The end of a queue that sends, under both faces: whether the ring is in memory here or at a PE of
// another host, whose core enqueues for this one, is known here and not above.
#pragma once

#include <cstdint>
#include <memory>

#include "core/queues/far_queue.hpp"
#include "core/queues/queue.hpp"

namespace isthmus {

// One thread at a time.
class QueueProducer {
  public:
    // `not_named` does not come out of here.
    using Outcome = FarQueueProducer::Outcome;
    enum class Commit : std::uint8_t { done, not_reserved, too_large };

    QueueProducer() = default;
    // Of a ring in memory here.
    QueueProducer(RingControl* control, char* cells, int owner) : near_(control, cells, owner) {}
    // Of the ring that is at `memory` at its owner, as an address of this PE. May throw bad_alloc.
    QueueProducer(char* memory, std::uint32_t generation, int owner, std::uint64_t capacity);
    // Of a ring whose memory has gone: closed and destroyed.
    static QueueProducer ended() {
        QueueProducer producer;
        producer.near_ = EndedRing::producer();
        return producer;
    }

    std::uint64_t limit() const { return message_limit(near_.capacity()); }
    bool destroyed() const { return far_ ? far_->destroyed() : near_.destroyed(); }

    // Sends a message not above the limit if the ring is in memory here and has room now. False:
    // try_send() or send_wait().
    bool send(const void* message, std::uint64_t size) { return near_.send(message, size); }
    // Behind a send() that was false. Does not wait for room.
    Outcome try_send(const void* message, std::uint64_t size);
    // Waits for room as long as it takes: never `full`. Calls `begin` before it waits or asks.
    template <typename Begin>
    Outcome send_wait(const void* message, std::uint64_t size, Routine routine, Begin&& begin) {
        if (far_) {
            begin();
            return far_->send_wait(message, size, routine);
        }
        Outcome outcome = Outcome::done;
        void* const place = wait_for_room(size, routine, outcome, begin);
        if (!place) return outcome;
        fill(place, message, size);
        return outcome;
    }
    // Memory of a message to fill; null unless done.
    template <typename Begin>
    void* reserve_wait(std::uint64_t size, Routine routine, Outcome& outcome, Begin&& begin) {
        outcome = Outcome::done;
        if (void* const place = near_.reserve(size)) [[likely]]
            return place;
        if (!far_) return wait_for_room(size, routine, outcome, begin);
        begin();
        return far_->reserve_wait(size, routine, outcome);
    }
    // Of a message that this end has reserved. `reserved`: its bytes, where those are too few.
    Commit commit(void* message, std::uint64_t size, Routine routine, std::uint64_t& reserved) {
        const auto* const head = static_cast<const FrameHead*>(message) - 1;
        // Relaxed: this end has written it. Visible: committed already, or not one of a near ring.
        if ((head->mark.load(std::memory_order_relaxed) & kVisible) != 0) [[unlikely]]
            return commit_far(message, size, routine, reserved);
        reserved = head->size;
        if (size > reserved) return Commit::too_large;
        near_.commit(message, size);
        return Commit::done;
    }
    // Closes the ring: done or destroyed.
    Outcome close(RingControl* control, int owner);

  private:
    template <typename Begin>
    void* wait_for_room(std::uint64_t size, Routine routine, Outcome& outcome, Begin&& begin) {
        void* place = nullptr;
        if (!near_.closed()) {
            begin();
            place = near_.reserve_wait(size, deadline_after(-1), routine);
        }
        if (!place) outcome = near_.destroyed() ? Outcome::destroyed : Outcome::closed;
        return place;
    }
    void fill(void* place, const void* message, std::uint64_t size);
    Commit commit_far(void* message, std::uint64_t size, Routine routine, std::uint64_t& reserved);

    RingProducer near_;  // of a far ring: what it is asked to do fails
    std::unique_ptr<FarQueueProducer> far_;
};

}  // namespace isthmus
