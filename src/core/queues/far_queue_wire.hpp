// What the two ends of a queue between hosts tell each other (core/queues/far_queue.cpp).
#pragma once

#include <cstdint>

#include "core/job/pe_set.hpp"
#include "core/queues/far_queue.hpp"
#include "transport/transport.hpp"

namespace isthmus::queue_wire {

struct RingName {
    std::uint64_t memory;  // address at the owner
    std::uint32_t generation;
    std::uint32_t waits;  // not 0: leaves a mark if there is no room
};
// The message follows.
struct Enqueue {
    RingName ring;
};
struct Enqueued {
    FarQueueProducer::Outcome outcome;
};
struct Reserve {
    RingName ring;
    std::uint64_t size;
};
struct Reserved {
    FarQueueProducer::Outcome outcome;
    std::uint64_t position;
};
struct Commit {
    RingName ring;
    std::uint64_t position;
    std::uint64_t size;
};
struct Close {
    RingName ring;
};
struct Closed {
    FarQueueProducer::Outcome outcome;
    PeSet waiting;  // of other hosts; whoever has asked tells them
};
// Longest that travels in the request.
inline constexpr std::uint64_t kShortMessage = transport::kRequestBytes - sizeof(Enqueue);

}  // namespace isthmus::queue_wire
