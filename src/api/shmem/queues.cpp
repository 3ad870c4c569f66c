// Extension: queues (shmemx.h). A ring at each PE in the symmetric heap, so every PE finds every
// ring by arithmetic; there are no ids here and nothing to clone.
#include <shmemx.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <memory>
#include <mutex>
#include <vector>

#include "api/shmem/export.hpp"
#include "api/shmem/turn.hpp"
#include "base/error.hpp"
#include "core/job/heap.hpp"
#include "core/job/session_object.hpp"
#include "core/queues/queue.hpp"
#include "core/queues/queue_producer.hpp"
#include "core/teams/collective.hpp"
#include "core/wait/event.hpp"
#include "core/wait/status.hpp"

using namespace isthmus;
using namespace isthmus::shmem;

struct shmemx_queue final : private SessionObject {
    char* memory = nullptr;
    RingControl* control = nullptr;  // of this PE's ring
    RingConsumer consumer;
    std::vector<QueueProducer> producers;  // by PE

    shmemx_queue() { enlist(); }
    ~shmemx_queue() { delist(); }

    // Where nothing could be done, and before what is seldom done: ends the job if that is because
    // the queue is of an earlier session.
    void require_live(const char* routine) const {
        if (!ended()) [[likely]]
            return;
        fail(routine,
             "called after shmem_finalize or isthmus_finalize, with which the queue ended");
    }

  private:
    void end() override {
        control = EndedRing::control();
        consumer = EndedRing::consumer();
        for (QueueProducer& producer : producers)
            producer = QueueProducer::ended();
    }
};

namespace {

// To PEs of other hosts: collective calls keep queues that are at one place apart.
constexpr std::uint32_t kGeneration = 1;
constexpr std::uint64_t kSmallestRing = 4096;
constexpr std::uint64_t kLargestRing = std::uint64_t{1} << 30;

int check_pe(int pe, const char* routine) {
    if (static_cast<unsigned>(pe) < static_cast<unsigned>(job.pes)) [[likely]]
        return ISTHMUS_OK;
    return refuse(ISTHMUS_ARGUMENT, routine, "pe ", pe, " is out of range 0..", job.pes - 1);
}

int check_message(const shmemx_queue& queue, std::size_t size, int pe, const char* routine) {
    if (const int status = check_pe(pe, routine)) return status;
    const std::uint64_t limit = message_limit(queue.control->capacity);
    if (size <= limit) [[likely]]
        return ISTHMUS_OK;
    return refuse(ISTHMUS_TOO_LARGE, routine, "a message of ", size, " bytes; at most ", limit,
                  " fit in this queue (half its capacity)");
}

int refuse_full(const char* routine) {
    return refuse_poll(ISTHMUS_AGAIN, routine, "the queue has no room now");
}

int refuse_closed(const shmemx_queue& queue, int pe, const char* routine) {
    queue.require_live(routine);
    return refuse(ISTHMUS_CLOSED, routine, "the queue of PE ", pe, " is closed");
}

// What has become of a message, as a status.
int status_of(const shmemx_queue& queue, QueueProducer::Outcome outcome, int pe,
              const char* routine) {
    if (outcome == QueueProducer::Outcome::done) return ISTHMUS_OK;
    if (outcome == QueueProducer::Outcome::full) return refuse_full(routine);
    return refuse_closed(queue, pe, routine);
}

// Where there is no room at once, or the owner is on another host.
[[gnu::noinline]] int enqueue_slowly(shmemx_queue& queue, const void* message, std::size_t size,
                                     int pe) {
    const Routine routine = Routine::extension_queue_enqueue;
    QueueProducer& producer = queue.producers[static_cast<std::size_t>(pe)];
    const auto outcome = producer.send_wait(message, size, routine, [&] { begin(routine); });
    return status_of(queue, outcome, pe, routine_name(routine));
}

}  // namespace

ISTHMUS_API int shmemx_queue_create(size_t capacity, shmemx_queue_t* queue) {
    const char* routine = begin(Routine::extension_queue_create);
    const Turn turn(isthmus_team_world, Routine::extension_queue_create);
    *queue = SHMEMX_QUEUE_INVALID;
    return whole(routine, [&]() -> int {
        check_agreement(routine, "capacity", capacity);
        // Behind the agreement: all are refused, or the job ends.
        if (capacity > kLargestRing)
            return refuse(ISTHMUS_TOO_LARGE, routine, "a capacity of ", capacity,
                          " bytes is above 1 GiB");
        register_for_wakeups();
        const std::uint64_t ring = std::bit_ceil(std::max<std::uint64_t>(capacity, kSmallestRing));
        const std::uint64_t bytes = kRingOffset + ring;
        auto made = std::make_unique<shmemx_queue>();
        {
            const std::lock_guard lock(heap_guard);
            made->memory = static_cast<char*>(heap.allocate(bytes, 4096));
        }
        if (!made->memory)
            return refuse(ISTHMUS_NO_MEMORY, routine, "no room for a ring of ", bytes,
                          " bytes in the symmetric heap; raise SHMEM_SYMMETRIC_SIZE");
        std::memset(made->memory, 0, bytes);
        made->control = format_ring(made->memory, ring);
        made->consumer = RingConsumer(made->control, made->memory + kRingOffset);
        open_to_far(made->memory);
        name_to_far(made->memory, kGeneration);
        barrier_world();  // all rings are formatted
        for (int pe = 0; pe < job.pes; ++pe) {
            if (!is_near(pe)) {
                made->producers.emplace_back(made->memory, kGeneration, pe, ring);
                continue;
            }
            char* const theirs = translate(made->memory, pe);
            made->producers.emplace_back(find_ring(theirs), theirs + kRingOffset, pe);
        }
        *queue = made.release();
        return ISTHMUS_OK;
    });
}

ISTHMUS_API int shmemx_queue_destroy(shmemx_queue_t queue, size_t* lost) {
    const char* routine = begin(Routine::extension_queue_destroy);
    if (lost) *lost = 0;
    if (!queue) return ISTHMUS_OK;
    queue->require_live(routine);
    const Turn turn(isthmus_team_world, Routine::extension_queue_destroy);
    whole(routine, [] {
        far::quiet();     // what this PE has enqueued elsewhere is there
        barrier_world();  // nobody enqueues any more
    });
    close_to_far(queue->memory);
    const std::uint64_t left = queue->consumer.messages_left();
    if (lost) *lost = left;
    {
        const std::lock_guard lock(heap_guard);
        heap.release(queue->memory);
    }
    delete queue;
    return ISTHMUS_OK;
}

ISTHMUS_API size_t shmemx_queue_limit(shmemx_queue_t queue) {
    require_open("shmemx_queue_limit");
    queue->require_live("shmemx_queue_limit");
    return message_limit(queue->control->capacity);
}

ISTHMUS_API int shmemx_queue_enqueue(shmemx_queue_t queue, const void* message, size_t size,
                                     int pe) {
    const Routine routine = Routine::extension_queue_enqueue;
    require_open(routine_name(routine));
    if (const int status = check_message(*queue, size, pe, routine_name(routine))) return status;
    QueueProducer& producer = queue->producers[static_cast<std::size_t>(pe)];
    if (producer.send(message, size)) [[likely]]
        return ISTHMUS_OK;
    return enqueue_slowly(*queue, message, size, pe);
}

ISTHMUS_API int shmemx_queue_try_enqueue(shmemx_queue_t queue, const void* message, size_t size,
                                         int pe) {
    const char* routine = "shmemx_queue_try_enqueue";
    require_open(routine);
    if (const int status = check_message(*queue, size, pe, routine)) return status;
    QueueProducer& producer = queue->producers[static_cast<std::size_t>(pe)];
    if (producer.send(message, size)) [[likely]]
        return ISTHMUS_OK;
    return status_of(*queue, producer.try_send(message, size), pe, routine);
}

namespace {

int take(shmemx_queue_t queue, const void** message, size_t* size, const char* routine) {
    std::uint64_t bytes = 0;
    *message = queue->consumer.take(bytes);
    *size = bytes;
    if (*message) [[likely]]
        return ISTHMUS_OK;
    queue->require_live(routine);
    if (queue->consumer.over())
        return refuse_poll(ISTHMUS_CLOSED, routine,
                           "the queue is closed and nothing is left in it");
    return refuse_poll(ISTHMUS_AGAIN, routine, "no message is there");
}

}  // namespace

ISTHMUS_API int shmemx_queue_try_dequeue(shmemx_queue_t queue, const void** message, size_t* size) {
    const char* routine = "shmemx_queue_try_dequeue";
    require_open(routine);
    return take(queue, message, size, routine);
}

ISTHMUS_API int shmemx_queue_dequeue(shmemx_queue_t queue, const void** message, size_t* size) {
    const char* routine = routine_name(Routine::extension_queue_dequeue);
    require_open(routine);
    int status = take(queue, message, size, routine);
    if (status != ISTHMUS_AGAIN) [[likely]]
        return status;
    begin(Routine::extension_queue_dequeue);
    const WaitTarget target{Routine::extension_queue_dequeue, -1, queue->control};
    wait_wakeable(target, deadline_after(-1), [&] {
        status = take(queue, message, size, routine);
        return status != ISTHMUS_AGAIN;
    });
    return status;
}

ISTHMUS_API int shmemx_queue_release(shmemx_queue_t queue) {
    require_open("shmemx_queue_release");
    if (queue->consumer.release()) [[likely]]
        return ISTHMUS_OK;
    queue->require_live("shmemx_queue_release");
    return refuse(ISTHMUS_ARGUMENT, "shmemx_queue_release", "no message is taken");
}

ISTHMUS_API int shmemx_queue_close(shmemx_queue_t queue, int pe) {
    require_open("shmemx_queue_close");
    queue->require_live("shmemx_queue_close");
    if (const int status = check_pe(pe, "shmemx_queue_close")) return status;
    queue->producers[static_cast<std::size_t>(pe)].close(translate(queue->control, pe), pe);
    return ISTHMUS_OK;
}
