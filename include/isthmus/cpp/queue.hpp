// queue: one end of an N-to-1 ring of messages, as an object.
#ifndef ISTHMUS_CPP_QUEUE_HPP
#define ISTHMUS_CPP_QUEUE_HPP

#include <isthmus/cpp/event.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <utility>

namespace isthmus::inline cpp {

// A message in the ring, in place; the destructor gives its room back to the producers, who get it
// when all messages before it have gone too. It must go before its queue does.
class message {
  public:
    message(message&& other) noexcept
        : queue_(std::exchange(other.queue_, nullptr)), bytes_(other.bytes_) {}
    message& operator=(message&&) = delete;
    message(const message&) = delete;
    message& operator=(const message&) = delete;
    ~message() {
        // A queue that ended with its session has nothing to take back.
        if (!queue_) return;
        const status released(isthmus_dequeue_release_message(queue_, bytes_.data()));
        if (released.code() != ISTHMUS_STALE) released.or_fail();
    }

    // Aligned to 8 bytes.
    std::span<const std::byte> bytes() const { return bytes_; }
    // A copy of the object that push() sent. Ends the job if the sizes differ.
    template <movable_as_bytes T>
    T as() const {
        if (bytes_.size() != sizeof(T))
            detail::give_up("message::as: a message of %zu bytes is no object of %zu",
                            bytes_.size(), sizeof(T));
        union Place {
            Place() {}
            T value;
        } place;
        std::memcpy(static_cast<void*>(&place.value), bytes_.data(), sizeof(T));
        return place.value;
    }
    // The objects that push(span) sent.
    template <movable_as_bytes T>
    requires(alignof(T) <= 8) std::span<const T> objects()
    const {
        if (bytes_.size() % sizeof(T) != 0)
            detail::give_up(
                "message::objects: a message of %zu bytes does not consist of objects of %zu",
                bytes_.size(), sizeof(T));
        return {reinterpret_cast<const T*>(bytes_.data()), bytes_.size() / sizeof(T)};
    }

  private:
    friend class queue;
    message(isthmus_queue* queue, const void* data, std::uint64_t size)
        : queue_(queue), bytes_(static_cast<const std::byte*>(data), size) {}
    isthmus_queue* queue_;
    std::span<const std::byte> bytes_;
};

// Created: the consumer's end, which may enqueue too. Cloned: a producer's. The consumer's
// destructor closes the queue; what is left in it is lost. An object without an end (default-made,
// moved from, destroyed) is empty: operations on it are STALE, its id and limit are 0.
class queue {
  public:
    queue() = default;
    static result<queue> create(std::uint64_t id, std::uint64_t capacity) {
        isthmus_queue* end = nullptr;
        const status made(isthmus_queue_create(&end, id, capacity));
        if (!made) return made;
        return queue(end);
    }
    static result<queue> clone(std::uint64_t id, double seconds = ISTHMUS_DEFAULT_TIMEOUT) {
        isthmus_queue* end = nullptr;
        const status made(isthmus_queue_clone(&end, id, seconds));
        if (!made) return made;
        return queue(end);
    }
    // Now; how many messages were lost. ARGUMENT: a reserved message is not committed; the queue is
    // as it was. Empty: nothing happens.
    result<std::uint64_t> destroy() {
        std::uint64_t lost = 0;
        const status gone(isthmus_queue_destroy(end_.get(), &lost));
        if (gone == ISTHMUS_ARGUMENT) return gone;
        (void)end_.release();  // all else that may be said, is said when it has gone
        if (!gone) return gone;
        return lost;
    }

    std::uint64_t id() const { return end_ ? isthmus_queue_id(end_.get()) : 0; }
    // Largest message, in bytes.
    std::uint64_t limit() const { return end_ ? isthmus_queue_limit(end_.get()) : 0; }
    explicit operator bool() const { return end_ != nullptr; }
    isthmus_queue* native() const { return end_.get(); }

    // One message: one object, or all of a range. Waits for room. CLOSED, TOO_LARGE.
    template <object_range R>
    status push(R&& objects) const {
        if (!end_) [[unlikely]]
            return empty();
        return status(isthmus_enqueue(end_.get(), std::ranges::data(objects),
                                      detail::bytes_of(objects), nullptr));
    }
    template <movable_as_bytes T>
    requires(!object_range<const T&>) status push(const T& object)
    const { return push(std::span<const T>(&object, 1)); }
    // AGAIN instead of waiting.
    template <object_range R>
    status try_push(R&& objects) const {
        if (!end_) [[unlikely]]
            return empty();
        return status(
            isthmus_try_enqueue(end_.get(), std::ranges::data(objects), detail::bytes_of(objects)));
    }
    template <movable_as_bytes T>
    requires(!object_range<const T&>) status try_push(const T& object)
    const { return try_push(std::span<const T>(&object, 1)); }
    // Ready when the objects may be changed.
    template <lasting_object_range R>
    event async_push(R&& objects) const {
        if (!end_) return event::failed(empty());
        return event::of([&](isthmus_event* e) {
            return isthmus_enqueue(end_.get(), std::ranges::data(objects),
                                   detail::bytes_of(objects), e);
        });
    }

    // The oldest message. `seconds` 0: AGAIN instead of waiting; negative: for ever, until CLOSED.
    result<message> take(double seconds = -1.0) const {
        if (!end_) [[unlikely]]
            return empty();
        const void* data = nullptr;
        std::uint64_t size = 0;
        const status taken(isthmus_dequeue(end_.get(), &data, &size, seconds));
        if (!taken) return taken;
        return message(end_.get(), data, size);
    }
    // True when the next message, as of this call, is there or on its way, or the queue is closed;
    // it stays true when that message has been taken, so ask anew before each wait. Ends the job if
    // this object is empty or a producer's end.
    condition arrival() const {
        if (!end_) empty().or_fail();
        isthmus_event event;
        status(isthmus_queue_event(end_.get(), &event)).or_fail();
        return condition(event);
    }
    status close() const {
        if (!end_) return empty();
        return status(isthmus_queue_close(end_.get()));
    }

  private:
    struct destroyer {
        void operator()(isthmus_queue* end) const {
            status(isthmus_queue_destroy(end, nullptr)).or_fail();
        }
    };
    explicit queue(isthmus_queue* end) : end_(end) {}
    static status empty() { return detail::empty_object("queue: this object is empty"); }
    std::unique_ptr<isthmus_queue, destroyer> end_;
};

}  // namespace isthmus::inline cpp

#endif
