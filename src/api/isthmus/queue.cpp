// Queues (isthmus/queue.h).
#include "core/queue.hpp"

#include <bit>
#include <cstring>
#include <memory>
#include <string>

#include "api/isthmus/export.hpp"
#include "core/copy.hpp"
#include "core/event.hpp"
#include "core/status.hpp"

using namespace isthmus;
using namespace isthmus::native;

struct isthmus_queue {
    Segment segment;
    RingControl* control = nullptr;
    RingProducer producer;
    RingConsumer consumer;
    bool consumes = false;
};

namespace {

constexpr std::uint64_t kSmallestRing = 4096;
constexpr std::uint64_t kLargestRing = std::uint64_t{1} << 31;

int refuse_closed(const char* routine) {
    return refuse(ISTHMUS_CLOSED, routine, "the queue is closed");
}

int check_size(const isthmus_queue& queue, std::uint64_t size, const char* routine) {
    const std::uint64_t limit = message_limit(queue.control->capacity);
    if (size <= limit) [[likely]]
        return ISTHMUS_OK;
    return refuse(ISTHMUS_TOO_LARGE, routine,
                  "a message of " + std::to_string(size) + " bytes; at most " +
                      std::to_string(limit) + " fit in this queue (half its capacity)");
}

// Room for the message, or null and why not.
void* reserve_or_wait(isthmus_queue& queue, std::uint64_t size, int& status, Routine routine) {
    const char* name = routine_name(routine);
    status = check_size(queue, size, name);
    if (status != ISTHMUS_OK) return nullptr;
    void* place = queue.producer.closed() ? nullptr : queue.producer.reserve(size);
    if (!place && !queue.producer.closed()) {
        begin(routine);
        place = queue.producer.reserve_wait(size, deadline_after(-1), routine);
    }
    if (!place) status = refuse_closed(name);
    return place;
}

int not_the_consumer(const char* routine) {
    return refuse(ISTHMUS_RIGHTS, routine, "only the PE that created the queue dequeues");
}

}  // namespace

ISTHMUS_API int isthmus_queue_create(isthmus_queue** queue, uint64_t id, uint64_t capacity) {
    const char* routine = "isthmus_queue_create";
    begin(Routine::native_segment_create);
    *queue = nullptr;
    if (capacity > kLargestRing) return refuse(ISTHMUS_TOO_LARGE, routine, "capacity above 2 GiB");
    capacity = std::bit_ceil(capacity < kSmallestRing ? kSmallestRing : capacity);
    auto made = std::make_unique<isthmus_queue>();
    // Whoever clones it before it is formatted waits for the control block's magic number.
    if (const int status = create_segment(made->segment, id, nullptr, kRingOffset + capacity,
                                          ISTHMUS_QUEUE | ISTHMUS_READ_WRITE, routine))
        return status;
    made->control = format_ring(made->segment.base, capacity);
    made->producer = RingProducer(made->control, made->segment.base + kRingOffset, job.me);
    made->consumer = RingConsumer(made->control, made->segment.base + kRingOffset);
    made->consumes = true;
    *queue = made.release();
    return ISTHMUS_OK;
}

ISTHMUS_API int isthmus_queue_clone(isthmus_queue** queue, uint64_t id, double timeout) {
    const char* routine = begin(Routine::native_queue_clone);
    *queue = nullptr;
    auto made = std::make_unique<isthmus_queue>();
    if (const int status = clone_segment(made->segment, id, timeout, routine)) return status;
    if ((made->segment.access & ISTHMUS_QUEUE) == 0)
        return refuse(ISTHMUS_PROTOCOL, routine, "that id is a segment, not a queue");
    wait_for({Routine::native_queue_clone, made->segment.owner}, [&] {
        made->control = find_ring(made->segment.base);
        return made->control != nullptr;
    });
    made->producer =
        RingProducer(made->control, made->segment.base + kRingOffset, made->segment.owner);
    *queue = made.release();
    return ISTHMUS_OK;
}

ISTHMUS_API int isthmus_queue_destroy(isthmus_queue* queue, uint64_t* lost) {
    if (!queue) return ISTHMUS_OK;
    const char* routine = "isthmus_queue_destroy";
    require_session(routine);
    if (lost) *lost = 0;
    int status = ISTHMUS_OK;
    if (queue->consumes) {
        close_ring(*queue->control, job.me);
        const std::uint64_t left = queue->consumer.messages_left();
        if (lost) *lost = left;
        status = destroy_segment(queue->segment, routine);
    }
    delete queue;
    return status;
}

ISTHMUS_API uint64_t isthmus_queue_limit(const isthmus_queue* queue) {
    return message_limit(queue->control->capacity);
}

ISTHMUS_API uint64_t isthmus_queue_id(const isthmus_queue* queue) {
    return queue->segment.id;
}

ISTHMUS_API int isthmus_enqueue(isthmus_queue* queue, const void* message, uint64_t size,
                                isthmus_event* event) {
    int status = ISTHMUS_OK;
    void* const place = reserve_or_wait(*queue, size, status, Routine::native_enqueue);
    if (!place) return status;
    copy(place, message, size);
    queue->producer.commit(place, size);
    complete(event);
    return ISTHMUS_OK;
}

ISTHMUS_API int isthmus_try_enqueue(isthmus_queue* queue, const void* message, uint64_t size) {
    const char* routine = "isthmus_try_enqueue";
    if (const int status = check_size(*queue, size, routine)) return status;
    if (queue->producer.closed()) return refuse_closed(routine);
    void* const place = queue->producer.reserve(size);
    if (!place) return ISTHMUS_AGAIN;
    copy(place, message, size);
    queue->producer.commit(place, size);
    return ISTHMUS_OK;
}

ISTHMUS_API int isthmus_enqueue_reserve(isthmus_queue* queue, uint64_t size, void** message) {
    int status = ISTHMUS_OK;
    *message = reserve_or_wait(*queue, size, status, Routine::native_enqueue);
    return status;
}

ISTHMUS_API int isthmus_enqueue_commit(isthmus_queue* queue, void* message, uint64_t size) {
    const auto* head = static_cast<const FrameHead*>(message) - 1;
    if (size > head->cells * kCell - sizeof(FrameHead))
        return refuse(ISTHMUS_TOO_LARGE, "isthmus_enqueue_commit",
                      std::to_string(size) + " bytes are more than were reserved");
    queue->producer.commit(message, size);
    return ISTHMUS_OK;
}

ISTHMUS_API int isthmus_queue_peek(isthmus_queue* queue, const void** message, uint64_t* size) {
    if (!queue->consumes) return not_the_consumer("isthmus_queue_peek");
    *message = queue->consumer.peek(*size);
    if (*message) return ISTHMUS_OK;
    return queue->consumer.over() ? ISTHMUS_CLOSED : ISTHMUS_AGAIN;
}

ISTHMUS_API int isthmus_dequeue(isthmus_queue* queue, const void** message, uint64_t* size,
                                double timeout) {
    if (!queue->consumes) return not_the_consumer("isthmus_dequeue");
    *message = queue->consumer.take(*size);
    if (*message) [[likely]]
        return ISTHMUS_OK;
    if (queue->consumer.over()) return ISTHMUS_CLOSED;
    if (timeout == 0) return ISTHMUS_AGAIN;
    const char* routine = begin(Routine::native_dequeue);
    const bool done = wait_wakeable({Routine::native_dequeue}, deadline_after(timeout), [&] {
        *message = queue->consumer.take(*size);
        return *message != nullptr || queue->consumer.over();
    });
    if (*message) return ISTHMUS_OK;
    if (done) return ISTHMUS_CLOSED;
    return refuse(ISTHMUS_TIMEOUT, routine, "no message within " + std::to_string(timeout) + " s");
}

ISTHMUS_API int isthmus_dequeue_release(isthmus_queue* queue) {
    if (!queue->consumes) return not_the_consumer("isthmus_dequeue_release");
    if (queue->consumer.release()) [[likely]]
        return ISTHMUS_OK;
    return refuse(ISTHMUS_ARGUMENT, "isthmus_dequeue_release", "no message is taken");
}

ISTHMUS_API int isthmus_queue_event(isthmus_queue* queue, isthmus_event* event) {
    if (!queue->consumes) return not_the_consumer("isthmus_queue_event");
    queue->consumer.watch(*event);
    return ISTHMUS_OK;
}

ISTHMUS_API int isthmus_queue_close(isthmus_queue* queue) {
    close_ring(*queue->control, queue->segment.owner);
    return ISTHMUS_OK;
}
