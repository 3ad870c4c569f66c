// Queues (isthmus/queue.h).
#include "core/queues/queue.hpp"

#include <bit>
#include <cstring>
#include <memory>

#include "api/isthmus/export.hpp"
#include "base/settings.hpp"
#include "core/job/road.hpp"
#include "core/job/session_object.hpp"
#include "core/queues/queue_producer.hpp"
#include "core/queues/ring_memory.hpp"
#include "core/segments/arena.hpp"
#include "core/wait/event.hpp"
#include "core/wait/status.hpp"

using namespace isthmus;
using namespace isthmus::native;

struct isthmus_queue final : private SessionObject {
    using SessionObject::ended;
    Segment segment{};
    RingControl* control = nullptr;  // null if the owner is on another host
    QueueProducer producer;
    RingConsumer consumer;
    bool consumes = false;
    std::uint64_t reserved = 0;  // messages, not yet committed

    isthmus_queue() { enlist(); }
    ~isthmus_queue() { delist(); }

  private:
    void end() override {
        control = EndedRing::control();
        producer = QueueProducer::ended();
        consumer = EndedRing::consumer();
        reserved = 0;
    }
};

namespace {

constexpr std::uint64_t kSmallestRing = 4096;
constexpr std::uint64_t kLargestRing = std::uint64_t{1} << 31;

int refuse_ended(const char* routine) {
    return refuse(ISTHMUS_STALE, routine,
                  "the queue ended with its session, by isthmus_finalize or shmem_finalize");
}

int refuse_closed(const isthmus_queue& queue, const char* routine) {
    if (queue.ended()) return refuse_ended(routine);
    if (queue.producer.destroyed())
        return refuse(ISTHMUS_STALE, routine, "the queue was destroyed by its owner, PE ",
                      queue.segment.owner);
    return refuse_poll(ISTHMUS_CLOSED, routine, "the queue is closed");
}

// Who polls by what ends here is to see what a far PE enqueues.
int refuse_empty(const isthmus_queue& queue, const char* routine) {
    far::serve_by_call();
    if (queue.ended()) return refuse_ended(routine);
    if (queue.consumer.over())
        return refuse_poll(ISTHMUS_CLOSED, routine,
                           "the queue is closed and nothing is left in it");
    return refuse_poll(ISTHMUS_AGAIN, routine, "no message is there");
}

int check_size(const isthmus_queue& queue, std::uint64_t size, const char* routine) {
    const std::uint64_t limit = queue.producer.limit();
    if (size <= limit) [[likely]]
        return ISTHMUS_OK;
    return refuse(ISTHMUS_TOO_LARGE, routine, "a message of ", size, " bytes; at most ", limit,
                  " fit in this queue (half its capacity)");
}

// What has become of a message, as a status.
int status_of(const isthmus_queue& queue, QueueProducer::Outcome outcome, const char* routine) {
    if (outcome == QueueProducer::Outcome::done) return ISTHMUS_OK;
    if (outcome == QueueProducer::Outcome::full)
        return refuse_poll(ISTHMUS_AGAIN, routine, "the queue has no room now");
    return refuse_closed(queue, routine);
}

int refuse_not_reserved() {
    return refuse(ISTHMUS_ARGUMENT, "isthmus_enqueue_commit",
                  "this message is not reserved: committed already, or never reserved");
}

int refuse_above_reserved(std::uint64_t size, std::uint64_t reserved) {
    return refuse(ISTHMUS_TOO_LARGE, "isthmus_enqueue_commit", size, " bytes, and ", reserved,
                  " were reserved");
}

int not_the_consumer(const char* routine) {
    return refuse(ISTHMUS_RIGHTS, routine,
                  "only the end that isthmus_queue_create made dequeues, and this one is a clone");
}

int create(isthmus_queue*& queue, std::uint64_t id, std::uint64_t capacity, const char* routine) {
    if (capacity > kLargestRing) return refuse(ISTHMUS_TOO_LARGE, routine, "capacity above 2 GiB");
    capacity = std::bit_ceil(capacity < kSmallestRing ? kSmallestRing : capacity);
    auto made = std::make_unique<isthmus_queue>();
    char* const memory = allocate_ring(capacity);
    if (!memory)
        return refuse(ISTHMUS_NO_MEMORY, routine, "no room for a ring of ", capacity,
                      " bytes in the arena: ", arena_free_bytes(), " of ", arena_size(),
                      " are free; raise ISTHMUS_ARENA_SIZE, or destroy the clones of destroyed "
                      "queues, which keep their room");
    made->control = format_ring(memory, capacity);
    const auto undo = [&] {
        close_to_far(memory);
        release_ring(memory);
    };
    try {
        open_to_far(memory);
        if (const int status = create_segment(made->segment, id, memory, kRingOffset + capacity,
                                              ISTHMUS_QUEUE | ISTHMUS_READ_WRITE, routine)) {
            undo();
            return status;
        }
    } catch (...) {
        undo();
        throw;
    }
    made->producer = QueueProducer(made->control, memory + kRingOffset, job.me);
    made->consumer = RingConsumer(made->control, memory + kRingOffset);
    made->consumes = true;
    name_to_far(memory, made->segment.generation);
    queue = made.release();
    return ISTHMUS_OK;
}

int clone(isthmus_queue*& queue, std::uint64_t id, double timeout, const char* routine) {
    auto made = std::make_unique<isthmus_queue>();
    if (!(timeout >= 0)) timeout = seconds(Setting::clone_seconds);
    const std::uint64_t deadline = deadline_after(timeout);
    double left = timeout;
    do {
        if (const int status = clone_segment(made->segment, id, left, routine)) return status;
        if ((made->segment.access & ISTHMUS_QUEUE) == 0)
            return refuse(ISTHMUS_PROTOCOL, routine, "that id is a segment, not a queue");
        if (is_far(made->segment)) {
            const Segment& segment = made->segment;
            made->producer = QueueProducer(home_of(segment), ~segment.generation, segment.owner,
                                           segment.size - kRingOffset);
            queue = made.release();
            return ISTHMUS_OK;
        }
        made->control = attach_ring(made->segment);
        // If its owner has destroyed it in between: as if it had never been found.
        const std::uint64_t now = os::monotonic_nanoseconds();
        left = now < deadline ? static_cast<double>(deadline - now) * 1e-9 : 0;
    } while (!made->control);
    made->producer =
        QueueProducer(made->control, made->segment.base + kRingOffset, made->segment.owner);
    queue = made.release();
    return ISTHMUS_OK;
}

}  // namespace

ISTHMUS_API int isthmus_queue_create(isthmus_queue** queue, uint64_t id, uint64_t capacity) {
    const char* routine = begin(Routine::native_queue_create);
    *queue = nullptr;
    return without_exceptions(routine, [&] { return create(*queue, id, capacity, routine); });
}

ISTHMUS_API int isthmus_queue_clone(isthmus_queue** queue, uint64_t id, double timeout) {
    const char* routine = begin(Routine::native_queue_clone);
    *queue = nullptr;
    return without_exceptions(routine, [&] { return clone(*queue, id, timeout, routine); });
}

ISTHMUS_API int isthmus_queue_destroy(isthmus_queue* queue, uint64_t* lost) {
    if (!queue) return ISTHMUS_OK;
    if (lost) *lost = 0;
    if (queue->ended() && !forked_child) {  // also without a session
        delete queue;
        return ISTHMUS_OK;
    }
    const char* routine = begin(Routine::native_queue_destroy);
    if (const std::uint64_t left = queue->reserved)
        return refuse(ISTHMUS_ARGUMENT, routine, left,
                      " messages are reserved by this end and not committed");
    int status = ISTHMUS_OK;
    if (queue->consumes) {
        char* const memory = queue->segment.base;
        status = whole(routine, [&] {
            close_ring(*queue->control, job.me, kDestroyed);
            const std::uint64_t left = queue->consumer.drain(Routine::native_queue_destroy);
            if (lost) *lost = left;
            close_to_far(memory);
            const int destroyed = destroy_segment(queue->segment, routine);
            retire_ring(memory);
            return destroyed;
        });
    } else if (queue->control) {
        detach_ring(queue->segment);
    }
    delete queue;
    return status;
}

ISTHMUS_API uint64_t isthmus_queue_limit(const isthmus_queue* queue) {
    if (queue->ended()) return 0;
    return queue->producer.limit();
}

ISTHMUS_API uint64_t isthmus_queue_id(const isthmus_queue* queue) {
    return queue->segment.id;
}

ISTHMUS_API int isthmus_enqueue(isthmus_queue* queue, const void* message, uint64_t size,
                                isthmus_event* event) {
    int status = check_size(*queue, size, "isthmus_enqueue");
    if (status != ISTHMUS_OK) [[unlikely]]
        return status;
    if (!queue->producer.send(message, size)) [[unlikely]] {
        const Routine routine = Routine::native_enqueue;
        const auto outcome =
            queue->producer.send_wait(message, size, routine, [&] { begin(routine); });
        if (outcome != QueueProducer::Outcome::done)
            return status_of(*queue, outcome, routine_name(routine));
    }
    complete(event);
    return ISTHMUS_OK;
}

ISTHMUS_API int isthmus_try_enqueue(isthmus_queue* queue, const void* message, uint64_t size) {
    const char* routine = "isthmus_try_enqueue";
    if (const int status = check_size(*queue, size, routine)) return status;
    if (queue->producer.send(message, size)) [[likely]]
        return ISTHMUS_OK;
    return status_of(*queue, queue->producer.try_send(message, size), routine);
}

ISTHMUS_API int isthmus_enqueue_reserve(isthmus_queue* queue, uint64_t size, void** message) {
    const char* routine = "isthmus_enqueue_reserve";
    *message = nullptr;
    if (const int status = check_size(*queue, size, routine)) [[unlikely]]
        return status;
    return without_exceptions(routine, [&] {
        QueueProducer::Outcome outcome{};
        *message = queue->producer.reserve_wait(size, Routine::native_enqueue, outcome,
                                                [&] { begin(Routine::native_enqueue, routine); });
        if (!*message) [[unlikely]]
            return status_of(*queue, outcome, routine);
        ++queue->reserved;
        return static_cast<int>(ISTHMUS_OK);
    });
}

ISTHMUS_API int isthmus_enqueue_commit(isthmus_queue* queue, void* message, uint64_t size) {
    if (queue->reserved == 0)
        return queue->ended() ? refuse_ended("isthmus_enqueue_commit") : refuse_not_reserved();
    std::uint64_t reserved = 0;
    switch (queue->producer.commit(message, size, Routine::native_enqueue, reserved)) {
        case QueueProducer::Commit::done: break;
        case QueueProducer::Commit::not_reserved: return refuse_not_reserved();
        case QueueProducer::Commit::too_large: return refuse_above_reserved(size, reserved);
    }
    --queue->reserved;
    return ISTHMUS_OK;
}

ISTHMUS_API int isthmus_queue_peek(isthmus_queue* queue, const void** message, uint64_t* size) {
    if (!queue->consumes) return not_the_consumer("isthmus_queue_peek");
    *message = queue->consumer.peek(*size);
    if (*message) return ISTHMUS_OK;
    return refuse_empty(*queue, "isthmus_queue_peek");
}

ISTHMUS_API int isthmus_dequeue(isthmus_queue* queue, const void** message, uint64_t* size,
                                double timeout) {
    if (!queue->consumes) return not_the_consumer("isthmus_dequeue");
    *message = queue->consumer.take(*size);
    if (*message) [[likely]]
        return ISTHMUS_OK;
    if (timeout == 0 || queue->consumer.over()) return refuse_empty(*queue, "isthmus_dequeue");
    const char* routine = begin(Routine::native_dequeue);
    const WaitTarget target{Routine::native_dequeue, -1, queue->control};
    const bool done = wait_wakeable(target, deadline_after(timeout), [&] {
        *message = queue->consumer.take(*size);
        if (*message != nullptr || queue->consumer.over()) return true;
        os::pause();  // a look takes the frame's line away from who writes it
        return false;
    });
    if (*message) return ISTHMUS_OK;
    if (done) return refuse_empty(*queue, routine);
    return refuse(ISTHMUS_TIMEOUT, routine, "no message within ", seconds_text(timeout));
}

ISTHMUS_API int isthmus_dequeue_release(isthmus_queue* queue) {
    if (!queue->consumes) return not_the_consumer("isthmus_dequeue_release");
    if (queue->consumer.release()) [[likely]]
        return ISTHMUS_OK;
    if (queue->ended()) return refuse_ended("isthmus_dequeue_release");
    return refuse(ISTHMUS_ARGUMENT, "isthmus_dequeue_release", "no message is taken");
}

ISTHMUS_API int isthmus_dequeue_release_message(isthmus_queue* queue, const void* message) {
    if (!queue->consumes) return not_the_consumer("isthmus_dequeue_release_message");
    if (queue->consumer.release(message)) [[likely]]
        return ISTHMUS_OK;
    if (queue->ended()) return refuse_ended("isthmus_dequeue_release_message");
    return refuse(ISTHMUS_ARGUMENT, "isthmus_dequeue_release_message",
                  "this message is not taken: released already, or never dequeued");
}

ISTHMUS_API int isthmus_queue_event(isthmus_queue* queue, isthmus_event* event) {
    if (!queue->consumes) return not_the_consumer("isthmus_queue_event");
    if (queue->ended()) return refuse_ended("isthmus_queue_event");
    queue->consumer.watch(*event);
    return ISTHMUS_OK;
}

ISTHMUS_API int isthmus_queue_close(isthmus_queue* queue) {
    return status_of(*queue, queue->producer.close(queue->control, queue->segment.owner),
                     "isthmus_queue_close");
}
