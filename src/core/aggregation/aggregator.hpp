// The aggregator: items for each target gathered in place in a ring at the target, one ring for
// each pair of PEs, so that gathering is the only copy and no two PEs write to one line. For a
// target on another host they are gathered here, and a message goes into the ring in one piece
// (core/queues/far_ring.hpp).
#pragma once

#include <isthmus/aggregator.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/aggregation/waves.hpp"
#include "core/copy/aside.hpp"
#include "core/job/session_object.hpp"
#include "core/queues/far_ring.hpp"
#include "core/queues/queue.hpp"

namespace isthmus {

using Handler = void (*)(void* argument, int source_pe, const void* items, std::size_t count);

// Belongs to the thread that made it. A thread's aggregators make progress together: a handler of
// one may push to another, as a reply to a request, and whoever waits for room in one must serve
// the others too.
//
// The base is what inlined pushes use (include/isthmus/aggregator.h).
class Aggregator final : public ::isthmus_aggregator, private SessionObject {
  public:
    // `memory` at every PE: layout_size() bytes at corresponding places of the symmetric heap, zero
    // when the first PE comes here. `ring` is a power of two; `far_buffer` is what `buffer` is for
    // PEs of other hosts. Between hosts it can be used behind a quiet and a barrier.
    Aggregator(char* memory, std::size_t size_of_item, std::size_t buffer, std::size_t far_buffer,
               std::uint64_t ring, Handler handler, void* argument);
    Aggregator(const Aggregator&) = delete;
    Aggregator& operator=(const Aggregator&) = delete;

    static std::uint64_t layout_size(int pes, std::uint64_t ring);

    // A push whose lane has no room.
    void push_slowly(int pe, const void* item);
    void flush();
    // Serves all of this thread's aggregators; how many items of this one were handled.
    std::size_t progress();
    void finish();
    // True while this thread runs a handler, of whatever aggregator.
    static bool handling();
    ~Aggregator();
    char* memory() const { return memory_; }

  private:
    struct Outgoing {
        char* begin = nullptr;  // message reserved in the ring; null: none
        RingProducer ring;
        std::unique_ptr<FarRingProducer> far;  // instead, for a PE of another host
        Aside aside;  // items that handlers pushed and that found no room, in order
    };
    isthmus_aggregator_lane& lane(int pe) { return lanes_[static_cast<std::size_t>(pe)]; }
    Outgoing& outgoing(int pe) { return outgoing_[static_cast<std::size_t>(pe)]; }
    struct Incoming {
        RingConsumer ring;
        std::unique_ptr<FarRingReturns> far;  // from a PE of another host
    };
    static std::size_t progress_all();
    std::size_t serve();
    // Ends the job if the session has ended, or if this thread is not the one that made it.
    void require_usable(const char* routine) const;
    // What is still called with it ends the job with a message.
    void end() override;
    bool open_message(int pe);
    void send(int pe);
    bool send_aside(int pe);
    void set_aside(int pe, const void* item);
    std::size_t handle_from(int pe);
    void publish_pushed();
    std::uint64_t handled_everywhere() const;
    bool all_done(std::uint64_t epoch) const;
    using Step = std::atomic<std::uint64_t> AggregatorCounts::*;
    int missing(std::uint64_t epoch, Step step) const;
    bool over_somewhere(std::uint64_t epoch) const;
    bool over_everywhere(std::uint64_t epoch) const;
    bool is_over(std::uint64_t epoch);
    bool have_all_left(std::uint64_t epoch);
    AggregatorCounts& counts_of(int pe) const;

    char* memory_;
    std::size_t message_;  // bytes of whole items that a full message holds
    Handler handler_;
    void* argument_;
    std::uint64_t owner_;  // number of the thread
    Aggregator* next_of_thread_ = nullptr;
    std::vector<isthmus_aggregator_lane> lanes_;
    std::vector<Outgoing> outgoing_;
    std::vector<Incoming> incoming_;
    std::unique_ptr<Waves> waves_;  // in a job of several hosts
    std::uint64_t epoch_ = 0;
};

}  // namespace isthmus
